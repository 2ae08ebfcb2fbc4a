// URI fragments (RFC 3986) to JSON pointers (RFC 6901) to nodes.
#include "grammar/schema/references.h"

#include <optional>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Undoes %xx. Returns nothing where a % is not followed by two hexadecimal digits.
std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    int high = HexDigit(text[i + 1]);
    int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

// Undoes ~0 and ~1. Returns nothing where a ~ is followed by something else.
std::optional<std::string> DecodePointerToken(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out.push_back(token[i]);
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    out.push_back(token[i] == '0' ? '~' : '/');
  }
  return out;
}

std::string_view WithoutEmptyFragment(std::string_view uri) {
  if (!uri.empty() && uri.back() == '#') uri.remove_suffix(1);
  return uri;
}

}  // namespace

std::string_view ReferenceResolver::IdentifierOf(JsonIndex node) const {
  if (!document_->IsObject(node)) return "";
  if (reference_stands_alone_ && document_->Find(node, "$ref") != kNoJson) return "";
  JsonIndex id = document_->Find(node, id_keyword_);
  if (id == kNoJson || !document_->IsString(id)) return "";
  return WithoutEmptyFragment(document_->text(id));
}

JsonIndex ReferenceResolver::ResourceOf(JsonIndex node) const {
  for (; node != 0; node = document_->parent(node)) {
    std::string_view id = IdentifierOf(node);
    if (!id.empty() && id[0] != '#') return node;
  }
  return 0;
}

JsonIndex ReferenceResolver::Follow(JsonIndex node, std::string_view pointer) const {
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    size_t end = std::min(pointer.find('/'), pointer.size());
    std::optional<std::string> token = DecodePointerToken(pointer.substr(0, end));
    pointer.remove_prefix(end);
    if (!token) return kNoJson;
    if (document_->IsObject(node)) {
      node = document_->Find(node, *token);
    } else if (document_->IsArray(node)) {
      bool is_index = !token->empty() && token->size() < 10 &&
                      token->find_first_not_of("0123456789") == std::string::npos &&
                      (token->size() == 1 || (*token)[0] != '0');
      if (!is_index) return kNoJson;
      size_t steps = std::stoul(*token);
      for (node = document_->first(node); node != kNoJson && steps > 0; --steps) {
        node = document_->next(node);
      }
    } else {
      return kNoJson;
    }
    if (node == kNoJson) return kNoJson;
  }
  return node;
}

Result<JsonIndex> ReferenceResolver::Resolve(JsonIndex value) const {
  std::string_view reference = document_->text(value);
  auto fail = [&](StatusCode code, const std::string& why) {
    return document_->ErrorAt(value, code,
                              "the reference \"" + std::string(reference) + "\" " + why);
  };
  size_t hash = reference.find('#');
  std::string_view uri = reference.substr(0, hash);
  JsonIndex resource = ResourceOf(document_->parent(value));
  if (!uri.empty()) {
    std::string_view root_id = IdentifierOf(0);
    bool absolute = uri.find(':') != std::string_view::npos;
    if (uri != root_id || (resource != 0 && !absolute)) {
      return fail(StatusCode::kUnsupported,
                  "leads out of the schema; only references inside it (\"#/$defs/name\") are "
                  "supported");
    }
    resource = 0;
  }
  if (hash == std::string_view::npos) return resource;
  std::optional<std::string> fragment = PercentDecode(reference.substr(hash + 1));
  if (!fragment || FindInvalidUtf8(*fragment) != std::string_view::npos) {
    return fail(StatusCode::kInvalidDefinition, "has a malformed %-escape");
  }
  if (fragment->empty()) return resource;
  if ((*fragment)[0] != '/') {
    return fail(StatusCode::kUnsupported,
                "names an anchor; only JSON pointers (\"#/$defs/name\") are supported");
  }
  JsonIndex target = Follow(resource, *fragment);
  if (target == kNoJson) {
    return fail(StatusCode::kInvalidDefinition, "leads to nothing in this schema");
  }
  if (!document_->IsSchema(target)) {
    return fail(StatusCode::kInvalidDefinition, std::string("leads to ") +
                                                    JsonKindPhrase(document_->kind(target)) +
                                                    ", which is no schema");
  }
  return target;
}

}  // namespace maskloom
