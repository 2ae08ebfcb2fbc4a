// Parts of a grammar that no definition changes: strings of any text, numbers without conditions,
// literals, arrays and objects of any values, undeclared keys.
//
// What tokens can do inside of them depends on the vocabulary and the style alone, so it is found
// out once (standard_walks.h) and not again for every grammar and state.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine_tables.h"
#include "grammar/ir.h"

namespace maskloom {

class Machine;

// What begins with a byte: the part is the text from that byte on.
enum class StandardPart : uint8_t {
  kString,   // behind its quote
  kNumber,   // behind its first byte
  kInteger,  // the same
  kArray,    // of any values, behind its bracket
  kObject,   // of any keys and values, behind its bracket
  kKey,      // an undeclared key with any text, behind its quote
  kMember,   // a member's value of any kind, behind the colon, with the space before it
  // A value where any may stand, with the space before it; tokens of space only are left out.
  kSpacedString,
  kSpacedNumber,
  kSpacedInteger,
  kSpacedArray,
  kSpacedObject,
  kSpacedNull,
  kSpacedTrue,
  kSpacedFalse,
  kCountedString,  // as kString, but of bounded length: the walks are those of kString
};
inline constexpr int kStandardPartCount = 15;  // that have walks of their own

inline bool IsSpaced(StandardPart part) {
  return part >= StandardPart::kSpacedString && part <= StandardPart::kSpacedFalse;
}
// The literals with the space before them, in the order of kLiteralTexts.
inline constexpr StandardPart kSpacedLiterals[3] = {
    StandardPart::kSpacedNull, StandardPart::kSpacedTrue, StandardPart::kSpacedFalse};
// The part with the space before it; kNoStandardPart if there is none.
StandardPart WithSpace(StandardPart part);
inline constexpr StandardPart kNoStandardPart = static_cast<StandardPart>(0xFF);

// Which nodes of a machine are standard parts, by node: a StandardPart, or kNoStandardPart.
struct StandardNodes {
  EditableArray<StandardPart> strings, numbers, arrays, objects;
  std::vector<bool> values;  // by value: is it any?

  // Is `frame` behind the colon of a member that may have any value?
  bool IsBeforeAny(const Machine& machine, const Frame& frame) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.strings);
    archive.Array(self.numbers);
    archive.Array(self.arrays);
    archive.Array(self.objects);
    archive.Bits(self.values);
  }
};

// Cost: linear in the nodes.
StandardNodes FindStandardNodes(const Machine& machine);

// The grammar of any JSON value, in `style`; where `integer`, its numbers are integers.
Grammar AnyValueGrammar(const StylePolicy& style, bool integer);

}  // namespace maskloom
