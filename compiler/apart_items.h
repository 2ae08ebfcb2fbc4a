// Where arrays that compare their items need not: no value that was seen can come again soon.
//
// Following the text of an item costs a walk ten times what it costs otherwise, and nearly always
// in vain: what was read of the item already differs from all values seen, or there are none. Then
// a token can be refused for an equal value only if it holds a whole item, or begins one behind
// another; such tokens are few, and are read again with care. All others are walked as if items
// were not compared, if values of the arrays around never run out, or the arrays may end behind
// this item.
//
// An item that may still become a value that was seen is near to it. It is walked so too, and then
// once more along what stays near (near_walk.cc): whatever parts from all those values on its way
// is as above.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

// Kinds of values, as bits.
enum ItemKinds : uint8_t {
  kLiteralItems = 1,
  kNumberItems = 2,
  kStringItems = 4,
  kArrayItems = 8,
  kObjectItems = 16,
  kAllItems = 31,
};

struct Nearness {
  enum class Kind : uint8_t {
    kApart,    // may be walked without care
    kNear,     // may become one of `values`, or stands between items
    kUnknown,  // it would take too long to tell, or arrays around ask for equal items
  };
  Kind kind = Kind::kApart;
  // May values of the arrays around run out, so that a comma behind an item may be refused?
  bool counts = false;
  uint8_t items = 0;                     // ItemKinds of these arrays
  std::vector<std::string_view> values;  // keys of values seen
};

// Does `frame` stand inside of a string or key?
inline bool IsInText(const Frame& frame) {
  return frame.kind == FrameKind::kString ||
         (frame.kind == FrameKind::kObject && frame.phase == Phase::kKey);
}

// How near is `item` to the values that the arrays around it have seen? Cost: linear in these
// values and the text of the item.
Nearness FindNearness(const Machine& machine, const Item& item);

// May a token with `bytes` hold an item of an array whole, or begin one behind a comma with more
// than its first byte? `items`: of the arrays that it may belong to, other than those that begin in
// the token. May say yes where it could not.
bool MayHoldItem(std::string_view bytes, uint8_t items);

}  // namespace maskloom
