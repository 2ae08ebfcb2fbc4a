// Draws keywords around kinds of values.
#include "tests/suites/random_full_schema.h"

#include <array>
#include <initializer_list>
#include <sstream>
#include <vector>

namespace maskloom::suites {
namespace {

using judge::Draft;

constexpr std::array<const char*, 7> kKeys = {"\"a\"", "\"b\"",       "\"ab\"",   "\"c\"",
                                              "\"\"",  "\"\\u00e9\"", "\"a\\\"\""};
constexpr std::array<const char*, 6> kKeyPatterns = {"\"^a\"",  "\"b$\"", "\"^[ab]+$\"",
                                                     "\"^.$\"", "\"c\"",  "\"^[^a]*$\""};

class FullWriter {
 public:
  FullWriter(Draft draft, const FullSchemaOptions& options, std::mt19937_64* random)
      : draft_(draft), random_(*random), unusual_(options.unusual_patterns), depth_(options.depth) {
    std::istringstream in(options.formats);
    for (std::string format; in >> format;) formats_.push_back(format);
  }

  std::string Root() {
    static constexpr const char* kNames[] = {
        "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema"};
    apart_ = OneIn(4);
    apart_anchor_ = OneIn(2);
    dynamic_ = draft_ == Draft::k2020 && OneIn(3);
    std::string anchor;
    if (dynamic_) anchor = "\"$dynamicAnchor\":\"node\"";
    if (draft_ == Draft::k2019 && OneIn(3)) anchor = "\"$recursiveAnchor\":true";
    level_ = 0;
    std::string root = Object(depth_, false);
    const size_t root_kind = last_kind_;
    if (!anchor.empty()) root = Joined(anchor, root);
    std::string definitions;
    for (level_ = 1; level_ <= 3; ++level_) {
      hint_ = root_kind;
      std::string one = Object(depth_ - 1, false);
      if (level_ == 3 && apart_) {
        if (!anchor.empty() && apart_anchor_) one = Joined(anchor, one);
        bool old = draft_ == Draft::k4;
        one = Joined(std::string(old ? "\"id\"" : "\"$id\"") + ":\"http://schemas.test/z\"", one);
      }
      definitions +=
          (level_ > 1 ? "," : "") + std::string("\"") + kDefinitions[level_ - 1] + "\":" + one;
    }
    std::string head = std::string("{\"$schema\":\"") + kNames[static_cast<size_t>(draft_)] + "\"";
    std::string tail = std::string(",\"") + Definitions() + "\":{" + definitions + "}}";
    return head + (root == "{}" ? "" : "," + root.substr(1, root.size() - 2)) + tail;
  }

 private:
  static constexpr const char* kDefinitions[] = {"x", "y", "z"};

  static std::string Joined(const std::string& member, const std::string& object) {
    return "{" + member + (object == "{}" ? "" : ",") + object.substr(1);
  }
  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }
  bool Has(Draft first) const { return draft_ >= first; }
  const char* Definitions() const { return Has(Draft::k2019) ? "$defs" : "definitions"; }

  std::string Key() { return kKeys[OneIn(4) ? Below(kKeys.size()) : Below(4)]; }
  std::string Number() {
    return Pick({"-9", "-1.5", "0", "0.01", "1", "2", "3", "5", "9", "10", "1e1", "9.5", "99.9",
                 "100", "1000", "0.1", "0.30"});
  }
  std::string Text() {
    return Pick({"\"\"", "\"a\"", "\"b\"", "\"ab\"", "\"ba\"", "\"aab\"", "\"\\u00e9\"",
                 "\"a\\nb\"", "\"1\"", "\"\\ud83d\\ude00\"", "\"2024-02-29\""});
  }
  std::string Value(int depth) {
    switch (Below(depth > 0 ? 8 : 5)) {
      case 0:
      case 1:
        return Number();
      case 2:
        return Text();
      case 3:
        return Pick({"true", "false", "null"});
      case 4:
        return Pick({"[]", "{}"});
      case 5:
        return "[" + Value(depth - 1) + "," + Value(depth - 1) + "]";
      case 6:
        return "[" + Value(depth - 1) + "]";
      default:
        return "{" + (OneIn(2) ? "\"a\":" + Value(depth - 1) + "," : std::string()) +
               "\"b\":" + Value(depth - 1) + "}";
    }
  }

