// One function a format. A Reader takes the text from the left; every function ends by asking
// whether nothing is left.
#include "tests/judge/format_checks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "tests/judge/text_pattern.h"

namespace maskloom::judge {
namespace {

bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool IsLetter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }
bool IsHex(char32_t c) {
  return IsDigit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}
bool IsAlnum(char32_t c) { return IsDigit(c) || IsLetter(c); }

class Reader {
 public:
  explicit Reader(std::u32string_view text) : text_(text) {}
  bool AtEnd() const { return at_ == text_.size(); }
  char32_t Peek() const { return AtEnd() ? U'\0' : text_[at_]; }
  bool Take(char32_t c) {
    bool there = !AtEnd() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  bool TakeEither(char32_t a, char32_t b) { return Take(a) || Take(b); }
  // Exactly `count` digits; their value.
  std::optional<int> Number(size_t count) {
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!IsDigit(Peek())) return std::nullopt;
      value = value * 10 + static_cast<int>(text_[at_++] - U'0');
    }
    return value;
  }
  size_t Count(bool (*is)(char32_t)) {
    size_t count = 0;
    while (!AtEnd() && is(text_[at_])) ++at_, ++count;
    return count;
  }

 private:
  std::u32string_view text_;
  size_t at_ = 0;
};

std::vector<std::u32string> SplitAt(std::u32string_view text, char32_t separator) {
  std::vector<std::u32string> parts = {U""};
  for (char32_t c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// RFC 3339, full-date. `*new_half` tells whether it begins a half of the year, `*ends_half` whether
// it ends one.
bool TakeDate(Reader* in, bool* new_half = nullptr, bool* ends_half = nullptr) {
  auto year = in->Number(4);
  if (!year || !in->Take(U'-')) return false;
  auto month = in->Number(2);
  if (!month || *month < 1 || *month > 12 || !in->Take(U'-')) return false;
  auto day = in->Number(2);
  bool leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (!day || *day < 1 || *day > days[*month - 1]) return false;
  if (new_half != nullptr) *new_half = *day == 1 && (*month == 1 || *month == 7);
  if (ends_half != nullptr)
    *ends_half = *day >= 30 && (*month == 6 || (*month == 12 && *day == 31));
  return true;
}

// RFC 3339, full-time. A leap second ends a day of UTC; `*leaps` tells whether there is one, and
// `*leaps_next_day` whether the local date is that of the day after.
bool TakeTime(Reader* in, bool* leaps = nullptr, bool* leaps_next_day = nullptr) {
  auto hour = in->Number(2);
  if (!hour || *hour > 23 || !in->Take(U':')) return false;
  auto minute = in->Number(2);
  if (!minute || *minute > 59 || !in->Take(U':')) return false;
  auto second = in->Number(2);
  if (!second || *second > 60) return false;
  if (in->Take(U'.') && in->Count(IsDigit) == 0) return false;
  int offset = 0;
  if (!in->TakeEither(U'Z', U'z')) {
    int sign = in->Peek() == U'-' ? -1 : 1;
    if (!in->TakeEither(U'+', U'-')) return false;
    auto hours = in->Number(2);
    if (!hours || *hours > 23 || !in->Take(U':')) return false;
    auto minutes = in->Number(2);
    if (!minutes || *minutes > 59) return false;
    offset = sign * (*hours * 60 + *minutes);
  }
  int utc = ((*hour * 60 + *minute - offset) % 1440 + 1440) % 1440;
  if (leaps != nullptr) *leaps = *second == 60;
  if (leaps_next_day != nullptr) *leaps_next_day = offset > 0;
  return *second < 60 || utc == 23 * 60 + 59;
}

bool IsDate(const std::u32string& text) {
  Reader in(text);
  return TakeDate(&in) && in.AtEnd();
}
bool IsTime(const std::u32string& text) {
  Reader in(text);
  return TakeTime(&in) && in.AtEnd();
}
bool IsDateTime(const std::u32string& text) {
  Reader in(text);
  bool new_half = false, ends_half = false, leaps = false, next_day = false;
  if (!TakeDate(&in, &new_half, &ends_half) || !in.TakeEither(U'T', U't') ||
      !TakeTime(&in, &leaps, &next_day) || !in.AtEnd()) {
    return false;
  }
  return !leaps || (next_day ? new_half : ends_half);
}

// RFC 3339, appendix A: units follow each other without a gap, weeks stand alone; letters of either
// case, as ABNF has it.
bool TakeUnits(Reader* in, std::u32string_view units, bool* any) {
  size_t next = 0;
  while (IsDigit(in->Peek())) {
    in->Count(IsDigit);
    size_t unit = units.find(in->Peek());
    if (unit == units.npos || unit < next || (*any && unit != next)) return false;
    in->Take(units[unit]);
    next = unit + 1;
    *any = true;
  }
  return true;
}
bool IsDuration(std::u32string text) {
  for (char32_t& c : text) c -= c >= U'a' && c <= U'z' ? 32 : 0;
  if (text.size() > 2 && text.back() == U'W') {
    Reader weeks(text);
    return weeks.Take(U'P') && weeks.Count(IsDigit) > 0 && weeks.Take(U'W') && weeks.AtEnd();
  }
  Reader in(text);
  bool date = false;
  bool time = false;
  if (!in.Take(U'P') || !TakeUnits(&in, U"YMD", &date)) return false;
  if (in.Take(U'T') && (!TakeUnits(&in, U"HMS", &time) || !time)) return false;
  return in.AtEnd() && (date || time);
}

// RFC 2673, section 3.2: four decimal octets, none with a leading zero.
bool IsIpv4(const std::u32string& text) {
  auto parts = SplitAt(text, U'.');
  if (parts.size() != 4) return false;
  return std::all_of(parts.begin(), parts.end(), [](const std::u32string& part) {
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == U'0')) return false;
    int value = 0;
    for (char32_t c : part) {
      if (!IsDigit(c)) return false;
      value = value * 10 + static_cast<int>(c - U'0');
    }
    return value <= 255;
  });
}

