// Reads the steps around the model in a tokenizer.json: normaliser, pre-tokenizer, post-processor.
// Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "runtime/tokenizer/json_fields.h"
#include "runtime/tokenizer/pre_tokenizer.h"

namespace maskloom {

// What the steps come to. Steps that are not known are refused, never approximated.
struct JsonPipeline {
  bool normalize_nfc = false;
  std::vector<SplitRule> split_rules;
  std::string bos_text;  // token in front of every text; empty: none
};

// Returns whether `step` or a step of its sequence is of type ByteLevel. Requires nothing.
bool HasByteLevelStep(const JsonValue* step);

// Reads the steps of the whole document `root`.
// On error: kUnsupported naming the step and its type or pattern; kInvalidModel for a step that is
// malformed. Messages do not name the file.
Status ReadJsonPipeline(const JsonValue& root, JsonPipeline* pipeline);

}  // namespace maskloom
