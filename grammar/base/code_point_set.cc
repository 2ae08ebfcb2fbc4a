#include "grammar/base/code_point_set.h"

#include <algorithm>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr uint32_t kFirstSurrogate = 0xD800;
constexpr uint32_t kLastSurrogate = 0xDFFF;

// Inserts one range that holds no surrogate, merging what touches.
void Insert(std::vector<CodePointRange>* ranges, uint32_t first, uint32_t last) {
  auto begin = std::lower_bound(
      ranges->begin(), ranges->end(), first,
      [](const CodePointRange& range, uint32_t value) { return range.last + 1 < value; });
  auto end = begin;
  while (end != ranges->end() && end->first <= last + 1) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  begin = ranges->erase(begin, end);
  ranges->insert(begin, {first, last});
}

}  // namespace

CodePointSet::CodePointSet(std::initializer_list<CodePointRange> ranges) {
  for (const CodePointRange& range : ranges) Add(range.first, range.last);
}

CodePointSet CodePointSet::All() { return {{0, kMaxCodePoint}}; }

void CodePointSet::Add(uint32_t first, uint32_t last) {
  last = std::min(last, kMaxCodePoint);
  if (first > last) return;
  if (first < kFirstSurrogate) Insert(&ranges_, first, std::min(last, kFirstSurrogate - 1));
  if (last > kLastSurrogate) Insert(&ranges_, std::max(first, kLastSurrogate + 1), last);
}

void CodePointSet::Add(const CodePointSet& other) {
  for (const CodePointRange& range : other.ranges_) Add(range.first, range.last);
}

CodePointSet CodePointSet::Complement() const {
  CodePointSet result;
  uint32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (range.first > next) result.Add(next, range.first - 1);
    next = range.last + 1;
  }
  if (next <= kMaxCodePoint) result.Add(next, kMaxCodePoint);
  return result;
}

CodePointSet CodePointSet::Intersect(const CodePointSet& other) const {
  CodePointSet result;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    uint32_t first = std::max(a->first, b->first);
    uint32_t last = std::min(a->last, b->last);
    if (first <= last) result.ranges_.push_back({first, last});
    (a->last < b->last ? a : b)++;
  }
  return result;
}

bool CodePointSet::Contains(uint32_t code_point) const {
  auto it = std::upper_bound(
      ranges_.begin(), ranges_.end(), code_point,
      [](uint32_t value, const CodePointRange& range) { return value < range.first; });
  return it != ranges_.begin() && code_point <= std::prev(it)->last;
}

uint32_t CodePointSet::size() const {
  uint32_t total = 0;
  for (const CodePointRange& range : ranges_) total += range.last - range.first + 1;
  return total;
}

}  // namespace maskloom
