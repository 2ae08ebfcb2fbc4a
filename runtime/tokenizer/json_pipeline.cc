#include "runtime/tokenizer/json_pipeline.h"

#include <functional>

namespace maskloom {
namespace {

constexpr int kMaxSequenceDepth = 8;

Status Unsupported(std::string what) { return Status(StatusCode::kUnsupported, std::move(what)); }
Status Malformed(std::string what) { return Status(StatusCode::kInvalidModel, std::move(what)); }

// Calls `visit(step, where)` for every step in order, looking into sequences, whose list is called
// `list`. Requires: `step` is not null.
Status ForEachStep(const JsonValue& step, const std::string& where, const char* list, int depth,
                   const std::function<Status(const JsonValue&, const std::string&)>& visit) {
  if (!step.IsObject()) return Malformed(where + " is not an object");
  if (FindText(step, "type") != "Sequence") return visit(step, where);
  const JsonValue* steps = FindField(step, list);
  if (steps == nullptr || !steps->IsArray()) {
    return Malformed(where + "." + list + " is not a list");
  }
  if (depth >= kMaxSequenceDepth) return Unsupported(where + ": sequences are nested too deep");
  for (rapidjson::SizeType i = 0; i < steps->Size(); ++i) {
    const std::string inner = where + "." + list + "[" + std::to_string(i) + "]";
    Status status = ForEachStep((*steps)[i], inner, list, depth + 1, visit);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status ReadNormalizer(const JsonValue& root, JsonPipeline* pipeline) {
  const JsonValue* normalizer = FindField(root, "normalizer");
  if (normalizer == nullptr) return Status::Ok();
  return ForEachStep(*normalizer, "normalizer", "normalizers", 0,
                     [pipeline](const JsonValue& step, const std::string& where) {
                       if (FindText(step, "type") != "NFC") {
                         return Unsupported(where + ": normalizer " +
                                            QuoteShort(FindText(step, "type")) +
                                            " is not known; NFC is");
                       }
                       pipeline->normalize_nfc = true;
                       return Status::Ok();
                     });
}

// A pattern may keep its matches ("Isolated") or drop what lies between them ("Removed" and
// inverted): the known patterns leave nothing between, so both come to the same.
Status ReadSplit(const JsonValue& step, const std::string& where, JsonPipeline* pipeline) {
  const JsonValue* pattern = FindField(step, "pattern");
  const std::string_view regex = pattern != nullptr ? FindText(*pattern, "Regex") : "";
  const auto rule = FindSplitRule(regex);
  if (!rule) {
    const std::string_view text = pattern != nullptr ? FindText(*pattern, "String") : "";
    return Unsupported(where + ": split pattern " + QuoteShort(regex.empty() ? text : regex) +
                       " is not known; those of GPT-2, SmolLM2, Llama 3, Qwen and GPT-4o are");
  }
  const std::string_view behavior = FindText(step, "behavior");
  const bool inverted = FindFlag(step, "invert", false);
  const bool isolated = behavior == "Isolated" && !inverted;
  const bool removed = behavior == "Removed" && inverted && *rule != SplitRule::kSingleNumbers;
  if (!isolated && !removed) {
    return Unsupported(where + ": split behaviour " + QuoteShort(behavior) +
                       (inverted ? " with invert" : "") + " is not known");
  }
  pipeline->split_rules.push_back(*rule);
  return Status::Ok();
}

Status ReadPreTokenizer(const JsonValue& root, JsonPipeline* pipeline) {
  const JsonValue* pre_tokenizer = FindField(root, "pre_tokenizer");
  if (pre_tokenizer == nullptr) {
    return Unsupported("pre_tokenizer is missing; a ByteLevel step is needed");
  }
  bool byte_level = false;
  Status status = ForEachStep(
      *pre_tokenizer, "pre_tokenizer", "pretokenizers", 0,
      [&](const JsonValue& step, const std::string& where) {
        const std::string_view type = FindText(step, "type");
        if (byte_level) {
          return Unsupported(where + ": step " + QuoteShort(type) + " behind ByteLevel");
        }
        if (type == "Split") return ReadSplit(step, where, pipeline);
        if (type == "Digits") {
          const bool single = FindFlag(step, "individual_digits", false);
          pipeline->split_rules.push_back(single ? SplitRule::kSingleNumbers
                                                 : SplitRule::kNumberRuns);
          return Status::Ok();
        }
        if (type != "ByteLevel") {
          return Unsupported(where + ": pre-tokenizer " + QuoteShort(type) +
                             " is not known; Split, Digits and ByteLevel are");
        }
        if (FindFlag(step, "add_prefix_space", true)) {
          return Unsupported(where + ": ByteLevel with add_prefix_space");
        }
        byte_level = true;
        if (FindFlag(step, "use_regex", true)) pipeline->split_rules.push_back(SplitRule::kGpt2);
        return Status::Ok();
      });
  if (status.ok() && !byte_level) return Unsupported("pre_tokenizer has no ByteLevel step");
  return status;
}

// A template is a list such as [{"SpecialToken":{"id":"<bos>"}}, {"Sequence":{"id":"A"}}].
Status ReadTemplate(const JsonValue& step, const std::string& where, JsonPipeline* pipeline) {
  const JsonValue* single = FindField(step, "single");
  if (single == nullptr || !single->IsArray()) return Malformed(where + ".single is not a list");
  bool behind_text = false;
  for (const JsonValue& part : single->GetArray()) {
    if (FindField(part, "Sequence") != nullptr) {
      behind_text = true;
      continue;
    }
    const JsonValue* special = FindField(part, "SpecialToken");
    const std::string_view text = special != nullptr ? FindText(*special, "id") : "";
    if (text.empty()) return Malformed(where + ".single: a part is neither token nor text");
    if (behind_text || !pipeline->bos_text.empty()) {
      return Unsupported(where + ".single: token " + QuoteShort(text) +
                         "; only one token in front of the text is known");
    }
    pipeline->bos_text = text;
  }
  return Status::Ok();
}

Status ReadPostProcessor(const JsonValue& root, JsonPipeline* pipeline) {
  const JsonValue* processor = FindField(root, "post_processor");
  if (processor == nullptr) return Status::Ok();
  return ForEachStep(*processor, "post_processor", "processors", 0,
                     [&](const JsonValue& step, const std::string& where) {
                       const std::string_view type = FindText(step, "type");
                       if (type == "ByteLevel") return Status::Ok();
                       if (type == "TemplateProcessing") return ReadTemplate(step, where, pipeline);
                       return Unsupported(where + ": post-processor " + QuoteShort(type) +
                                          " is not known; ByteLevel and TemplateProcessing are");
                     });
}

bool HasByteLevelStep(const JsonValue& step, int depth) {
  if (FindText(step, "type") == "ByteLevel") return true;
  if (depth >= kMaxSequenceDepth) return false;
  for (const char* list : {"pretokenizers", "decoders"}) {
    const JsonValue* steps = FindField(step, list);
    if (steps == nullptr || !steps->IsArray()) continue;
    for (const JsonValue& inner : steps->GetArray()) {
      if (HasByteLevelStep(inner, depth + 1)) return true;
    }
  }
  return false;
}

}  // namespace

bool HasByteLevelStep(const JsonValue* step) {
  return step != nullptr && HasByteLevelStep(*step, 0);
}

Status ReadJsonPipeline(const JsonValue& root, JsonPipeline* pipeline) {
  Status status = ReadNormalizer(root, pipeline);
  if (status.ok()) status = ReadPreTokenizer(root, pipeline);
  if (status.ok()) status = ReadPostProcessor(root, pipeline);
  return status;
}

}  // namespace maskloom
