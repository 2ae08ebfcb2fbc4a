// Bytes that arrive in pieces to text that a terminal can show.
#pragma once

#include <string>
#include <string_view>

namespace maskloom {

// Tokens end anywhere, also inside a character. The stream holds back the bytes of a character
// until it is complete, and shows U+FFFD in place of bytes that can no longer become one.
// Invariants: 1. everything handed out is well-formed UTF-8; 2. at most three bytes are held back;
// 3. well-formed input comes out unchanged. Thread safety: none.
class Utf8Stream {
 public:
  // Takes `bytes` and appends to `*out` what has become complete.
  void Append(std::string_view bytes, std::string* out);

  // Ends the text: appends U+FFFD to `*out` if a character was left incomplete. The stream is then
  // as new.
  void Finish(std::string* out);

 private:
  std::string held_;  // the beginning of one character
};

}  // namespace maskloom
