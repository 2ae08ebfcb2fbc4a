// An item of an array that compares its items, of which a part was read: which values that were
// seen can it still become?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/json_value_key.h"

namespace maskloom {

// A number, of which a part was read: its mantissa so far.
class BegunNumber {
 public:
  // Requires: `text` is not empty.
  explicit BegunNumber(std::string_view text);
  // Could it become the value of `key`? May say yes where it could not.
  bool MayBecome(std::string_view key) const;
  // ... or one of the numbers in that value?
  bool MayBecomePart(std::string_view key) const;

 private:
  bool negative_;
  std::string digits_;  // without leading zeros
};

class BegunItem {
 public:
  // Requires: `text` is not empty and well formed as far as it goes. Cost: linear.
  explicit BegunItem(std::string_view text);

  // Could the item become the value of `key`? May say yes where it could not.
  bool MayBecome(std::string_view key) const;

 private:
  void BeginContainer(std::string_view text);
  // Where keys of containers are read: may that of the part which has not ended stand at key[at]?
  bool MayBePending(std::string_view key, size_t at) const;
  bool MayBecomeObject(std::string_view key) const;
  // Takes what `container`, open inside the outermost one, holds.
  void AddInner(const OpenContainer& container);
  // Does the value of `key` hold, somewhere, all that the containers inside the outermost one do?
  bool HoldsInner(std::string_view key) const;

  char first_;                         // byte of the text
  std::string begin_;                  // a string's text; an array's key up to what has not ended
  std::optional<BegunNumber> number_;  // of a number, or of one at the end of a container
  // Of an object: its members, and the name of the one whose value has not ended.
  std::vector<ValueKey> members_;  // each one's name and value
  ValueKey pending_;
  char open_ = 0;          // how the key begins of what has not ended, where that is known
  std::string open_text_;  // of a string that has not ended
  // Of the containers open inside the outermost one: items, members and names, and the text of a
  // string that has not ended.
  std::vector<ValueKey> inner_;
  std::string inner_text_;
};

}  // namespace maskloom
