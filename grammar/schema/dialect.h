// What a schema's `$schema` says: the draft, and which of its vocabularies count.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "grammar/schema/schema_facts.h"

namespace maskloom {

// Groups of keywords that a metaschema of 2019-09 or later turns on by `$vocabulary`.
enum VocabularyBits : uint8_t {
  kCoreVocabulary = 1,  // always on
  kApplicatorVocabulary = 2,
  kUnevaluatedVocabulary = 4,
  kValidationVocabulary = 8,
  kMetaDataVocabulary = 16,
  kFormatVocabulary = 32,
  kContentVocabulary = 64,
  kAllVocabularies = 127,
};

struct Dialect {
  Draft draft = Draft::kDraft2020;
  uint8_t vocabularies = kAllVocabularies;
  bool operator==(const Dialect&) const = default;
};

// Returns the draft of a `$schema` at json-schema.org, however it ends; nothing for others.
std::optional<Draft> FindDraft(std::string_view uri);

// Returns the bits of a vocabulary of `draft` by its URI; 0 if it is not one of them.
uint8_t FindVocabulary(std::string_view uri);

}  // namespace maskloom
