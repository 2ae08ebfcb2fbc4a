// Writes random ECMA-262 patterns, and random texts that they have a chance to match.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace maskloom::testing {

class PatternWriter {
 public:
  explicit PatternWriter(uint32_t seed) : random_(seed) {}

  // A pattern with the flag `u` in mind: look-arounds, boundaries, properties, references, names.
  std::string Pattern();
  // A string of what patterns are made of: mostly a syntax error.
  std::string Scribble();
  std::string Text();

 private:
  uint32_t Pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  void Alternatives(int depth);
  void Term(int depth);
  void Atom(int depth);

  std::mt19937 random_;
  std::string out_;
  uint32_t groups_ = 0;
  uint32_t names_ = 0;
};

}  // namespace maskloom::testing
