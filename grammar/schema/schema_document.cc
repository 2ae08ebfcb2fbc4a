// Reads JSON text by RapidJSON's iterative SAX parser into the node table.
#include "grammar/schema/schema_document.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/base/utf8.h"

namespace maskloom {

// Receives the parser's events. A callback returns false to stop; `problem_` then says why.
class DocumentBuilder {
 public:
  // Adds to `table` what belongs to its last document. Numbers are taken from `source`, which
  // agrees with the stream in all else.
  DocumentBuilder(SchemaDocument* table, std::string_view source,
                  const rapidjson::MemoryStream* stream)
      : table_(table), document_(&table->documents_.back()), source_(source), stream_(stream) {}

  bool Null() { return Add(JsonKind::kNull) != kNoJson; }
  bool Bool(bool value) { return Add(value ? JsonKind::kTrue : JsonKind::kFalse) != kNoJson; }
  bool RawNumber(const char*, rapidjson::SizeType size, bool) {
    return AddText(JsonKind::kNumber, source_.data() + stream_->Tell() - size, size);
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return CheckText(text, size) && AddText(JsonKind::kString, text, size);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!CheckText(text, size)) return false;
    key_ = Store(text, size);
    is_mark_ = IsMark({text, size});
    return true;
  }
  bool StartObject() { return Open(JsonKind::kObject); }
  bool StartArray() { return Open(JsonKind::kArray); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }
  // Numbers arrive as text only.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

  const Status& problem() const { return problem_; }

 private:
  struct Level {
    JsonIndex node;
    JsonIndex last_child = kNoJson;
  };

  static bool IsMark(std::string_view key) {
    if (key.size() < 2 || (key[0] != '$' && key[0] != 'i')) return false;
    return key == "id" || key == "$id" || key == "$schema" || key == "$anchor" ||
           key == "$dynamicAnchor" || key == "$recursiveAnchor";
  }
  bool CheckText(const char* text, size_t size) {
    if (FindInvalidUtf8({text, size}) == std::string_view::npos) return true;
    problem_ = Status(StatusCode::kInvalidDefinition,
                      "malformed JSON: a \\u escape names half of a surrogate pair");
    return false;
  }
  SchemaDocument::Span Store(const char* text, size_t size) {
    const size_t begin = document_->first_character + document_->characters.size();
    SchemaDocument::Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(size)};
    document_->characters.append(text, size);
    return span;
  }
  JsonIndex Add(JsonKind kind) {
    auto& nodes = table_->nodes_;
    if (nodes.size() >= Budget(SchemaDocument::kMaxNodes)) {
      problem_ = Status(StatusCode::kResourceLimit, "the schema has more than " +
                                                        std::to_string(SchemaDocument::kMaxNodes) +
                                                        " JSON values, which is the limit");
      return kNoJson;
    }
    JsonIndex index = static_cast<JsonIndex>(nodes.size());
    SchemaDocument::Node node;
    node.kind = kind;
    node.end_offset = static_cast<uint32_t>(stream_->Tell());
    if (!levels_.empty()) {
      Level& level = levels_.back();
      auto& parent = nodes[level.node];
      node.parent = level.node;
      node.position = parent.count++;
      node.key = std::exchange(key_, {});
      if (std::exchange(is_mark_, false)) table_->marks_.push_back(index);
      (level.last_child == kNoJson ? parent.first : nodes[level.last_child].next) = index;
      level.last_child = index;
    }
    nodes.push_back(node);
    return index;
  }
  bool AddText(JsonKind kind, const char* text, size_t size) {
    JsonIndex index = Add(kind);
    if (index == kNoJson) return false;
    table_->nodes_[index].text = Store(text, size);
    return true;
  }
  bool Open(JsonKind kind) {
    if (levels_.size() >= Budget(SchemaDocument::kMaxDepth)) {
      problem_ =
          Status(StatusCode::kResourceLimit,
                 "the schema is nested deeper than " + std::to_string(SchemaDocument::kMaxDepth) +
                     " levels, which is the limit; move inner parts to $defs and refer "
                     "to them by $ref");
      return false;
    }
    JsonIndex index = Add(kind);
    if (index == kNoJson) return false;
    ++table_->nodes_[index].end_offset;  // the parser has not taken the bracket yet
    levels_.push_back({index});
    return true;
  }
  bool Close() {
    levels_.pop_back();
    return true;
  }

  SchemaDocument* table_;
  SchemaDocument::Document* document_;
  std::string_view source_;
  const rapidjson::MemoryStream* stream_;
  std::vector<Level> levels_;
  SchemaDocument::Span key_;
  bool is_mark_ = false;
  Status problem_;
};