  std::string Schema(int depth, bool guarded) {
    if (OneIn(12)) return Has(Draft::k6) ? "true" : "{}";
    if (OneIn(20)) return Has(Draft::k6) ? "false" : "{\"not\":{}}";
    return Object(depth, guarded);
  }
  std::string Inner(int depth) { return Schema(depth - 1, true); }

  void Add(const std::string& name, const std::string& value) {
    if (OpenHas(name)) return;
    names_.push_back(name);
    members_ += (members_.empty() ? "\"" : ",\"") + name + "\":" + value;
  }
  bool OpenHas(const std::string& name) const {
    for (const std::string& known : names_) {
      if (known == name) return true;
    }
    return false;
  }

  std::string List(size_t least, size_t most, int depth, bool guarded) {
    std::string list;
    for (size_t i = least + Below(most - least + 1); i > 0; --i) {
      list += (list.empty() ? "" : ",") + Schema(depth, guarded);
    }
    return "[" + list + "]";
  }

  std::string Object(int depth, bool guarded) {
    std::string outer = std::move(members_);
    std::vector<std::string> outer_names = std::move(names_);
    members_.clear();
    names_.clear();
    const size_t own = AddKind(depth);
    if (OneIn(6)) AddNumber();
    if (OneIn(8)) AddString();
    if (depth > 0 && OneIn(8)) AddObject(depth);
    if (depth > 0 && OneIn(8)) AddArray(depth);
    if (depth > 0 && OneIn(3)) AddCombinator(depth, own, guarded);
    if (depth > 0 && OneIn(8)) AddCombinator(depth, own, guarded);
    if (OneIn(8)) AddReference(guarded);
    std::string schema = "{" + members_ + "}";
    members_ = std::move(outer);
    names_ = std::move(outer_names);
    last_kind_ = own;
    return schema;
  }

  // Schemas for the same value are mostly about the same kind of value: others exclude each other.
  size_t AddKind(int depth) {
    size_t kinds = depth > 0 ? 12 : 7;
    const size_t kind = hint_ < kinds && !OneIn(4) ? hint_ : Below(kinds);
    hint_ = kNoHint;
    switch (kind) {
      case 0:
        Add("enum", "[" + Value(1) + "," + Value(2) + "," + Value(1) + "]");
        break;
      case 1:
        if (Has(Draft::k6)) Add("const", Value(2));
        break;
      case 2:
        Add("type", Pick({"\"boolean\"", "\"null\"", "[\"string\",\"null\"]",
                          "[\"integer\",\"array\"]", "[\"object\",\"string\"]"}));
        break;
      case 3:
      case 4:
        if (!OneIn(5)) Add("type", Pick({"\"number\"", "\"integer\""}));
        AddNumber();
        break;
      case 5:
      case 6:
        if (!OneIn(5)) Add("type", "\"string\"");
        AddString();
        break;
      case 7:
      case 8:
      case 9:
        if (!OneIn(3)) Add("type", "\"object\"");
        AddObject(depth);
        break;
      default:
        if (!OneIn(3)) Add("type", "\"array\"");
        AddArray(depth);
    }
    return kind;
  }

  // A schema for the same value as one of `kind`.
  std::string Beside(size_t kind, int depth, bool guarded) {
    hint_ = kind;
    std::string schema = Schema(depth - 1, guarded);
    hint_ = kNoHint;
    return schema;
  }

