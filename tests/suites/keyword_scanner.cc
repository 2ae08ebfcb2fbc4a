// Walks schema positions only, so that a property called "format" is no keyword.
#include "tests/suites/keyword_scanner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tests/judge/code_points.h"
#include "tests/judge/json_tree.h"

namespace maskloom::suites {
namespace {

using judge::JsonTree;

// Asserting keywords of drafts 4 to 2020-12 that are not enforced yet.
constexpr std::array<std::u32string_view, 21> kUnlisted = {U"$anchor",
                                                           U"$dynamicAnchor",
                                                           U"$dynamicRef",
                                                           U"$recursiveRef",
                                                           U"additionalItems",
                                                           U"contains",
                                                           U"dependencies",
                                                           U"dependentRequired",
                                                           U"dependentSchemas",
                                                           U"else",
                                                           U"format",
                                                           U"if",
                                                           U"maxContains",
                                                           U"minContains",
                                                           U"multipleOf",
                                                           U"not",
                                                           U"oneOf",
                                                           U"propertyNames",
                                                           U"then",
                                                           U"unevaluatedItems",
                                                           U"unevaluatedProperties"};

std::string Narrow(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) out += judge::EncodeUtf8(c);
  return out;
}

class Scanner {
 public:
  explicit Scanner(const JsonTree& root) : root_(root) { Push(&root_); }

  std::set<std::string> Scan() {
    while (!open_.empty()) {
      const JsonTree* schema = open_.back();
      open_.pop_back();
      for (const auto& [name, value] : schema->members) ScanMember(name, value);
    }
    return std::move(found_);
  }

 private:
  void Push(const JsonTree* schema) {
    if (schema->kind == JsonTree::Kind::kObject && seen_.insert(schema).second) {
      open_.push_back(schema);
    }
  }

  void PushMembers(const JsonTree& value) {
    for (const auto& [name, schema] : value.members) Push(&schema);
  }

  void ScanMember(const std::u32string& name, const JsonTree& value) {
    if (std::find(kUnlisted.begin(), kUnlisted.end(), name) != kUnlisted.end()) {
      found_.insert(Narrow(name));
    }
    if (name == U"uniqueItems" && value.kind == JsonTree::Kind::kTrue) found_.insert("uniqueItems");
    if (name == U"$ref") ScanReference(value);
    if (name == U"pattern") ScanPattern(value.text);
    if (name == U"properties" || name == U"patternProperties" || name == U"$defs" ||
        name == U"definitions") {
      PushMembers(value);
    }
    if (name == U"patternProperties") {
      for (const auto& [pattern, schema] : value.members) ScanPattern(pattern);
    }
    if (name == U"additionalProperties" || name == U"items") Push(&value);
    if (name == U"items" || name == U"prefixItems" || name == U"allOf" || name == U"anyOf") {
      for (const JsonTree& schema : value.items) Push(&schema);
    }
  }

  void ScanReference(const JsonTree& value) {
    const std::u32string& text = value.text;
    if (value.kind != JsonTree::Kind::kString) return;
    if (text.empty() || text[0] != U'#' || (text.size() > 1 && text[1] != U'/')) {
      found_.insert("remote $ref");
      return;
    }
    const JsonTree* at = &root_;
    for (size_t begin = 2; begin <= text.size() && text.size() > 1 && at != nullptr;) {
      size_t end = std::min(text.find(U'/', begin), text.size());
      at = Child(*at, Unescape(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (at != nullptr) Push(at);
  }

  static const JsonTree* Child(const JsonTree& parent, const std::u32string& name) {
    if (parent.kind == JsonTree::Kind::kObject) return parent.Find(name);
    size_t index = 0;
    for (char32_t c : name) index = index * 10 + static_cast<size_t>(c - U'0');
    return index < parent.items.size() ? &parent.items[index] : nullptr;
  }

  // Undoes ~0, ~1 and %XX of ASCII.
  static std::u32string Unescape(const std::u32string& part) {
    std::u32string plain;
    for (size_t i = 0; i < part.size(); ++i) {
      if (part[i] == U'%' && i + 2 < part.size()) {
        std::string digits = Narrow(part.substr(i + 1, 2));
        plain += static_cast<char32_t>(std::strtoul(digits.c_str(), nullptr, 16));
        i += 2;
      } else {
        plain += part[i];
      }
    }
    std::u32string out;
    for (size_t i = 0; i < plain.size(); ++i) {
      bool escape = plain[i] == U'~' && i + 1 < plain.size();
      out += !escape ? plain[i] : plain[i + 1] == U'1' ? U'/' : U'~';
      if (escape) ++i;
    }
    return out;
  }

  void ScanPattern(const std::u32string& pattern) {
    bool in_class = false;
    for (size_t i = 0; i + 1 < pattern.size(); ++i) {
      char32_t next = pattern[i + 1];
      if (pattern[i] == U'\\') {
        ++i;
        if (next == U'p' || next == U'P') found_.insert("\\p");
        if (!in_class && (next == U'b' || next == U'B')) found_.insert("\\b");
        if (!in_class && ((next >= U'1' && next <= U'9') || next == U'k')) {
          found_.insert("back-reference");
        }
        continue;
      }
      if (pattern[i] == U'[') in_class = true;
      if (pattern[i] == U']') in_class = false;
      if (in_class || pattern[i] != U'(' || next != U'?' || i + 2 >= pattern.size()) continue;
      char32_t kind = pattern[i + 2];
      char32_t behind = i + 3 < pattern.size() ? pattern[i + 3] : U'\0';
      bool look_behind = kind == U'<' && (behind == U'=' || behind == U'!');
      if (kind == U'=' || kind == U'!' || look_behind) found_.insert("look-around");
    }
  }

  const JsonTree& root_;
  std::vector<const JsonTree*> open_;
  std::set<const JsonTree*> seen_;
  std::set<std::string> found_;
};

}  // namespace

std::set<std::string> UnlistedIn(std::string_view schema) {
  auto tree = judge::ParseJsonTree(schema);
  if (!tree.ok()) return {"malformed"};
  return Scanner(*tree).Scan();
}

}  // namespace maskloom::suites
