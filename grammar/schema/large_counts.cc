// The nodes say whether a large count matters: one under `not`, or beside a maximum, does not.
// Which keyword it came from is found among those that were read.
#include "grammar/schema/large_counts.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

bool AsksForMore(const std::vector<Condition>& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [](const Condition& condition) {
    const bool is_least =
        condition.kind == Condition::Kind::kAtLeast || condition.kind == Condition::Kind::kMinSize;
    return is_least && condition.number > kMaxLeastCount;
  });
}

}  // namespace

Status CheckLargeCounts(const Grammar& grammar, const SchemaDocument& document,
                        const SchemaReader& reader) {
  const auto refuse = [&](std::initializer_list<std::string_view> names) {
    for (const JsonIndex keyword : reader.Keywords()) {
      const std::string_view name = document.key(keyword);
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      const std::optional<uint64_t> count = CountAt(document, keyword);
      if (!count || *count <= kMaxLeastCount) continue;
      return document.ErrorAt(
          keyword, StatusCode::kResourceLimit,
          "`" + std::string(name) + "` is " + std::string(document.text(keyword).substr(0, 100)) +
              "; the most that can be counted is " + std::to_string(kMaxLeastCount));
    }
    return Status::Ok();
  };
  const auto is_long = [](const StringNode& node) { return node.min_length > kMaxLeastCount; };
  if (std::any_of(grammar.strings.begin(), grammar.strings.end(), is_long)) {
    if (Status status = refuse({"minLength"}); !status.ok()) return status;
  }
  const auto is_long_array = [](const ArrayNode& node) {
    return node.min_items > kMaxLeastCount || AsksForMore(node.conditions);
  };
  if (std::any_of(grammar.arrays.begin(), grammar.arrays.end(), is_long_array)) {
    if (Status status = refuse({"minItems", "minContains"}); !status.ok()) return status;
  }
  const auto is_large_object = [](const ObjectNode& node) {
    return node.min_properties > kMaxLeastCount || AsksForMore(node.conditions);
  };
  if (std::any_of(grammar.objects.begin(), grammar.objects.end(), is_large_object)) {
    return refuse({"minProperties"});
  }
  return Status::Ok();
}

}  // namespace maskloom
