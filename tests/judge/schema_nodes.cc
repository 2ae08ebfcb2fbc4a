// Reads the keywords of a JSON Schema into nodes.
#include "tests/judge/schema_nodes.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace maskloom::judge {
namespace {

using Kind = JsonTree::Kind;
constexpr int kMaxDepth = 3000;

const std::set<std::u32string>& RefusedKeywords() {
  static const auto* words = new std::set<std::u32string>{U"format",
                                                          U"uniqueItems",
                                                          U"oneOf",
                                                          U"not",
                                                          U"if",
                                                          U"then",
                                                          U"else",
                                                          U"contains",
                                                          U"minContains",
                                                          U"maxContains",
                                                          U"dependentRequired",
                                                          U"dependentSchemas",
                                                          U"dependencies",
                                                          U"propertyNames",
                                                          U"multipleOf",
                                                          U"additionalItems",
                                                          U"unevaluatedItems",
                                                          U"unevaluatedProperties",
                                                          U"$dynamicRef",
                                                          U"$dynamicAnchor",
                                                          U"$recursiveRef",
                                                          U"$recursiveAnchor",
                                                          U"$anchor",
                                                          U"extends",
                                                          U"disallow",
                                                          U"divisibleBy",
                                                          U"contentSchema",
                                                          U"$vocabulary"};
  return *words;
}

std::string ToUtf8(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) out += EncodeUtf8(c);
  return out;
}

