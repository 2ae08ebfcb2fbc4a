// Draws chains; see random_chain_schema.h.
#include "tests/suites/random_chain_schema.h"

#include <initializer_list>
#include <set>

namespace maskloom::suites {
namespace {

using judge::Draft;

class ChainWriter {
 public:
  ChainWriter(Draft draft, std::mt19937_64* random) : draft_(draft), random_(*random) {}

  std::string Root() {
    static constexpr const char* kNames[] = {
        "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema"};
    std::string members =
        std::string("\"$schema\":\"") + kNames[static_cast<size_t>(draft_)] + "\"";
    if (!OneIn(4)) members += ",\"type\":\"object\"";
    if (!OneIn(3)) members += "," + Properties(3);
    if (OneIn(2)) members += "," + Required();
    // What is unevaluated is found case by case: few branches then.
    const bool all_known = draft_ >= Draft::k2019 && OneIn(6);
    members += "," + Chain(all_known ? 3 : 4 + Below(9), 2);
    if (OneIn(4)) members += ",\"anyOf\":[" + Consequence(0) + "," + Consequence(0) + "]";
    if (OneIn(8)) members += ",\"not\":" + Condition();
    if (OneIn(8)) members += ",\"maxProperties\":" + std::to_string(1 + Below(4));
    if (all_known) {
      members += ",\"unevaluatedProperties\":false";
    } else if (OneIn(6)) {
      members += ",\"additionalProperties\":false";
    }
    return "{" + members + "}";
  }

 private:
  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }

  // Most conditions ask about the first keys.
  std::string Key() {
    return OneIn(2) ? "\"a\"" : OneIn(2) ? "\"b\"" : Pick({"\"c\"", "\"ab\"", "\"d\"", "\"e\""});
  }
  std::string Value() {
    return Pick({"\"x\"", "\"y\"", "\"z\"", "\"xy\"", "\"\"", "1", "2", "1.5", "true", "false",
                 "null", "\"x\"", "\"y\"", "1"});
  }
  std::string Enum() {
    std::set<std::string> values;
    for (size_t i = 1 + Below(4); i > 0; --i) values.insert(Value());
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ",") + value;
    return "{\"enum\":[" + list + "]}";
  }

  std::string ValueSchema() {
    switch (Below(12)) {
      case 0:
      case 1:
      case 2:
        if (draft_ >= Draft::k6) return "{\"const\":" + Value() + "}";
        return "{\"enum\":[" + Value() + "]}";
      case 3:
      case 4:
      case 5:
        return Enum();
      case 6:
        return "{\"not\":" + Enum() + "}";
      case 7:
        return Pick({"{\"type\":\"string\"}", "{\"type\":\"integer\"}", "{\"type\":\"boolean\"}",
                     "{\"type\":\"null\"}", "{\"type\":[\"string\",\"null\"]}"});
      case 8:
        return Pick({"{\"pattern\":\"^x\"}", "{\"minLength\":1}", "{\"maxLength\":1}",
                     "{\"minimum\":1}", "{\"maximum\":1}",
                     "{\"type\":\"string\",\"pattern\":\"y$\"}"});
      case 9:
        return "{\"type\":\"string\",\"not\":" + Enum() + "}";
      case 10:
        return "{\"type\":\"object\",\"required\":[" + Key() + "]}";
      default:
        return draft_ >= Draft::k6 ? "true" : "{}";
    }
  }

  std::string Properties(size_t most) {
    std::set<std::string> keys;
    for (size_t i = 1 + Below(most); i > 0; --i) keys.insert(Key());
    std::string members;
    for (const std::string& key : keys) {
      members += (members.empty() ? "" : ",") + key + ":" + ValueSchema();
    }
    return "\"properties\":{" + members + "}";
  }
  std::string Required() {
    const std::string first = Key();
    const std::string second = Key();
    return "\"required\":[" + first + (OneIn(3) && first != second ? "," + second : "") + "]";
  }

  std::string Condition() {
    if (OneIn(10)) return "{" + Required() + "}";
    if (OneIn(12)) return "{\"not\":" + Condition() + "}";
    if (OneIn(12)) return "{\"anyOf\":[" + Condition() + "," + Condition() + "]}";
    std::string members;
    if (OneIn(5)) {
      members = Properties(2);
    } else {
      members = "\"properties\":{" + Key() + ":" + ValueSchema() + "}";
    }
    if (OneIn(2)) members += "," + Required();
    if (OneIn(20)) members += ",\"additionalProperties\":false";
    return "{" + members + "}";
  }

  std::string Consequence(int depth) {
    if (OneIn(15)) return draft_ >= Draft::k6 ? "false" : "{\"not\":{}}";
    if (depth > 0 && OneIn(8)) return "{" + Chain(1 + Below(5), depth - 1) + "}";
    std::string members;
    const auto add = [&](const std::string& member) {
      members += (members.empty() ? "" : ",") + member;
    };
    if (!OneIn(3)) add(Properties(3));
    if (OneIn(2)) add(Required());
    if (OneIn(8)) add("\"additionalProperties\":" + (OneIn(2) ? "false" : ValueSchema()));
    if (OneIn(12)) add("\"patternProperties\":{\"^[ab]\":" + ValueSchema() + "}");
    if (OneIn(12)) add("\"minProperties\":2");
    return "{" + members + "}";
  }

  std::string Branch(int depth) {
    if (draft_ < Draft::k7) {
      return "{\"anyOf\":[{\"not\":" + Condition() + "}," + Consequence(depth) + "]}";
    }
    std::string branch = "{\"if\":" + Condition();
    if (!OneIn(8)) branch += ",\"then\":" + Consequence(depth);
    if (OneIn(5)) branch += ",\"else\":" + Consequence(depth);
    return branch + "}";
  }

  // A member that holds `count` branches.
  std::string Chain(size_t count, int depth) {
    if (draft_ >= Draft::k7 && OneIn(5)) {
      std::string schema = Consequence(0);
      for (size_t i = 0; i < count; ++i) {
        std::string next = "{\"if\":" + Condition() + ",\"then\":" + Consequence(0);
        schema = next + ",\"else\":" + schema + "}";
      }
      return "\"allOf\":[" + schema + "]";
    }
    std::string branches;
    if (OneIn(6)) {
      for (size_t i = 0; i < count; ++i) {
        branches += (i == 0 ? "" : ",") + Consequence(0);
      }
      return (OneIn(2) ? "\"oneOf\":[" : "\"anyOf\":[") + branches + "]";
    }
    for (size_t i = 0; i < count; ++i) branches += (i == 0 ? "" : ",") + Branch(depth);
    return "\"allOf\":[" + branches + "]";
  }

  Draft draft_;
  std::mt19937_64& random_;
};

}  // namespace

std::string RandomChainSchema(Draft draft, std::mt19937_64* random) {
  return ChainWriter(draft, random).Root();
}

}  // namespace maskloom::suites
