// Interval lists of code points, and spellings by looking at every candidate.
#include "tests/judge/code_points.h"

#include <algorithm>

namespace maskloom::judge {
namespace {

constexpr std::string_view kShortLetters = "\"\\/bfnrt";
constexpr std::string_view kShortValues = "\"\\/\b\f\n\r\t";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

CodePoints CodePoints::All() { return Range(0, kLastCodePoint); }

CodePoints CodePoints::Range(uint32_t first, uint32_t last) {
  CodePoints set;
  set.Add(first, last);
  return set;
}

void CodePoints::Normalise() {
  std::sort(ranges_.begin(), ranges_.end());
  std::vector<std::pair<uint32_t, uint32_t>> merged;
  for (const auto& range : ranges_) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  ranges_ = std::move(merged);
}

void CodePoints::Add(uint32_t first, uint32_t last) {
  if (first > last) return;
  if (first < 0xD800) ranges_.emplace_back(first, std::min(last, 0xD7FFu));
  if (last > 0xDFFF) ranges_.emplace_back(std::max(first, 0xE000u), last);
  Normalise();
}

void CodePoints::Add(const std::vector<std::pair<uint32_t, uint32_t>>& ranges) {
  ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  Normalise();
}

void CodePoints::Add(const CodePoints& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  Normalise();
}

CodePoints CodePoints::Complement() const {
  std::vector<std::pair<uint32_t, uint32_t>> gaps;
  uint32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) gaps.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kLastCodePoint) gaps.emplace_back(next, kLastCodePoint);
  CodePoints result;
  result.Add(gaps);
  CodePoints scalars = All();
  return result.Intersect(scalars);
}

CodePoints CodePoints::Intersect(const CodePoints& other) const {
  CodePoints result;
  size_t i = 0;
  size_t j = 0;
  while (i < ranges_.size() && j < other.ranges_.size()) {
    uint32_t first = std::max(ranges_[i].first, other.ranges_[j].first);
    uint32_t last = std::min(ranges_[i].second, other.ranges_[j].second);
    if (first <= last) result.ranges_.emplace_back(first, last);
    if (ranges_[i].second < other.ranges_[j].second) {
      ++i;
    } else {
      ++j;
    }
  }
  result.Normalise();
  return result;
}

bool CodePoints::Contains(uint32_t code_point) const {
  auto behind = std::upper_bound(
      ranges_.begin(), ranges_.end(), code_point,
      [](uint32_t c, const std::pair<uint32_t, uint32_t>& range) { return c < range.first; });
  return behind != ranges_.begin() && std::prev(behind)->second >= code_point;
}

bool CodePoints::Intersects(const CodePoints& other) const {
  size_t i = 0;
  size_t j = 0;
  while (i < ranges_.size() && j < other.ranges_.size()) {
    if (std::max(ranges_[i].first, other.ranges_[j].first) <=
        std::min(ranges_[i].second, other.ranges_[j].second)) {
      return true;
    }
    if (ranges_[i].second < other.ranges_[j].second) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

uint64_t CodePoints::Count() const {
  uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += last - first + 1;
  return count;
}

std::string EncodeUtf8(uint32_t c) {
  std::string out;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 63));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
  return out;
}

std::optional<std::u32string> DecodeUtf8(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    uint8_t lead = static_cast<uint8_t>(text[at]);
    size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length == 0 || at + length > text.size()) return std::nullopt;
    uint32_t value = length == 1 ? lead : lead & (0xFF >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
      value = value << 6 | (static_cast<uint8_t>(text[at + i]) & 63);
    }
    if (value > kLastCodePoint || (value >= 0xD800 && value <= 0xDFFF) ||
        EncodeUtf8(value) != text.substr(at, length)) {
      return std::nullopt;
    }
    out += static_cast<char32_t>(value);
    at += length;
  }
  return out;
}