std::string PointerToken(std::u32string_view name) {
  std::string out = "/";
  for (char c : ToUtf8(name)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

class SchemaReader {
 public:
  SchemaReader(const JsonTree& root, RegexPool* pool) : root_(root), pool_(pool) {}

  Result<SchemaNodes> Read() {
    if (root_.kind == Kind::kObject) {
      const JsonTree* draft = root_.Find(U"$schema");
      if (draft != nullptr && draft->kind == Kind::kString) {
        for (const char32_t* old : {U"draft-04", U"draft-06", U"draft-07"}) {
          ref_alone_ = ref_alone_ || draft->text.find(old) != std::u32string::npos;
        }
        plain_integers_ = draft->text.find(U"draft-04") != std::u32string::npos;
      }
    }
    out_.root = NodeOf(root_, "", 0);
    // References may name places that were not read yet; reading those may add more.
    for (size_t i = 0; status_.ok() && i < references_.size(); ++i) {
      auto [node, target, where] = references_[i];
      const JsonTree* place = Resolve(target, where);
      if (place == nullptr) break;
      NodeIndex index = NodeOf(*place, target, 0);
      out_.nodes[node].all_of.insert(out_.nodes[node].all_of.begin(), index);
    }
    if (status_.ok() && nested_id_ && !references_.empty()) {
      Fail("$ref beside a nested $id is not supported", "", StatusCode::kUnsupported);
    }
    if (!status_.ok()) return status_;
    return std::move(out_);
  }

 private:
  struct Reference {
    NodeIndex node;
    std::string target;
    std::string where;
  };

  void Fail(const std::string& message, const std::string& pointer,
            StatusCode code = StatusCode::kInvalidDefinition) {
    if (status_.ok()) status_ = Status(code, message).WithPointer(pointer);
  }

  const JsonTree* Resolve(const std::string& target, const std::string& where) {
    std::string decoded;
    if (target.empty() || target[0] != '#') {
      Fail("$ref is not local: " + target, where, StatusCode::kUnsupported);
      return nullptr;
    }
    for (size_t i = 1; i < target.size(); ++i) {
      if (target[i] == '%' && i + 2 < target.size()) {
        decoded += static_cast<char>(std::strtol(target.substr(i + 1, 2).c_str(), nullptr, 16));
        i += 2;
      } else {
        decoded += target[i];
      }
    }
    const JsonTree* place = &root_;
    if (decoded.empty()) return place;
    if (decoded[0] != '/') {
      Fail("dangling $ref: " + target, where);
      return nullptr;
    }
    size_t at = 0;
    while (at < decoded.size()) {
      size_t end = std::min(decoded.find('/', at + 1), decoded.size());
      std::string token;
      for (size_t i = at + 1; i < end; ++i) {
        if (decoded[i] == '~' && i + 1 < end && (decoded[i + 1] == '0' || decoded[i + 1] == '1')) {
          token += decoded[++i] == '0' ? '~' : '/';
        } else {
          token += decoded[i];
        }
      }
      const JsonTree* next = nullptr;
      if (place->kind == Kind::kObject) {
        auto name = DecodeUtf8(token);
        if (name) next = place->Find(*name);
      } else if (place->kind == Kind::kArray && !token.empty() && token.size() < 9 &&
                 token.find_first_not_of("0123456789") == std::string::npos) {
        size_t index = std::stoul(token);
        if (index < place->items.size()) next = &place->items[index];
      }
      if (next == nullptr) {
        Fail("dangling $ref: " + target, where);
        return nullptr;
      }
      place = next;
      at = end;
    }
    return place;
  }

  NodeIndex NewNode() {
    out_.nodes.emplace_back();
    return static_cast<NodeIndex>(out_.nodes.size() - 1);
  }

  NodeIndex NodeOf(const JsonTree& schema, const std::string& at, int depth) {
    auto known = index_.find(&schema);
    if (known != index_.end()) return known->second;
    NodeIndex index = NewNode();
    index_[&schema] = index;
    if (depth > kMaxDepth) {
      Fail("schemas nested too deep", at, StatusCode::kResourceLimit);
    } else if (schema.kind == Kind::kFalse) {
      out_.nodes[index].never = true;
    } else if (schema.kind == Kind::kObject) {
      ReadKeywords(schema, index, at, depth);
    } else if (schema.kind != Kind::kTrue) {
      Fail("a schema is an object or a boolean", at);
    }
    return index;
  }

  void ReadKeywords(const JsonTree& schema, NodeIndex index, const std::string& at, int depth) {
    const JsonTree* ref = schema.Find(U"$ref");
    if (ref != nullptr) {
      if (ref->kind != Kind::kString) return Fail("$ref is a string", at + "/$ref");
      references_.push_back({index, ToUtf8(ref->text), at + "/$ref"});
      if (ref_alone_) return;
    }
    for (const auto& [name, value] : schema.members) {
      if (!status_.ok()) return;
      ReadKeyword(schema, name, value, index, at + PointerToken(name), depth);
    }
  }

  bool Count(const JsonTree& value, const std::string& at, uint64_t* out) {
    ExactDecimal number = ExactDecimal::FromText(value.number);
    if (value.kind != Kind::kNumber || number.negative || !number.IsInteger()) {
      Fail("a non-negative integer is expected", at);
      return false;
    }
    *out = 0;
    for (int64_t i = 0; i < number.exponent; ++i) {
      uint64_t digit = i < static_cast<int64_t>(number.digits.size()) ? number.digits[i] - '0' : 0;
      if (*out > (uint64_t{1} << 58)) break;
      *out = *out * 10 + digit;
    }
    return true;
  }

  std::vector<NodeIndex> List(const JsonTree& value, const std::string& at, int depth) {
    std::vector<NodeIndex> list;
    if (value.kind != Kind::kArray) Fail("an array of schemas is expected", at);
    for (size_t i = 0; i < value.items.size(); ++i) {
      list.push_back(NodeOf(value.items[i], at + "/" + std::to_string(i), depth + 1));
    }
    return list;
  }

  static uint32_t TypeBits(std::u32string_view name, bool* integer) {
    *integer = name == U"integer";
    if (name == U"null") return kNullBit;
    if (name == U"boolean") return kTrueBit | kFalseBit;
    if (name == U"number" || name == U"integer") return kNumberBit;
    if (name == U"string") return kStringBit;
    if (name == U"array") return kArrayBit;
    if (name == U"object") return kObjectBit;
    return 0;
  }

  void ReadType(const JsonTree& value, NodeIndex index, const std::string& at) {
    std::vector<JsonTree> one = {value};
    const std::vector<JsonTree>& names = value.kind == Kind::kArray ? value.items : one;
    uint32_t types = 0;
    bool any_integer = false;
    bool any_number = false;
    for (const JsonTree& name : names) {
      bool integer = false;
      uint32_t bits = name.kind == Kind::kString ? TypeBits(name.text, &integer) : 0;
      if (bits == 0) return Fail("unknown type", at);
      types |= bits;
      any_integer = any_integer || integer;
      any_number = any_number || (bits == kNumberBit && !integer);
    }
    if (names.empty()) return Fail("type lists no type", at);
    if (plain_integers_ && any_integer && !any_number) {
      return Fail("integers by their spelling are not supported", at, StatusCode::kUnsupported);
    }
    out_.nodes[index].types = types;
    out_.nodes[index].number.integer = any_integer && !any_number;
  }

  // A node whose only value is `value`.
  NodeIndex ConstNode(const JsonTree& value) {
    NodeIndex index = NewNode();
    if (value.kind == Kind::kArray) {
      std::vector<NodeIndex> items;
      for (const JsonTree& item : value.items) items.push_back(ConstNode(item));
      SchemaNode& node = out_.nodes[index];
      node.types = kArrayBit;
      node.min_items = node.max_items = items.size();
      node.prefix_items = items;
    } else if (value.kind == Kind::kObject) {
      std::map<std::u32string, NodeIndex> members;
      std::vector<std::u32string> order;
      for (const auto& [name, member] : value.members) {
        if (!members.count(name)) order.push_back(name);
        members[name] = ConstNode(member);
      }
      NodeIndex closed = NewNode();
      out_.nodes[closed].never = true;
      SchemaNode& node = out_.nodes[index];
      node.types = kObjectBit;
      for (const auto& name : order) node.properties.emplace_back(name, members[name]);
      node.required = order;
      node.additional = closed;
    } else {
      SchemaNode& node = out_.nodes[index];
      switch (value.kind) {
        case Kind::kNull:
          node.types = kNullBit;
          break;
        case Kind::kTrue:
          node.types = kTrueBit;
          break;
        case Kind::kFalse:
          node.types = kFalseBit;
          break;
        case Kind::kNumber:
          node.types = kNumberBit;
          node.number.one_of = {ExactDecimal::FromText(value.number)};
          break;
        default:
          node.types = kStringBit;
          node.strings = {value.text};
          break;
      }
    }
    return index;
  }

  void ReadEnum(const std::vector<JsonTree>& values, NodeIndex index) {
    std::set<std::u32string> strings;
    std::vector<ExactDecimal> numbers;
    std::vector<NodeIndex> choices;
    for (const JsonTree& value : values) {
      if (value.kind == Kind::kString) {
        strings.insert(value.text);
      } else if (value.kind == Kind::kNumber) {
        numbers.push_back(ExactDecimal::FromText(value.number));
      } else {
        choices.push_back(ConstNode(value));
      }
    }
    if (!strings.empty()) {
      choices.push_back(NewNode());
      out_.nodes.back().types = kStringBit;
      out_.nodes.back().strings.emplace(strings.begin(), strings.end());
    }
    if (!numbers.empty()) {
      choices.push_back(NewNode());
      out_.nodes.back().types = kNumberBit;
      out_.nodes.back().number.one_of = numbers;
    }
    out_.nodes[index].any_of.push_back(choices);
  }

  void ReadBound(const JsonTree& schema, const std::u32string& name, const JsonTree& value,
                 NodeIndex index, const std::string& at) {
    bool lower = name == U"minimum" || name == U"exclusiveMinimum";
    bool exclusive = name == U"exclusiveMinimum" || name == U"exclusiveMaximum";
    bool flag = value.kind == Kind::kTrue || value.kind == Kind::kFalse;
    if (exclusive && flag) return;  // draft 4: a flag on the other keyword
    if (value.kind != Kind::kNumber) return Fail("a number is expected", at);
    const JsonTree* beside = schema.Find(lower ? U"exclusiveMinimum" : U"exclusiveMaximum");
    if (beside != nullptr && beside->kind == Kind::kTrue) exclusive = true;
    NumberRule::Bound bound{ExactDecimal::FromText(value.number), exclusive};
    if (lower) {
      out_.nodes[index].number.JoinLower(bound);
    } else {
      out_.nodes[index].number.JoinUpper(bound);
    }
  }

  void ReadMembers(const std::u32string& name, const JsonTree& value, NodeIndex index,
                   const std::string& at, int depth) {
    if (value.kind != Kind::kObject) return Fail("an object of schemas is expected", at);
    for (const auto& [key, schema] : value.members) {
      NodeIndex member = NodeOf(schema, at + PointerToken(key), depth + 1);
      if (name == U"properties") {
        out_.nodes[index].properties.emplace_back(key, member);
      } else if (name == U"patternProperties") {
        auto regex = pool_->ParseSearch(ToUtf8(key));
        if (!regex.ok()) return Fail(regex.status().message(), at, regex.status().code());
        out_.nodes[index].pattern_properties.emplace_back(*regex, member);
      }
    }
  }

  void ReadKeyword(const JsonTree& schema, const std::u32string& name, const JsonTree& value,
                   NodeIndex index, const std::string& at, int depth) {
    uint64_t count = 0;
    if (name == U"type") {
      ReadType(value, index, at);
    } else if (name == U"enum") {
      if (value.kind != Kind::kArray) return Fail("enum is an array", at);
      ReadEnum(value.items, index);
    } else if (name == U"const") {
      ReadEnum({value}, index);
    } else if (name == U"minimum" || name == U"maximum" || name == U"exclusiveMinimum" ||
               name == U"exclusiveMaximum") {
      ReadBound(schema, name, value, index, at);
    } else if (name == U"minLength") {
      if (Count(value, at, &count)) out_.nodes[index].min_length = count;
    } else if (name == U"maxLength") {
      if (Count(value, at, &count)) out_.nodes[index].max_length = count;
    } else if (name == U"minItems") {
      if (Count(value, at, &count)) out_.nodes[index].min_items = count;
    } else if (name == U"maxItems") {
      if (Count(value, at, &count)) out_.nodes[index].max_items = count;
    } else if (name == U"minProperties") {
      if (Count(value, at, &count)) out_.nodes[index].min_properties = count;
    } else if (name == U"maxProperties") {
      if (Count(value, at, &count)) out_.nodes[index].max_properties = count;
    } else if (name == U"pattern") {
      if (value.kind != Kind::kString) return Fail("pattern is a string", at);
      auto regex = pool_->ParseSearch(ToUtf8(value.text));
      if (!regex.ok()) return Fail(regex.status().message(), at, regex.status().code());
      out_.nodes[index].patterns.push_back(*regex);
    } else if (name == U"prefixItems" || (name == U"items" && value.kind == Kind::kArray)) {
      std::vector<NodeIndex> list = List(value, at, depth);
      out_.nodes[index].prefix_items = list;
    } else if (name == U"items" || name == U"additionalProperties") {
      NodeIndex node = NodeOf(value, at, depth + 1);
      (name == U"items" ? out_.nodes[index].items : out_.nodes[index].additional) = node;
    } else if (name == U"properties" || name == U"patternProperties" || name == U"$defs" ||
               name == U"definitions") {
      ReadMembers(name, value, index, at, depth);
    } else if (name == U"required") {
      if (value.kind != Kind::kArray) return Fail("required is an array of strings", at);
      for (const JsonTree& key : value.items) {
        if (key.kind != Kind::kString) return Fail("required is an array of strings", at);
        out_.nodes[index].required.push_back(key.text);
      }
    } else if (name == U"allOf") {
      std::vector<NodeIndex> list = List(value, at, depth);
      auto& all = out_.nodes[index].all_of;
      all.insert(all.end(), list.begin(), list.end());
    } else if (name == U"anyOf") {
      std::vector<NodeIndex> list = List(value, at, depth);
      out_.nodes[index].any_of.push_back(list);
    } else if ((name == U"$id" || name == U"id") && !at.empty() && &schema != &root_) {
      if (value.kind == Kind::kString && value.text.find(U'#') != 0) nested_id_ = true;
    } else if (RefusedKeywords().count(name)) {
      Fail(ToUtf8(name) + " is not supported", at, StatusCode::kUnsupported);
    }
  }

  const JsonTree& root_;
  RegexPool* pool_;
  SchemaNodes out_;
  std::map<const JsonTree*, NodeIndex> index_;
  std::vector<Reference> references_;
  bool ref_alone_ = false;
  bool plain_integers_ = false;  // draft-04: an integer has no fraction and no exponent
  bool nested_id_ = false;
  Status status_;
};

}  // namespace

Result<SchemaNodes> ReadSchema(const JsonTree& schema, RegexPool* pool) {
  return SchemaReader(schema, pool).Read();
}

}  // namespace maskloom::judge