  void AddNumber() {
    if (OneIn(3)) Add("minimum", Number());
    if (OneIn(3)) Add("maximum", Number());
    if (OneIn(6)) Add("exclusiveMinimum", Has(Draft::k6) ? Number() : "true");
    if (OneIn(6)) Add("exclusiveMaximum", Has(Draft::k6) ? Number() : "true");
    if (!Has(Draft::k6)) {  // the flags stand beside bounds
      if (OpenHas("exclusiveMinimum")) Add("minimum", Number());
      if (OpenHas("exclusiveMaximum")) Add("maximum", Number());
    }
    if (OneIn(3))
      Add("multipleOf", Pick({"2", "3", "0.1", "0.25", "1.5", "10", "7", "0.01", "1e1"}));
  }

  void AddString() {
    if (OneIn(3)) Add("minLength", std::to_string(Below(3)));
    if (OneIn(3)) Add("maxLength", std::to_string(1 + Below(4)));
    if (OneIn(3)) {
      if (unusual_ && OneIn(3)) {
        Add("pattern",
            Pick({"\"^(?!a)\"", "\"^(?=.*b)a\"", "\"\\\\bab\\\\b\"", "\"^\\\\p{L}+$\"",
                  "\"(?<!a)b\"", "\"^(?=.{2,3}$)[ab]+$\"", "\"\\\\P{Lu}$\"", "\"^(?!.*aa).*b\""}));
      } else {
        Add("pattern", Pick({"\"^a\"", "\"b$\"", "\"^[ab]*$\"", "\"a.b\"", "\"^(ab|b){1,3}$\"",
                             "\"^a{2,9}b?$\"", "\"\\u00e9\"", "\"^$|1\"", "\"^[^a]+$\"",
                             "\"\\\\d\"", "\"^\\\\S*$\""}));
      }
    }
    if (!formats_.empty() && OneIn(8))
      Add("format", "\"" + formats_[Below(formats_.size())] + "\"");
  }

  std::string KeyList() {
    std::string first = Key();
    std::string second = Key();
    return OneIn(3) && second != first ? "[" + first + "," + second + "]" : "[" + first + "]";
  }

  // A map from keys (each once) to what `draw` gives.
  template <size_t kCount, typename Draw>
  std::string Map(const std::array<const char*, kCount>& keys, size_t likely, Draw draw) {
    std::string map;
    for (size_t i = 0; i < kCount; ++i) {
      if (OneIn(i < likely ? 2 : 8)) map += (map.empty() ? "" : ",") + (keys[i] + (":" + draw()));
    }
    return "{" + map + "}";
  }

  void AddObject(int depth) {
    auto inner = [&] { return Inner(depth); };
    if (!OneIn(4)) Add("properties", Map(kKeys, 3, inner));
    if (OneIn(2)) Add("required", KeyList());
    if (OneIn(3)) Add("additionalProperties", OneIn(2) ? "false" : Inner(depth));
    if (OneIn(4)) Add("patternProperties", Map(kKeyPatterns, 2, inner));
    if (OneIn(6)) Add("minProperties", std::to_string(Below(4)));
    if (OneIn(6)) Add("maxProperties", std::to_string(Below(4)));
    if (Has(Draft::k6) && OneIn(6)) Add("propertyNames", NameSchema(depth));
    if (OneIn(5)) {
      auto same = [&] { return OneIn(2) ? KeyList() : Beside(kObject, depth, false); };
      if (!Has(Draft::k2019)) {
        Add("dependencies", Map(kKeys, 2, same));
      } else if (OneIn(2)) {
        Add("dependentRequired", Map(kKeys, 2, [&] { return KeyList(); }));
      } else {
        Add("dependentSchemas", Map(kKeys, 2, [&] { return Beside(kObject, depth, false); }));
      }
    }
    if (Has(Draft::k2019) && OneIn(5)) {
      Add("unevaluatedProperties", OneIn(2) ? "false" : Inner(depth));
    }
  }

  std::string NameSchema(int depth) {
    if (OneIn(4)) return Inner(depth);
    return Pick({"{\"maxLength\":1}", "{\"pattern\":\"^a\"}", "{\"enum\":[\"a\",\"b\",\"\"]}",
                 "{\"not\":{\"enum\":[\"a\"]}}", "{\"minLength\":1}"});
  }