CodePoints Speller::RawCompletions(std::string_view prefix) const {
  std::vector<std::pair<uint32_t, uint32_t>> spans = {
      {0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, kLastCodePoint}};
  CodePoints result;
  for (auto [first, last] : spans) {
    // UTF-8 keeps the order of code points, so the ones that share a prefix are one stretch.
    auto below = [&](uint32_t c) { return EncodeUtf8(c).substr(0, prefix.size()) < prefix; };
    auto within = [&](uint32_t c) { return EncodeUtf8(c).substr(0, prefix.size()) <= prefix; };
    uint32_t from = first;
    for (uint32_t count = last - first + 1; count > 0;) {
      uint32_t half = count / 2;
      if (below(from + half)) {
        from += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    uint32_t to = from;
    for (uint32_t count = last - from + 1; count > 0;) {
      uint32_t half = count / 2;
      if (within(to + half)) {
        to += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    if (from == to || from > last) continue;
    if (spellable_.all()) {
      result.Add(from, to - 1);
      continue;
    }
    std::vector<std::pair<uint32_t, uint32_t>> good_ranges;
    for (uint32_t c = from; c < to; ++c) {
      std::string bytes = EncodeUtf8(c);
      bool good = true;
      for (size_t i = prefix.size(); good && i < bytes.size(); ++i) {
        good = spellable_[static_cast<uint8_t>(bytes[i])];
      }
      if (!good) continue;
      if (!good_ranges.empty() && good_ranges.back().second + 1 == c) {
        good_ranges.back().second = c;
      } else {
        good_ranges.emplace_back(c, c);
      }
    }
    result.Add(good_ranges);
  }
  if (form_ != Form::kRaw) {
    CodePoints allowed = CodePoints::Range(0x20, kLastCodePoint);
    CodePoints special = CodePoints::Range('"', '"');
    special.Add('\\', '\\');
    result = result.Intersect(allowed).Intersect(special.Complement());
  }
  return result;
}

// Whether `written`, a beginning of "\uXXXX", can go on to spell the UTF-16 unit.
bool Speller::UnitCompletes(std::string_view written, uint32_t unit) const {
  for (size_t i = 0; i < 6; ++i) {
    if (i < 2) {
      char expected = "\\u"[i];
      if (i < written.size() ? written[i] != expected
                             : !spellable_[static_cast<uint8_t>(expected)]) {
        return false;
      }
      continue;
    }
    int digit = static_cast<int>(unit >> (4 * (5 - i)) & 15);
    if (i < written.size()) {
      if (HexValue(written[i]) != digit) return false;
    } else if (!spellable_[static_cast<uint8_t>("0123456789abcdef"[digit])] &&
               !spellable_[static_cast<uint8_t>("0123456789ABCDEF"[digit])]) {
      return false;
    }
  }
  return true;
}

CodePoints Speller::EscapeCompletions(std::string_view prefix) const {
  CodePoints result;
  for (size_t i = 0; i < kShortLetters.size(); ++i) {
    std::string spelling = {'\\', kShortLetters[i]};
    if (!StartsWith(spelling, prefix)) continue;
    bool good = true;
    for (size_t k = prefix.size(); k < 2; ++k) {
      good = good && spellable_[static_cast<uint8_t>(spelling[k])];
    }
    if (good)
      result.Add(static_cast<uint8_t>(kShortValues[i]), static_cast<uint8_t>(kShortValues[i]));
  }
  std::string_view first = prefix.substr(0, 6);
  std::string_view second = prefix.size() > 6 ? prefix.substr(6) : std::string_view();
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  std::vector<std::pair<uint32_t, uint32_t>> lows;
  for (uint32_t low = 0xDC00; low <= 0xDFFF; ++low) {
    if (!UnitCompletes(second, low)) continue;
    if (!lows.empty() && lows.back().second + 1 == low) {
      lows.back().second = low;
    } else {
      lows.emplace_back(low, low);
    }
  }
  for (uint32_t unit = 0; unit <= 0xFFFF; ++unit) {
    if (unit == 0xDC00) unit = 0xE000;
    if (!UnitCompletes(first, unit)) continue;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      uint32_t base = 0x10000 + ((unit - 0xD800) << 10);
      for (auto [low, high] : lows) ranges.emplace_back(base + low - 0xDC00, base + high - 0xDC00);
    } else if (prefix.size() <= 6) {
      ranges.emplace_back(unit, unit);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<uint32_t, uint32_t>> units;
  for (size_t i = 0; i < ranges.size();) {
    size_t j = i + 1;
    uint32_t last = ranges[i].second;
    while (j < ranges.size() && ranges[j].first <= last + 1)
      last = std::max(last, ranges[j++].second);
    units.emplace_back(ranges[i].first, last);
    i = j;
  }
  result.Add(units);
  return result;
}

namespace {

// How json.dumps escapes `c`; empty if it does not.
std::string PlainEscape(uint32_t c) {
  if (c != '"' && c != '\\' && c >= 0x20) return "";
  for (size_t i = 0; i < kShortLetters.size(); ++i) {
    if (static_cast<uint8_t>(kShortValues[i]) == c) return {'\\', kShortLetters[i]};
  }
  return std::string("\\u00") + "01"[c >> 4] + "0123456789abcdef"[c & 15];
}

}  // namespace

CodePoints Speller::PlainEscapeCompletions(std::string_view prefix) const {
  CodePoints result;
  for (uint32_t c = 0; c < 0x80; ++c) {
    const std::string spelling = PlainEscape(c);
    if (spelling.empty() || !StartsWith(spelling, prefix)) continue;
    if (std::all_of(spelling.begin() + static_cast<std::ptrdiff_t>(prefix.size()), spelling.end(),
                    [&](char b) { return spellable_[static_cast<uint8_t>(b)]; })) {
      result.Add(c, c);
    }
  }
  return result;
}

const CodePoints& Speller::Completions(const std::string& prefix) const {
  auto [it, fresh] = completions_.try_emplace(prefix);
  if (!fresh) return it->second;
  CodePoints result;
  if (form_ == Form::kRaw || prefix.empty() || prefix[0] != '\\') result = RawCompletions(prefix);
  if (form_ == Form::kJsonString && (prefix.empty() || prefix[0] == '\\')) {
    result.Add(EscapeCompletions(prefix));
  }
  if (form_ == Form::kPlainString && (prefix.empty() || prefix[0] == '\\')) {
    result.Add(PlainEscapeCompletions(prefix));
  }
  it->second = std::move(result);
  return it->second;
}

std::optional<uint32_t> Speller::Decode(std::string_view spelling) const {
  if (spelling.empty()) return std::nullopt;
  if (form_ == Form::kRaw || spelling[0] != '\\') {
    auto text = DecodeUtf8(spelling);
    if (!text || text->size() != 1) return std::nullopt;
    uint32_t c = (*text)[0];
    if (form_ != Form::kRaw && (c < 0x20 || c == '"')) return std::nullopt;
    return c;
  }
  if (form_ == Form::kPlainString) {
    for (uint32_t c = 0; c < 0x80; ++c) {
      if (PlainEscape(c) == spelling) return c;
    }
    return std::nullopt;
  }
  if (spelling.size() == 2) {
    size_t at = kShortLetters.find(spelling[1]);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<uint8_t>(kShortValues[at]);
  }
  if (spelling.size() != 6 && spelling.size() != 12) return std::nullopt;
  uint32_t units[2] = {0, 0};
  for (size_t k = 0; k < spelling.size(); k += 6) {
    if (spelling[k] != '\\' || spelling[k + 1] != 'u') return std::nullopt;
    for (size_t i = 2; i < 6; ++i) {
      int digit = HexValue(spelling[k + i]);
      if (digit < 0) return std::nullopt;
      units[k / 6] = units[k / 6] << 4 | static_cast<uint32_t>(digit);
    }
  }
  bool high = units[0] >= 0xD800 && units[0] <= 0xDBFF;
  bool low = units[0] >= 0xDC00 && units[0] <= 0xDFFF;
  if (spelling.size() == 6) {
    if (high || low) return std::nullopt;
    return units[0];
  }
  if (!high || units[1] < 0xDC00 || units[1] > 0xDFFF) return std::nullopt;
  return 0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00);
}

bool Speller::CanSpell(std::u32string_view text, size_t first) const {
  const CodePoints& all = Completions("");
  for (size_t i = first; i < text.size(); ++i) {
    if (!all.Contains(text[i])) return false;
  }
  return true;
}

}  // namespace maskloom::judge
