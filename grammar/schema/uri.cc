// RFC 3986 section 5.2: components, merged paths, dot segments.
#include "grammar/schema/uri.h"

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

struct Components {
  std::string_view scheme;     // with its colon
  std::string_view authority;  // with its slashes
  std::string_view path;
  std::string_view query;  // with its question mark
};

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsSchemeRest(char c) {
  return IsAlpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

Components Split(std::string_view uri) {
  Components parts;
  if (!uri.empty() && IsAlpha(uri[0])) {
    size_t end = 1;
    while (end < uri.size() && IsSchemeRest(uri[end])) ++end;
    if (end < uri.size() && uri[end] == ':') {
      parts.scheme = uri.substr(0, end + 1);
      uri.remove_prefix(end + 1);
    }
  }
  const size_t question = std::min(uri.find('?'), uri.size());
  parts.query = uri.substr(question);
  uri = uri.substr(0, question);
  if (uri.starts_with("//")) {
    const size_t end = std::min(uri.find('/', 2), uri.size());
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(end);
  }
  parts.path = uri;
  return parts;
}

// Takes "." and ".." segments out of `path` (section 5.2.4). A relative path keeps the ".."s that
// lead above its beginning.
std::string WithoutDotSegments(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::string out;
  for (size_t begin = absolute ? 1 : 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    const bool last = end == path.size();
    begin = end + 1;
    if (segment == ".") continue;
    if (segment == "..") {
      const bool above = out.empty() || out == "../" || out.ends_with("/../");
      if (!above) {
        out.pop_back();
        const size_t slash = out.rfind('/');
        out.resize(slash == std::string::npos ? 0 : slash + 1);
      } else if (!absolute) {
        out += "../";
      }
      continue;
    }
    out += segment;
    if (!last) out += '/';
  }
  return absolute ? "/" + out : out;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Join(std::string_view scheme, std::string_view authority, std::string_view path,
                 std::string_view query) {
  std::string uri(scheme);
  uri += authority;
  uri += path;
  uri += query;
  return uri;
}

}  // namespace

SplitUri SplitFragment(std::string_view reference) {
  const size_t hash = reference.find('#');
  if (hash == std::string_view::npos) return {reference, std::nullopt};
  return {reference.substr(0, hash), reference.substr(hash + 1)};
}

std::string ResolveUri(std::string_view base, std::string_view reference) {
  const Components to = Split(reference);
  if (!to.scheme.empty()) {
    // The path of a URN, "urn:a:b", is opaque.
    const bool hierarchical = to.path.starts_with('/');
    return Join(to.scheme, to.authority,
                hierarchical ? WithoutDotSegments(to.path) : std::string(to.path), to.query);
  }
  const Components from = Split(base);
  if (!to.authority.empty()) {
    return Join(from.scheme, to.authority, WithoutDotSegments(to.path), to.query);
  }
  if (to.path.empty()) {
    return Join(from.scheme, from.authority, from.path, to.query.empty() ? from.query : to.query);
  }
  if (to.path.starts_with('/')) {
    return Join(from.scheme, from.authority, WithoutDotSegments(to.path), to.query);
  }
  std::string path;
  if (!from.authority.empty() && from.path.empty()) {
    path = "/";
  } else if (size_t slash = from.path.rfind('/'); slash != std::string_view::npos) {
    path = from.path.substr(0, slash + 1);
  }
  path += to.path;
  return Join(from.scheme, from.authority, WithoutDotSegments(path), to.query);
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (FindInvalidUtf8(out) != std::string_view::npos) return std::nullopt;
  return out;
}

}  // namespace maskloom
