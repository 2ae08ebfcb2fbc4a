// A compiled grammar followed byte by byte, for tests of arrays below the runtime.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/arena.h"
#include "compiler/compiled_grammar.h"
#include "compiler/stepper.h"

namespace maskloom::arrays {

// Tokens: every byte of `alphabet`, and `pieces`.
std::shared_ptr<const VocabularyIndex> VocabularyOf(const std::string& alphabet,
                                                    const std::vector<std::string>& pieces);

class ArrayWalk {
 public:
  explicit ArrayWalk(std::shared_ptr<const CompiledGrammar> grammar);
  ArrayWalk(const ArrayWalk&) = delete;

  // Takes back all but the first `length` bytes of those taken.
  void Rewind(size_t length);
  // Takes `byte`; returns whether it could be taken.
  bool Take(char byte);
  bool TakeAll(std::string_view bytes);
  // Would `bytes` be taken?
  bool Allows(std::string_view bytes);
  bool IsAccepting() const;
  const std::string& text() const { return text_; }
  // Bit i: the mask allows token i.
  std::vector<bool> Mask() const;
  std::vector<std::string> Completions() const;

 private:
  std::shared_ptr<const CompiledGrammar> grammar_;
  Arena arena_;
  Stepper stepper_;
  std::string text_;
  std::vector<std::vector<Item>> configurations_;  // one more than bytes
};

// Tokens that end, begin and hold items.
const std::vector<std::string>& Pieces();

// Takes random tokens from masks; every mask must say what steps say, every completion complete.
void WalkAtRandom(const std::shared_ptr<const CompiledGrammar>& grammar, uint64_t seed,
                  size_t bytes);
// Every mask along `text` must say what steps say.
void CheckAlong(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text);

}  // namespace maskloom::arrays
