#include "compiler/marks.h"

#include <bit>
#include <string>

namespace maskloom {

Result<MarkLayout> MarkLayout::Create(const std::vector<Counter>& counters) {
  MarkLayout layout;
  uint32_t used = 0;
  for (const Counter& counter : counters) {
    Field field;
    field.at_least = counter.kind == Counter::Kind::kAtLeast;
    field.top = counter.limit;
    if (!field.at_least && field.top != kNoMaximum) ++field.top;
    const uint32_t width = static_cast<uint32_t>(std::bit_width(field.top));
    if (used + width > 64) {
      return Status(StatusCode::kResourceLimit, "what must be counted at once, " +
                                                    std::to_string(counters.size()) +
                                                    " counters, does not fit 64 bits of state");
    }
    if (width > 0) {
      field.shift = used;
      field.mask = ~uint64_t{0} >> (64 - width) << used;
      field.one = uint64_t{1} << used;
      if (field.at_least) layout.at_least_bits_ |= field.mask;
    }
    layout.single_bits_ &= width == 1;
    used += width;
    layout.fields_.push_back(field);
  }
  return layout;
}

uint64_t MarkLayout::Add(uint64_t marks, uint64_t counts) const {
  for (; counts != 0; counts &= counts - 1) {
    const Field& field = fields_[static_cast<size_t>(std::countr_zero(counts))];
    if ((marks & field.mask) >> field.shift < field.top) marks += field.one;
  }
  return marks;
}

bool MarkLayout::IsAsGood(uint64_t a, uint64_t b) const {
  if (a == b) return true;
  if (single_bits_) return ((b & ~a & at_least_bits_) | (a & ~b & ~at_least_bits_)) == 0;
  for (const Field& field : fields_) {
    const uint64_t in_a = a & field.mask, in_b = b & field.mask;
    if (field.at_least ? in_a < in_b : in_a > in_b) return false;
  }
  return true;
}

}  // namespace maskloom