  void AddArray(int depth) {
    bool tuple = OneIn(3);
    if (tuple) {
      Add(Has(Draft::k2020) ? "prefixItems" : "items", List(1, 3, depth - 1, true));
      const char* rest = Has(Draft::k2020) ? "items" : "additionalItems";
      if (OneIn(2)) Add(rest, OneIn(3) ? "false" : Inner(depth));
    } else if (!OneIn(3)) {
      Add("items", Inner(depth));
    }
    if (OneIn(4)) Add("minItems", std::to_string(Below(4)));
    if (OneIn(4)) Add("maxItems", std::to_string(Below(5)));
    if (OneIn(4)) Add("uniqueItems", OneIn(5) ? "false" : "true");
    if (Has(Draft::k6) && OneIn(4)) {
      Add("contains", Inner(depth));
      if (Has(Draft::k2019) && OneIn(2)) Add("minContains", std::to_string(Below(3)));
      if (Has(Draft::k2019) && OneIn(3)) Add("maxContains", std::to_string(1 + Below(3)));
    }
    if (Has(Draft::k2019) && OneIn(6)) Add("unevaluatedItems", OneIn(2) ? "false" : Inner(depth));
  }

  void AddCombinator(int depth, size_t kind, bool guarded) {
    auto same = [&] { return Beside(kind, depth, guarded); };
    auto list = [&] {
      std::string schemas = same();
      for (size_t i = Below(3); i > 0; --i) schemas += "," + same();
      return "[" + schemas + "]";
    };
    switch (Below(Has(Draft::k7) ? 8 : 6)) {
      case 0:
        Add("allOf", list());
        break;
      case 1:
        Add("anyOf", list());
        break;
      case 2:
      case 3:
        Add("oneOf", list());
        break;
      case 4:
      case 5:
        Add("not", same());
        break;
      default:
        Add("if", same());
        if (!OneIn(4)) Add("then", same());
        if (!OneIn(3)) Add("else", same());
    }
  }

  // For the same value only later definitions; behind members and items any, and the root.
  void AddReference(bool guarded) {
    bool alone = level_ == 3 && apart_;  // a resource of its own, where "#" is itself
    if (guarded && (alone || OneIn(3))) {
      if (draft_ == Draft::k2019 && OneIn(2)) {
        Add("$recursiveRef", "\"#\"");
      } else if (draft_ == Draft::k2020 && dynamic_ && (!alone || apart_anchor_) && OneIn(2)) {
        Add("$dynamicRef", "\"#node\"");
      } else {
        Add("$ref", "\"#\"");
      }
      return;
    }
    size_t first = guarded ? 0 : level_;
    if (first >= 3) return;
    size_t target = first + Below(3 - first);
    if (target == 2 && apart_ && OneIn(2)) {
      Add("$ref", "\"http://schemas.test/z\"");
    } else {
      Add("$ref", std::string("\"#/") + Definitions() + "/" + kDefinitions[target] + "\"");
    }
  }

  Draft draft_;
  std::mt19937_64& random_;
  bool unusual_;
  int depth_;
  std::vector<std::string> formats_;
  bool dynamic_ = false;       // roots have the dynamic anchor "node"
  bool apart_ = false;         // the last definition has an identifier
  bool apart_anchor_ = false;  // and the anchor of the root
  size_t level_ = 0;           // 0: the root, else the definition being written
  static constexpr size_t kNoHint = 99;
  static constexpr size_t kObject = 7;  // one of AddKind's
  size_t last_kind_ = 0;                // of the schema written last
  size_t hint_ = kNoHint;               // of the one to be written next
  std::string members_;                 // of the schema being written
  std::vector<std::string> names_;
};

}  // namespace

std::string RandomFullSchema(Draft draft, const FullSchemaOptions& options,
                             std::mt19937_64* random) {
  return FullWriter(draft, options, random).Root();
}

}  // namespace maskloom::suites
