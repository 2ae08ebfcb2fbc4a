// The algorithm of RFC 3986, section 5.2, as it is written there.
#include "tests/judge/uri_reference.h"

#include <cctype>
#include <cstdlib>
#include <optional>

namespace maskloom::judge {
namespace {

struct Parts {
  std::optional<std::string> scheme;
  std::optional<std::string> authority;
  std::string path;
  std::optional<std::string> query;
  std::optional<std::string> fragment;
};

Parts Split(std::string_view text) {
  Parts parts;
  size_t hash = text.find('#');
  if (hash != text.npos) {
    parts.fragment = std::string(text.substr(hash + 1));
    text = text.substr(0, hash);
  }
  size_t question = text.find('?');
  if (question != text.npos) {
    parts.query = std::string(text.substr(question + 1));
    text = text.substr(0, question);
  }
  size_t colon = text.find(':');
  if (colon != text.npos && colon > 0 && text.substr(0, colon).find('/') == text.npos) {
    parts.scheme = std::string(text.substr(0, colon));
    text = text.substr(colon + 1);
  }
  if (text.starts_with("//")) {
    size_t end = std::min(text.find('/', 2), text.size());
    parts.authority = std::string(text.substr(2, end - 2));
    text = text.substr(end);
  }
  parts.path = std::string(text);
  return parts;
}

std::string RemoveDots(std::string in) {
  std::string out;
  while (!in.empty()) {
    if (in.starts_with("../")) {
      in.erase(0, 3);
    } else if (in.starts_with("./") || in.starts_with("/./")) {
      in.erase(0, 2);
    } else if (in == "/.") {
      in = "/";
    } else if (in.starts_with("/../") || in == "/..") {
      in = "/" + in.substr(std::min<size_t>(in.size(), 4));
      out.erase(out.rfind('/') == out.npos ? 0 : out.rfind('/'));
    } else if (in == "." || in == "..") {
      in.clear();
    } else {
      size_t end = std::min(in.find('/', 1), in.size());
      out += in.substr(0, end);
      in.erase(0, end);
    }
  }
  return out;
}

std::string Join(const Parts& parts) {
  std::string out;
  if (parts.scheme) out += *parts.scheme + ":";
  if (parts.authority) out += "//" + *parts.authority;
  out += parts.path;
  if (parts.query) out += "?" + *parts.query;
  if (parts.fragment) out += "#" + *parts.fragment;
  return out;
}

}  // namespace

std::string ResolveUri(std::string_view base_text, std::string_view reference) {
  if (base_text.empty()) return std::string(reference);
  Parts base = Split(base_text);
  Parts target = Split(reference);
  if (target.scheme) {
    target.path = RemoveDots(target.path);
    return Join(target);
  }
  target.scheme = base.scheme;
  if (target.authority) {
    target.path = RemoveDots(target.path);
    return Join(target);
  }
  target.authority = base.authority;
  if (target.path.empty()) {
    target.path = base.path;
    if (!target.query) target.query = base.query;
  } else if (target.path[0] == '/') {
    target.path = RemoveDots(target.path);
  } else if (base.authority && base.path.empty()) {
    target.path = RemoveDots("/" + target.path);
  } else {
    size_t slash = base.path.rfind('/');
    target.path =
        RemoveDots((slash == base.path.npos ? "" : base.path.substr(0, slash + 1)) + target.path);
  }
  return Join(target);
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && std::isxdigit(static_cast<uint8_t>(text[i + 1])) &&
        std::isxdigit(static_cast<uint8_t>(text[i + 2]))) {
      out +=
          static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace maskloom::judge
