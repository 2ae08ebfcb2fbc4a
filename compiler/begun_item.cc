#include "compiler/begun_item.h"

#include <cstring>

#include "compiler/white_space.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr std::string_view kNumberBytes = "-+.eE0123456789";

// The number at the end of `text`, which does not end inside of a string that holds any; else "".
std::string_view NumberAtEnd(std::string_view text) {
  const size_t before = text.find_last_not_of(kNumberBytes);
  if (before == std::string_view::npos || before + 1 == text.size()) return {};
  const char c = text[before];
  const bool is_number = c == ':' || c == ',' || c == '[' || IsJsonSpace(c);
  return is_number ? text.substr(before + 1) : std::string_view();
}

bool Holds(std::string_view key, std::string_view part) {
  return memmem(key.data(), key.size(), part.data(), part.size()) != nullptr;
}

}  // namespace

BegunNumber::BegunNumber(std::string_view text) : negative_(text[0] == '-') {
  for (const char c : text.substr(0, text.find_first_of("eE"))) {
    if (c >= '0' && c <= '9' && !(c == '0' && digits_.empty())) digits_ += c;
  }
}

bool BegunNumber::MayBecome(std::string_view key) const {
  if (key.empty() || key[0] != 'n') return false;
  if (digits_.empty()) return true;
  const bool negative = key.size() > 1 && key[1] == '-';
  if (negative != negative_) return false;
  // They begin the digits of the value, which ends in zeros without end.
  std::string_view value = key.substr(negative ? 2 : 1);
  value = value.substr(0, value.find_first_of("e;"));
  for (size_t i = 0; i < digits_.size(); ++i) {
    if (digits_[i] != (i < value.size() ? value[i] : '0')) return false;
  }
  return true;
}

bool BegunNumber::MayBecomePart(std::string_view key) const {
  bool found = false;
  VisitTexts(key, [&](char kind, std::string_view text) {
    found = found || (kind == 'n' && MayBecome(text));
  });
  return found;
}

BegunItem::BegunItem(std::string_view text) : first_(text[0]) {
  switch (first_) {
    case '"':
      begin_ = ToUtf8(ReadJsonValue(text).text);
      return;
    case '[':
    case '{':
      BeginContainer(text);
      return;
    case 'n':
    case 't':
    case 'f':
      return;
    default:
      number_.emplace(text);
  }
}

void BegunItem::BeginContainer(std::string_view text) {
  ReadValue read = ReadJsonValue(text);
  const size_t end = text.find_last_not_of(kNumberBytes) + 1;
  if (!read.text.empty()) {
    open_text_ = ToUtf8(read.text);
    if (read.open.size() > 1) inner_text_ = open_text_;
  } else if (end < text.size()) {
    // A number at the end may go on.
    const std::string_view number = NumberAtEnd(text);
    if (!number.empty()) number_.emplace(number);
    read = ReadJsonValue(text.substr(0, end));
  }
  begin_ = "[";
  if (read.open.empty()) return;
  if (read.open.size() > 1) {
    open_ = read.open[1].is_object ? '{' : '[';
  } else if (!read.text.empty()) {
    open_ = 's';
  } else if (number_) {
    open_ = 'n';
  }
  for (size_t i = 1; i < read.open.size(); ++i) AddInner(read.open[i]);
  OpenContainer& outermost = read.open.front();
  if (first_ == '[') {
    begin_ = ArrayKey(outermost.items);
    begin_.pop_back();
  }
  for (const auto& [name, value] : outermost.members) members_.push_back(name + value);
  pending_ = std::move(outermost.pending);
}

void BegunItem::AddInner(const OpenContainer& container) {
  for (const ValueKey& item : container.items) inner_.push_back(item);
  for (const auto& [name, value] : container.members) inner_.push_back(name + value);
  if (!container.pending.empty()) inner_.push_back(container.pending);
}

bool BegunItem::HoldsInner(std::string_view key) const {
  for (const ValueKey& part : inner_) {
    if (!Holds(key, part)) return false;
  }
  if (inner_text_.empty()) return true;
  bool found = false;
  VisitTexts(key, [&](char kind, std::string_view text) {
    found = found || (kind == 's' && text.starts_with(inner_text_));
  });
  return found;
}

bool BegunItem::MayBePending(std::string_view key, size_t at) const {
  if (open_ == 0) return true;
  if (at >= key.size() || key[at] != open_) return false;
  if (open_ == 'n') return number_->MayBecome(key.substr(at));
  if (open_ != 's') return true;
  return key.substr(key.find(':', at) + 1).starts_with(open_text_);
}

bool BegunItem::MayBecomeObject(std::string_view key) const {
  // Members may be those of objects further in.
  for (const std::string& member : members_) {
    if (!Holds(key, member)) return false;
  }
  if (pending_.empty()) return true;
  for (size_t at = key.find(pending_); at != std::string_view::npos;
       at = key.find(pending_, at + 1)) {
    if (MayBePending(key, at + pending_.size())) return true;
  }
  return false;
}

bool BegunItem::MayBecome(std::string_view key) const {
  switch (first_) {
    case '"':
      return key[0] == 's' && key.substr(key.find(':') + 1).starts_with(begin_);
    case '[':
      return key.starts_with(begin_) && MayBePending(key, begin_.size()) && HoldsInner(key);
    case '{':
      return key[0] == '{' && MayBecomeObject(key) && HoldsInner(key);
    case 'n':
      return key == LiteralKey(0);
    case 't':
      return key == LiteralKey(1);
    case 'f':
      return key == LiteralKey(2);
    default:
      return number_->MayBecome(key);
  }
}

}  // namespace maskloom