namespace {

// Returns the end of the JSON number at `begin`, or `begin` if none is there.
size_t NumberEnd(std::string_view text, size_t begin) {
  size_t at = begin;
  auto is = [&](char c) { return at < text.size() && text[at] == c; };
  auto digits = [&] {
    size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at > first;
  };
  if (is('-')) ++at;
  if (is('0')) {
    ++at;
  } else if (!digits()) {
    return begin;
  }
  if (is('.')) {
    ++at;
    if (!digits()) return begin;
  }
  if (is('e') || is('E')) {
    ++at;
    if (is('+') || is('-')) ++at;
    if (!digits()) return begin;
  }
  return at;
}

// Copies `text` with a zero of the same length in place of each number that may lie beyond the
// range of double, which the parser refuses although it hands numbers over as text.
std::string WithoutLargeNumbers(std::string_view text) {
  constexpr size_t kSafeDigits = 300;
  std::string copy(text);
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (in_string && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[at] == '-' || (text[at] >= '0' && text[at] <= '9'))) {
      size_t end = NumberEnd(text, at);
      if (end == at) continue;
      std::string_view number = text.substr(at, end - at);
      if (number.size() > kSafeDigits || number.find_first_of("eE") != std::string_view::npos) {
        copy.replace(at, number.size(), "0." + std::string(number.size() - 2, '0'));
      }
      at = end - 1;
    }
  }
  return copy;
}

}  // namespace

const char* JsonKindPhrase(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "a value";
}

Result<SchemaDocument> SchemaDocument::Parse(std::string_view text) {
  SchemaDocument table;
  Document document;
  document.source = text;
  Result<JsonIndex> root = table.ParseInto(std::move(document));
  if (!root.ok()) return root.status();
  return table;
}

Result<JsonIndex> SchemaDocument::Append(std::string uri, std::string text) {
  Document document;
  document.uri = std::move(uri);
  document.owned = std::move(text);
  return ParseInto(std::move(document));
}

Result<JsonIndex> SchemaDocument::ParseInto(Document added) {
  documents_.push_back(std::move(added));
  Document& document = documents_.back();
  if (document.source.data() == nullptr) document.source = document.owned;
  if (documents_.size() > 1) {
    const Document& before = documents_[documents_.size() - 2];
    document.first_character =
        before.first_character + static_cast<uint32_t>(before.characters.size());
  }
  std::string_view& text = document.source;
  const size_t first_node = nodes_.size();
  const size_t first_mark = marks_.size();
  document.root = static_cast<JsonIndex>(first_node);
  auto reset = [&] {
    nodes_.resize(first_node);
    marks_.resize(first_mark);
    document.characters.clear();
  };
  auto fault = [&](StatusCode code, std::string message, size_t offset) {
    if (!document.uri.empty()) message = "in \"" + document.uri + "\": " + message;
    Status status(code, std::move(message));
    status.AtOffset(std::string(text), offset);
    reset();
    documents_.pop_back();
    return status;
  };
  if (text.size() > kMaxBytes - bytes_) {
    std::string message = "the schema has " + std::to_string(bytes_ + text.size()) +
                          " bytes; the limit is " + std::to_string(kMaxBytes);
    documents_.pop_back();
    return Status(StatusCode::kResourceLimit, std::move(message));
  }
  // Some editors put a byte order mark in front; RFC 8259 section 8.1 lets readers ignore it.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (size_t offset = FindInvalidUtf8(text); offset != std::string_view::npos) {
    return fault(StatusCode::kInvalidDefinition, "the schema is not well-formed UTF-8", offset);
  }
  if (size_t offset = text.find('\0'); offset != std::string_view::npos) {
    return fault(StatusCode::kInvalidDefinition, "malformed JSON: a NUL character", offset);
  }
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  nodes_.reserve(first_node + text.size() / 12 + 1);
  document.characters.reserve(text.size() / 2);
  std::string copy;  // made when a number does not fit a double
  for (std::string_view parsed = text;; parsed = copy) {
    reset();
    rapidjson::MemoryStream stream(parsed.data(), parsed.size());
    DocumentBuilder builder(this, text, &stream);
    rapidjson::Reader reader;
    reader.Parse<kFlags>(stream, builder);
    if (!builder.problem().ok()) {
      return fault(builder.problem().code(), builder.problem().message(), stream.Tell());
    }
    if (!reader.HasParseError()) break;
    rapidjson::ParseErrorCode code = reader.GetParseErrorCode();
    if (code != rapidjson::kParseErrorNumberTooBig || !copy.empty()) {
      return fault(StatusCode::kInvalidDefinition,
                   std::string("malformed JSON: ") + rapidjson::GetParseError_En(code),
                   reader.GetErrorOffset());
    }
    copy = WithoutLargeNumbers(text);
  }
  bytes_ += text.size();
  if (documents_.size() == 1) {
    main_characters_ = document.characters.data();
    main_size_ = static_cast<uint32_t>(document.characters.size());
  }
  return document.root;
}

