// Marks: the counters of an array or object, packed into one word of its frame.
//
// A counter counts the items or members that were taken as instances of something (ir.h). Counts
// beyond its limit are alike, so each needs few bits: one for "is there any". At-least counters
// saturate at their limit, at-most counters one above. All start at 0.
//
// Of two frames that differ in marks alone one may be better in every counter: whatever finishes
// the other finishes it too, since conditions are monotone. Such a worse frame can be dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

class MarkLayout {
 public:
  struct Field {
    uint64_t mask = 0;   // of the field, in place
    uint64_t one = 0;    // its lowest bit; 0 if the counter needs no bits
    uint32_t shift = 0;  // its lowest bit's place
    bool at_least = true;
    uint64_t top = 0;  // where it saturates

    template <typename Archive, typename Self>
    static void Describe(Archive& archive, Self& self) {
      archive.Value(self.mask);
      archive.Value(self.one);
      archive.Value(self.shift);
      archive.Value(self.at_least);
      archive.Value(self.top);
    }
  };

  MarkLayout() = default;
  // On error: kResourceLimit if the counters do not fit 64 bits.
  static Result<MarkLayout> Create(const std::vector<Counter>& counters);

  bool empty() const { return fields_.empty(); }
  const std::vector<Field>& fields() const { return fields_; }
  // The number that counter `index` stands at.
  uint64_t Get(uint64_t marks, uint32_t index) const {
    return (marks & fields_[index].mask) >> fields_[index].shift;
  }
  // Returns `marks` with the counters of `counts` (bit i: counter i) one higher.
  uint64_t Add(uint64_t marks, uint64_t counts) const;
  // Is `a` at least as good as `b` in every counter? Equal marks are.
  bool IsAsGood(uint64_t a, uint64_t b) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Parts(self.fields_);
    archive.Value(self.at_least_bits_);
    archive.Value(self.single_bits_);
  }

 private:
  std::vector<Field> fields_;
  uint64_t at_least_bits_ = 0;  // fields of at-least counters
  bool single_bits_ = true;     // is every field one bit wide?
};

}  // namespace maskloom