// RFC 4291, section 2.2.
bool IsIpv6(const std::u32string& text) {
  auto groups_of = [](std::u32string_view side, bool last) -> std::optional<int> {
    if (side.empty()) return 0;
    int count = 0;
    auto groups = SplitAt(side, U':');
    for (size_t i = 0; i < groups.size(); ++i) {
      if (last && i + 1 == groups.size() && groups[i].find(U'.') != std::u32string::npos) {
        if (!IsIpv4(groups[i])) return std::nullopt;
        count += 2;
        continue;
      }
      if (groups[i].empty() || groups[i].size() > 4) return std::nullopt;
      if (!std::all_of(groups[i].begin(), groups[i].end(), IsHex)) return std::nullopt;
      ++count;
    }
    return count;
  };
  size_t gap = text.find(U"::");
  if (gap == text.npos) return groups_of(text, true) == 8;
  auto before = groups_of(std::u32string_view(text).substr(0, gap), false);
  auto behind = groups_of(std::u32string_view(text).substr(gap + 2), true);
  return before && behind && *before + *behind <= 7;
}

bool IsUuid(const std::u32string& text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != U'-' : !IsHex(text[i])) return false;
  }
  return true;
}

// RFC 1123, section 2.1: letters, digits and inner hyphens. A-labels are not looked into.
bool IsHostname(const std::u32string& text) {
  if (text.empty() || text.size() > 253) return false;
  for (const std::u32string& label : SplitAt(text, U'.')) {
    if (label.empty() || label.size() > 63 || label.front() == U'-' || label.back() == U'-') {
      return false;
    }
    for (char32_t c : label) {
      if (!IsAlnum(c) && c != U'-') return false;
    }
  }
  return true;
}

// RFC 5321, section 4.1.2: dot-string or quoted string, host name or address literal.
bool IsEmail(const std::u32string& text) {
  size_t at = text.rfind(U'@');
  if (at == text.npos || at == 0) return false;
  std::u32string local = text.substr(0, at);
  std::u32string domain = text.substr(at + 1);
  if (local.front() == U'"') {
    if (local.size() < 2 || local.back() != U'"') return false;
    for (size_t i = 1; i + 1 < local.size(); ++i) {
      if (local[i] < 32 || local[i] > 126 || local[i] == U'"') return false;
      if (local[i] == U'\\' && (++i + 1 >= local.size() || local[i] < 32 || local[i] > 126)) {
        return false;
      }
    }
  } else {
    for (const std::u32string& atom : SplitAt(local, U'.')) {
      if (atom.empty()) return false;
      for (char32_t c : atom) {
        if (!IsAlnum(c) &&
            std::u32string_view(U"!#$%&'*+-/=?^_`{|}~").find(c) == std::string::npos) {
          return false;
        }
      }
    }
  }
  if (domain.size() > 2 && domain.front() == U'[' && domain.back() == U']') {
    std::u32string literal = domain.substr(1, domain.size() - 2);
    return literal.starts_with(U"IPv6:") ? IsIpv6(literal.substr(5)) : IsIpv4(literal);
  }
  return IsHostname(domain);
}

