// The judge: a slow recogniser that is right by construction, against which the engine is proven.
//
// It reads the JSON Schema, the regular expression or the grammar itself with parsers of its own
// and shares no code with grammar/, compiler/ or runtime/ but Status. A state is an integer for
// everything that was read; stepping is memoised. Two questions are kept apart, because a token may
// hold bytes that no token spells alone: Step() gives kDead iff no bytes at all complete the text,
// and Live() tells whether bytes of the spellable set complete it. A token is allowed iff its steps
// end in a live state; between its bytes the state need not be live.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "grammar/base/status.h"

namespace maskloom::judge {

using State = int32_t;
inline constexpr State kDead = -1;

// How JSON texts may be spelled, and which bytes what follows may use.
struct JudgeStyle {
  enum class Whitespace {
    kFlexible,  // between JSON tokens one line break (\n or \r\n) and max_blanks blanks, any order
    kCompact,   // none
    kIndent,    // exactly as Python's json.dumps(indent=N) writes
    kAny,       // all of RFC 8259, also around the root
    kSpaced,    // exactly as Python's json.dumps writes by default
  };
  Whitespace whitespace = Whitespace::kFlexible;
  uint32_t max_blanks = 64;
  uint32_t indent = 2;
  // Properties in their order, then names that only `required` lists, in its order, then others.
  bool declared_order = false;
  bool plain_strings = false;  // strings as json.dumps(ensure_ascii=False) writes them
  uint32_t max_digits = 64;    // of the integer part and of the fraction; 0: no limit, nor on
                               // exponents, which else have at most three digits
  std::bitset<256> spellable = std::bitset<256>().set();
};

// Not safe for several threads.
class Judge {
 public:
  virtual ~Judge() = default;

  // Each reads its definition. On error: kInvalidDefinition, kUnsupported (what the judge does not
  // know), kUnsatisfiable (no text is accepted), kResourceLimit.
  static Result<std::unique_ptr<Judge>> ForSchema(std::string_view text, const JudgeStyle& style);
  // The whole text has to match.
  static Result<std::unique_ptr<Judge>> ForRegex(
      std::string_view pattern, const std::bitset<256>& spellable = std::bitset<256>().set());
  // Start rule `root`.
  static Result<std::unique_ptr<Judge>> ForEbnf(
      std::string_view text, const std::bitset<256>& spellable = std::bitset<256>().set());

  virtual State Start() = 0;
  virtual bool Accepting(State state) = 0;
  // Whether some bytes of the spellable set (none, if the text may end here) complete the text.
  virtual bool Live(State state) = 0;
  // The state after `byte`, or kDead if nothing completes the text. Requires: `state` not kDead.
  State Step(State state, uint8_t byte);
  // The state after all of `text`, or kDead.
  State Walk(State state, std::string_view text);
  bool Accepts(std::string_view text);

  // States made so far; ForgetFrom(mark) drops those that were made since, so that walking many
  // tries does not fill the memory. States below `mark` stay valid.
  virtual State StateCount() const = 0;
  void ForgetFrom(State mark);

 protected:
  virtual State Advance(State state, uint8_t byte) = 0;
  virtual void DropFrom(State mark) = 0;

 private:
  std::unordered_map<uint64_t, State> steps_;
};

}  // namespace maskloom::judge