size_t SchemaDocument::DocumentOf(JsonIndex node) const {
  size_t document = documents_.size() - 1;
  while (documents_[document].root > node) --document;
  return document;
}

std::string_view SchemaDocument::TextElsewhere(Span span) const {
  if (span.size == 0) return {};
  size_t document = documents_.size() - 1;
  while (documents_[document].first_character > span.begin) --document;
  return std::string_view(documents_[document].characters)
      .substr(span.begin - documents_[document].first_character, span.size);
}

JsonIndex SchemaDocument::Find(JsonIndex object, std::string_view name) const {
  JsonIndex found = kNoJson;
  for (JsonIndex child = first(object); child != kNoJson; child = next(child)) {
    if (key(child) == name) found = child;
  }
  return found;
}

void AppendPointerToken(std::string_view token, std::string* pointer) {
  pointer->push_back('/');
  if (token.find_first_of("~/") == std::string_view::npos) {
    pointer->append(token);
    return;
  }
  for (char c : token) {
    if (c == '~') {
      pointer->append("~0");
    } else if (c == '/') {
      pointer->append("~1");
    } else {
      pointer->push_back(c);
    }
  }
}

std::string SchemaDocument::Pointer(JsonIndex node) const {
  return std::string(PointerPath(this).To(node));
}

std::string_view PointerPath::To(JsonIndex node) {
  below_.clear();
  // Parents have smaller indices, so the deepest step is above `node` or beside its path.
  while (node != kNoJson && (steps_.empty() || steps_.back().node != node)) {
    if (!steps_.empty() && steps_.back().node > node) {
      steps_.pop_back();
    } else {
      below_.push_back(node);
      node = document_->parent(node);
    }
  }
  if (node == kNoJson) steps_.clear();
  pointer_.resize(steps_.empty() ? 0 : steps_.back().size);
  for (size_t i = below_.size(); i-- > 0;) {
    const JsonIndex next = below_[i];
    const JsonIndex parent = document_->parent(next);
    if (parent == kNoJson) {
      const std::string& uri = document_->UriOf(next);
      if (!uri.empty()) pointer_ = uri + "#";
    } else if (document_->IsObject(parent)) {
      AppendPointerToken(document_->key(next), &pointer_);
    } else {
      AppendPointerToken(std::to_string(document_->position(next)), &pointer_);
    }
    steps_.push_back({next, pointer_.size()});
  }
  return pointer_;
}

JsonIndex SchemaDocument::AtPointer(std::string_view pointer) const {
  JsonIndex node = 0;
  size_t size = 0;  // of the part that is followed
  while (size < pointer.size()) {
    // Members of one name have one pointer: the last counts.
    JsonIndex inner = kNoJson;
    size_t inner_size = 0;
    for (JsonIndex child = first(node); child != kNoJson; child = next(child)) {
      std::string token;
      AppendPointerToken(IsObject(node) ? key(child) : std::to_string(position(child)), &token);
      const std::string_view rest = pointer.substr(size);
      if (!rest.starts_with(token)) continue;
      if (rest.size() > token.size() && rest[token.size()] != '/') continue;
      inner = child;
      inner_size = token.size();
    }
    if (inner == kNoJson) return kNoJson;
    node = inner;
    size += inner_size;
  }
  return node;
}

size_t SchemaDocument::BeginOffset(JsonIndex node) const {
  size_t end = nodes_[node].end_offset;
  switch (kind(node)) {
    case JsonKind::kObject:
    case JsonKind::kArray:
      return end - 1;
    case JsonKind::kNumber:
      return end - text(node).size();
    case JsonKind::kNull:
    case JsonKind::kTrue:
      return end - 4;
    case JsonKind::kFalse:
      return end - 5;
    case JsonKind::kString:
      break;
  }
  const std::string_view source = documents_[DocumentOf(node)].source;
  // The opening quote is the nearest one before the closing quote that is not escaped.
  for (size_t i = end - 1; i-- > 0;) {
    if (source[i] != '"') continue;
    size_t slashes = 0;
    while (slashes < i && source[i - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return i;
  }
  return end;
}

Status SchemaDocument::ErrorAt(JsonIndex node, StatusCode code, std::string message) const {
  Status status(code, std::move(message));
  status.WithPointer(Pointer(node));
  status.AtOffset(std::string(documents_[DocumentOf(node)].source), BeginOffset(node));
  return status;
}

}  // namespace maskloom