// RFC 6901.
bool IsJsonPointer(const std::u32string& text) {
  if (!text.empty() && text[0] != U'/') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != U'~') continue;
    if (i + 1 == text.size() || (text[i + 1] != U'0' && text[i + 1] != U'1')) return false;
  }
  return true;
}

// Relative JSON pointers, as their draft says: levels up, then # or a pointer.
bool IsRelativeJsonPointer(const std::u32string& text) {
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0 || (digits > 1 && text[0] == U'0')) return false;
  std::u32string rest = text.substr(digits);
  return rest == U"#" || IsJsonPointer(rest);
}

// RFC 3986, section 3 (with `wide`, RFC 3987).
class UriReader {
 public:
  UriReader(const std::u32string& text, bool wide) : text_(text), wide_(wide) {}

  bool IsReference() { return Valid(false); }
  bool IsUri() { return Valid(true); }

 private:
  bool Allowed(std::u32string_view part, std::u32string_view extra, bool is_query = false) const {
    for (size_t i = 0; i < part.size(); ++i) {
      char32_t c = part[i];
      if (c == U'%') {
        if (i + 2 >= part.size() || !IsHex(part[i + 1]) || !IsHex(part[i + 2])) return false;
        i += 2;
        continue;
      }
      bool plain =
          IsAlnum(c) || std::u32string_view(U"-._~!$&'()*+,;=").find(c) != std::string::npos;
      bool private_use = (c >= 0xE000 && c <= 0xF8FF) || c >= 0xF0000;
      bool beyond = wide_ && c >= 0xA0 && c <= 0xEFFFD && (c & 0xFFFE) != 0xFFFE &&
                    !(c >= 0xD800 && c <= 0xF8FF) && !(c >= 0xFDD0 && c <= 0xFDEF) && c != 0xFFFC;
      beyond = beyond || (wide_ && is_query && private_use);
      if (!plain && !beyond && extra.find(c) == std::string::npos) return false;
    }
    return true;
  }

  bool ValidAuthority(std::u32string_view authority) const {
    size_t at = authority.rfind(U'@');
    if (at != authority.npos) {
      if (!Allowed(authority.substr(0, at), U":")) return false;
      authority = authority.substr(at + 1);
    }
    std::u32string_view host = authority;
    std::u32string_view port;
    if (!host.empty() && host[0] == U'[') {
      size_t close = host.find(U']');
      if (close == host.npos) return false;
      port = host.substr(close + 1);
      host = host.substr(1, close - 1);
      if (!port.empty() && port[0] != U':') return false;
      port = port.substr(std::min<size_t>(1, port.size()));
      bool future = host.size() > 3 && (host[0] == U'v' || host[0] == U'V');
      if (future ? !ValidFuture(host) : !IsIpv6(std::u32string(host))) return false;
    } else {
      size_t colon = host.rfind(U':');
      if (colon != host.npos) {
        port = host.substr(colon + 1);
        host = host.substr(0, colon);
      }
      if (!Allowed(host, U"")) return false;
    }
    return std::all_of(port.begin(), port.end(), IsDigit);
  }

  bool ValidFuture(std::u32string_view host) const {
    size_t dot = host.find(U'.');
    if (dot == host.npos || dot < 2 || dot + 1 == host.size()) return false;
    if (!std::all_of(host.begin() + 1, host.begin() + static_cast<ptrdiff_t>(dot), IsHex)) {
      return false;
    }
    return host.find(U'%') == host.npos && Allowed(host.substr(dot + 1), U":");
  }

