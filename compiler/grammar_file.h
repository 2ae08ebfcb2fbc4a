// Compiled grammars as files: machine and masks in one, to be mapped and used as they lie.
//
// Nothing is compiled when a file is loaded. Arrays stay in the mapping, shared by all processes
// that use it; small tables are read; automata of numbers are made when they are first needed.
// Masks that the file lacks are built on first use, as ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "compiler/compiled_grammar.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"

namespace maskloom {

// Of files of compiled grammars. It must be raised whenever tables, mask keys, what stands in masks
// or how they are written change.
inline constexpr uint32_t kGrammarFileVersion = 1;

// Returns the bytes of a file with `grammar`, the masks it has by now, and `label`, bytes for who
// reads it. Thread safety: any thread; those who build masks meanwhile may wait.
std::string GrammarFileBytes(const CompiledGrammar& grammar, std::string_view label);

struct GrammarFile {
  std::shared_ptr<const CompiledGrammar> grammar;
  std::string label;
};

// Takes the file `bytes`, which lie at a multiple of 8 and which `keep` keeps.
// On error: kInvalidArgument for what is no such file, of another version or vocabulary, cut short
// or damaged. A forged file is not told apart: load only files that you would run.
// Cost: reads all bytes once, for the checksum; makes the tables of the machine.
Result<GrammarFile> ReadGrammarFile(std::shared_ptr<const void> keep,
                                    std::span<const std::byte> bytes,
                                    std::shared_ptr<const VocabularyIndex> vocabulary,
                                    const CompileLimits& limits = {});
// Maps the file at `path`. On error: also kIo.
Result<GrammarFile> OpenGrammarFile(const std::string& path,
                                    std::shared_ptr<const VocabularyIndex> vocabulary,
                                    const CompileLimits& limits = {});

}  // namespace maskloom
