// The JSON texts of a schema as a flat table of nodes that keeps byte offsets and parents.
//
// A schema is read once, without recursion, into one array in document order. A node knows its
// parent, its key or index there and where it ends in the text, so that every later stage can name
// the place of a fault as a JSON pointer and as line and column. Documents that the schema refers
// to are appended to the same array when they are first needed; a node's index says which document
// it belongs to.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom {

// An index into the nodes of a SchemaDocument; 0 is the root of the main document.
using JsonIndex = uint32_t;
inline constexpr JsonIndex kNoJson = 0xFFFFFFFF;

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

// Returns the name of a kind for messages: "a string", "an object", ...
const char* JsonKindPhrase(JsonKind kind);

// Invariants: nodes are in document order, document after document; a child comes after its parent;
// the text of strings and keys is well-formed UTF-8. Views of keys and texts stay valid when
// documents are appended.
class SchemaDocument {
 public:
  // Budgets: bytes and nodes of all documents together, depth of each. More is refused by
  // kResourceLimit.
  static constexpr size_t kMaxBytes = size_t{32} << 20;
  static constexpr uint32_t kMaxNodes = 4'000'000;
  static constexpr uint32_t kMaxDepth = 1000;

  // Parses `text`, which must outlive the document.
  // On error: kInvalidDefinition with line, column and caret; kResourceLimit.
  // Cost: linear; no recursion.
  static Result<SchemaDocument> Parse(std::string_view text);
  // Parses `text` as a further document and returns its root. `uri` names it in messages and
  // pointers. On error: as Parse, naming `uri`; the table is as before.
  Result<JsonIndex> Append(std::string uri, std::string text);

  // Returns the root of the document that `node` is in.
  JsonIndex RootOf(JsonIndex node) const {
    return documents_.size() == 1 ? 0 : documents_[DocumentOf(node)].root;
  }
  // Returns "" for the main document, else what it was appended as.
  const std::string& UriOf(JsonIndex node) const { return documents_[DocumentOf(node)].uri; }
  // Members called $id, id, $schema, $anchor, $dynamicAnchor or $recursiveAnchor, in document
  // order: those that may say what a schema is called and which draft it follows.
  const std::vector<JsonIndex>& marks() const { return marks_; }

  JsonKind kind(JsonIndex node) const { return nodes_[node].kind; }
  bool IsObject(JsonIndex node) const { return kind(node) == JsonKind::kObject; }
  bool IsArray(JsonIndex node) const { return kind(node) == JsonKind::kArray; }
  bool IsString(JsonIndex node) const { return kind(node) == JsonKind::kString; }
  bool IsBoolean(JsonIndex node) const {
    return kind(node) == JsonKind::kTrue || kind(node) == JsonKind::kFalse;
  }
  // May the node stand where a schema is expected?
  bool IsSchema(JsonIndex node) const { return IsObject(node) || IsBoolean(node); }

  // Members of an object or items of an array: the first, and the one after `node`.
  JsonIndex first(JsonIndex node) const { return nodes_[node].first; }
  JsonIndex next(JsonIndex node) const { return nodes_[node].next; }
  uint32_t count(JsonIndex node) const { return nodes_[node].count; }
  JsonIndex parent(JsonIndex node) const { return nodes_[node].parent; }
  // Decoded key of a member. Requires: the parent is an object.
  std::string_view key(JsonIndex node) const { return Text(nodes_[node].key); }
  // Position among the members or items of the parent.
  uint32_t position(JsonIndex node) const { return nodes_[node].position; }
  // Decoded text of a string, or the spelling of a number.
  std::string_view text(JsonIndex node) const { return Text(nodes_[node].text); }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  // Returns the member called `name` (the last one, where a name is repeated), or kNoJson.
  JsonIndex Find(JsonIndex object, std::string_view name) const;
  // Returns the JSON pointer of `node` (RFC 6901), behind "<uri>#" outside the main document.
  std::string Pointer(JsonIndex node) const;
  // Returns the node of the main document that has this pointer (the last one, where a name is
  // repeated), or kNoJson.
  JsonIndex AtPointer(std::string_view pointer) const;
  // Returns a status that names `node` by pointer, line and column.
  Status ErrorAt(JsonIndex node, StatusCode code, std::string message) const;

 private:
  friend class DocumentBuilder;
  struct Span {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct Node {
    JsonKind kind = JsonKind::kNull;
    JsonIndex parent = kNoJson;
    JsonIndex first = kNoJson;
    JsonIndex next = kNoJson;
    uint32_t count = 0;
    uint32_t position = 0;
    uint32_t end_offset = 0;  // byte offset behind the value's first token
    Span key;
    Span text;
  };
  struct Document {
    std::string uri;
    std::string_view source;
    std::string owned;  // the source, if it is kept here
    JsonIndex root = 0;
    uint32_t first_character = 0;
    std::string characters;  // decoded keys and strings, spelled numbers
  };

  std::string_view Text(Span span) const {
    if (span.begin < main_size_) return {main_characters_ + span.begin, span.size};
    return TextElsewhere(span);
  }
  std::string_view TextElsewhere(Span span) const;
  size_t DocumentOf(JsonIndex node) const;
  Result<JsonIndex> ParseInto(Document document);
  // Returns where the first token of `node` begins in the source.
  size_t BeginOffset(JsonIndex node) const;

  std::deque<Document> documents_;         // never empty after parsing; does not move its elements
  const char* main_characters_ = nullptr;  // those of the main document
  uint32_t main_size_ = 0;
  size_t bytes_ = 0;  // of all sources
  std::vector<Node> nodes_;
  std::vector<JsonIndex> marks_;
};

// The pointers of many nodes of a document: what they share with the one before is kept.
class PointerPath {
 public:
  // `document` must outlive the path.
  explicit PointerPath(const SchemaDocument* document) : document_(document) {}
  // Returns SchemaDocument::Pointer(node), valid until the next call. Cost: for nodes in document
  // order, about what differs from the one before.
  std::string_view To(JsonIndex node);

 private:
  struct Step {
    JsonIndex node;
    size_t size;  // of the pointer to it
  };
  const SchemaDocument* document_;
  std::vector<Step> steps_;       // from the root of a document down
  std::vector<JsonIndex> below_;  // those that are not in steps_ yet
  std::string pointer_;
};

// Appends `token` to a JSON pointer, escaped by RFC 6901.
void AppendPointerToken(std::string_view token, std::string* pointer);

}  // namespace maskloom