  bool Valid(bool needs_scheme) {
    std::u32string_view rest = text_;
    size_t hash = rest.find(U'#');
    if (hash != rest.npos) {
      if (!Allowed(rest.substr(hash + 1), U":@/?")) return false;
      rest = rest.substr(0, hash);
    }
    size_t question = rest.find(U'?');
    if (question != rest.npos) {
      if (!Allowed(rest.substr(question + 1), U":@/?", true)) return false;
      rest = rest.substr(0, question);
    }
    size_t colon = rest.find(U':');
    bool scheme = colon != rest.npos && rest.substr(0, colon).find(U'/') == rest.npos;
    if (scheme) {
      if (colon == 0 || !IsLetter(rest[0])) return false;
      for (char32_t c : rest.substr(0, colon)) {
        if (!IsAlnum(c) && c != U'+' && c != U'-' && c != U'.') return false;
      }
      rest = rest.substr(colon + 1);
    } else if (needs_scheme) {
      return false;
    }
    if (rest.starts_with(U"//")) {
      size_t slash = std::min(rest.find(U'/', 2), rest.size());
      if (!ValidAuthority(rest.substr(2, slash - 2))) return false;
      rest = rest.substr(slash);
    }
    return Allowed(rest, U":@/");
  }

  const std::u32string& text_;
  bool wide_;
};

// RFC 6570, section 2, with the erratum that allows an apostrophe.
bool IsTemplateName(std::u32string_view name) {
  bool expects_character = true;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == U'.') {
      if (expects_character) return false;
      expects_character = true;
      continue;
    }
    expects_character = false;
    if (name[i] == U'%') {
      if (i + 2 >= name.size() || !IsHex(name[i + 1]) || !IsHex(name[i + 2])) return false;
      i += 2;
    } else if (!IsAlnum(name[i]) && name[i] != U'_') {
      return false;
    }
  }
  return !expects_character;
}

bool IsTemplateExpression(std::u32string_view expression) {
  if (!expression.empty() &&
      std::u32string_view(U"+#./;?&=,!@|").find(expression[0]) != std::u32string_view::npos) {
    expression = expression.substr(1);
  }
  for (std::u32string_view variable : SplitAt(expression, U',')) {
    size_t colon = variable.find(U':');
    if (colon != variable.npos) {
      std::u32string_view length = variable.substr(colon + 1);
      if (length.empty() || length.size() > 4 || length[0] == U'0') return false;
      if (!std::all_of(length.begin(), length.end(), IsDigit)) return false;
      variable = variable.substr(0, colon);
    } else if (!variable.empty() && variable.back() == U'*') {
      variable = variable.substr(0, variable.size() - 1);
    }
    if (!IsTemplateName(variable)) return false;
  }
  return true;
}

bool IsUriTemplate(const std::u32string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (c == U'{') {
      size_t close = text.find(U'}', i);
      if (close == text.npos) return false;
      if (!IsTemplateExpression(std::u32string_view(text).substr(i + 1, close - i - 1))) {
        return false;
      }
      i = close;
    } else if (c == U'%') {
      if (i + 2 >= text.size() || !IsHex(text[i + 1]) || !IsHex(text[i + 2])) return false;
      i += 2;
    } else if (c <= 0x20 || c == 0x7F ||
               std::u32string_view(U"\"<>\\^`|}").find(c) != std::u32string_view::npos) {
      return false;
    }
  }
  return true;
}

bool IsUri(const std::u32string& text) { return UriReader(text, false).IsUri(); }
bool IsUriReference(const std::u32string& text) { return UriReader(text, false).IsReference(); }
bool IsIri(const std::u32string& text) { return UriReader(text, true).IsUri(); }
bool IsIriReference(const std::u32string& text) { return UriReader(text, true).IsReference(); }

bool IsRegex(const std::u32string& text) {
  auto pattern = TextPattern::Parse(text);
  return pattern.ok() || pattern.status().code() == StatusCode::kUnsupported;
}

}  // namespace

std::optional<bool> HasFormat(std::string_view name, const std::u32string& text) {
  static const std::map<std::string_view, bool (*)(const std::u32string&)> kFormats = {
      {"date", IsDate},
      {"date-time", IsDateTime},
      {"duration", [](const std::u32string& text) { return IsDuration(text); }},
      {"email", IsEmail},
      {"hostname", IsHostname},
      {"ipv4", IsIpv4},
      {"ipv6", IsIpv6},
      {"iri", IsIri},
      {"iri-reference", IsIriReference},
      {"json-pointer", IsJsonPointer},
      {"regex", IsRegex},
      {"relative-json-pointer", IsRelativeJsonPointer},
      {"time", IsTime},
      {"uri", IsUri},
      {"uri-reference", IsUriReference},
      {"uri-template", IsUriTemplate},
      {"uuid", IsUuid},
  };
  auto found = kFormats.find(name);
  if (found == kFormats.end()) return std::nullopt;
  return found->second(text);
}

}  // namespace maskloom::judge
