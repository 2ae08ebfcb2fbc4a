#include "grammar/schema/dialect.h"

#include <utility>

namespace maskloom {

const char* DraftName(Draft draft) {
  switch (draft) {
    case Draft::kDraft4:
      return "draft-04";
    case Draft::kDraft6:
      return "draft-06";
    case Draft::kDraft7:
      return "draft-07";
    case Draft::kDraft2019:
      return "2019-09";
    case Draft::kDraft2020:
      return "2020-12";
  }
  return "unknown";
}

std::optional<Draft> FindDraft(std::string_view uri) {
  constexpr std::pair<std::string_view, Draft> kMarks[] = {
      {"//json-schema.org/draft-04/", Draft::kDraft4},
      {"//json-schema.org/draft-06/", Draft::kDraft6},
      {"//json-schema.org/draft-07/", Draft::kDraft7},
      {"//json-schema.org/draft/2019-09/", Draft::kDraft2019},
      {"//json-schema.org/draft/2020-12/", Draft::kDraft2020},
  };
  for (auto [mark, draft] : kMarks) {
    if (uri.find(mark) != std::string_view::npos) return draft;
  }
  return std::nullopt;
}

uint8_t FindVocabulary(std::string_view uri) {
  constexpr std::pair<std::string_view, uint8_t> kNames[] = {
      {"2019-09/vocab/applicator", kApplicatorVocabulary | kUnevaluatedVocabulary},
      {"2019-09/vocab/content", kContentVocabulary},
      {"2019-09/vocab/core", kCoreVocabulary},
      {"2019-09/vocab/format", kFormatVocabulary},
      {"2019-09/vocab/meta-data", kMetaDataVocabulary},
      {"2019-09/vocab/validation", kValidationVocabulary},
      {"2020-12/vocab/applicator", kApplicatorVocabulary},
      {"2020-12/vocab/content", kContentVocabulary},
      {"2020-12/vocab/core", kCoreVocabulary},
      {"2020-12/vocab/format-annotation", kFormatVocabulary},
      {"2020-12/vocab/format-assertion", kFormatVocabulary},
      {"2020-12/vocab/meta-data", kMetaDataVocabulary},
      {"2020-12/vocab/unevaluated", kUnevaluatedVocabulary},
      {"2020-12/vocab/validation", kValidationVocabulary},
  };
  constexpr std::string_view kPrefix = "https://json-schema.org/draft/";
  if (!uri.starts_with(kPrefix)) return 0;
  uri.remove_prefix(kPrefix.size());
  for (auto [name, bits] : kNames) {
    if (uri == name) return bits;
  }
  return 0;
}

}  // namespace maskloom
