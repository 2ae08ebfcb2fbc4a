// Builds JsonTree from RapidJSON's events.
#include "tests/judge/json_tree.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "tests/judge/code_points.h"
#include "tests/judge/number_prefix.h"

namespace maskloom::judge {
namespace {

class TreeBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TreeBuilder> {
 public:
  bool Null() { return Put(JsonTree::Kind::kNull) != nullptr; }
  bool Bool(bool value) {
    return Put(value ? JsonTree::Kind::kTrue : JsonTree::Kind::kFalse) != nullptr;
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    JsonTree* value = Put(JsonTree::Kind::kNumber);
    value->number.assign(text, length);
    return true;
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    auto decoded = DecodeUtf8({text, length});
    if (!decoded) return false;
    Put(JsonTree::Kind::kString)->text = *decoded;
    return true;
  }
  bool StartObject() {
    open_.push_back(Put(JsonTree::Kind::kObject));
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    auto decoded = DecodeUtf8({text, length});
    if (!decoded) return false;
    open_.back()->members.emplace_back(*decoded, JsonTree());
    return true;
  }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() {
    open_.push_back(Put(JsonTree::Kind::kArray));
    return true;
  }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  JsonTree root;

 private:
  bool Close() {
    open_.pop_back();
    return true;
  }
  JsonTree* Put(JsonTree::Kind kind) {
    JsonTree* place = &root;
    if (!open_.empty()) {
      JsonTree* parent = open_.back();
      if (parent->kind == JsonTree::Kind::kArray) {
        parent->items.emplace_back();
        place = &parent->items.back();
      } else {
        place = &parent->members.back().second;
      }
    }
    place->kind = kind;
    return place;
  }

  // Ancestors of the place being filled: they do not move while they are open.
  std::vector<JsonTree*> open_;
};

}  // namespace

const JsonTree* JsonTree::Find(std::u32string_view name) const {
  for (size_t i = members.size(); i-- > 0;) {
    if (members[i].first == name) return &members[i].second;
  }
  return nullptr;
}

bool JsonTree::operator==(const JsonTree& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::kNumber) {
    return ExactDecimal::FromText(number).Compare(ExactDecimal::FromText(other.number)) == 0;
  }
  if (kind == Kind::kString) return text == other.text;
  if (kind == Kind::kArray) return items == other.items;
  if (kind == Kind::kObject) {
    if (members.size() != other.members.size()) return false;
    for (const auto& [name, value] : members) {
      const JsonTree* theirs = other.Find(name);
      if (theirs == nullptr || !(value == *theirs)) return false;
    }
  }
  return true;
}

std::string ToJsonText(const std::u32string& text) {
  std::string out = "\"";
  for (char32_t c : text) {
    if (c == U'"' || c == U'\\') {
      out += std::string("\\") + static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += EncodeUtf8(c);
    }
  }
  return out + "\"";
}

std::string ToJsonText(const JsonTree& value) {
  std::string list;
  switch (value.kind) {
    case JsonTree::Kind::kNull:
      return "null";
    case JsonTree::Kind::kTrue:
      return "true";
    case JsonTree::Kind::kFalse:
      return "false";
    case JsonTree::Kind::kNumber:
      return value.number;
    case JsonTree::Kind::kString:
      return ToJsonText(value.text);
    case JsonTree::Kind::kArray:
      for (const JsonTree& item : value.items) list += (list.empty() ? "" : ",") + ToJsonText(item);
      return "[" + list + "]";
    default:
      for (const auto& [name, member] : value.members) {
        list += (list.empty() ? "" : ",") + ToJsonText(name) + ":" + ToJsonText(member);
      }
      return "{" + list + "}";
  }
}

Result<JsonTree> ParseJsonTree(std::string_view text) {
  // A zero byte would end RapidJSON's stream; it is nowhere part of a JSON text.
  if (text.find('\0') != std::string_view::npos) {
    return Status(StatusCode::kInvalidDefinition, "malformed JSON: a zero byte");
  }
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  TreeBuilder builder;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag;
  auto result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    Status status(StatusCode::kInvalidDefinition,
                  std::string("malformed JSON: ") + rapidjson::GetParseError_En(result.Code()));
    status.AtOffset(std::string(text), result.Offset());
    return status;
  }
  return std::move(builder.root);
}

}  // namespace maskloom::judge
