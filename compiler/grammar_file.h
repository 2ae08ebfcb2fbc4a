// Compiled grammars as files: machine and masks in one, to be mapped and used as they lie.
//
// Nothing is compiled when a file is loaded. Arrays stay in the mapping, shared by all processes
// that use it; small tables are read; automata of numbers are made when they are first needed.
// Masks that the file lacks are built on first use, as ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "compiler/compiled_grammar.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"

namespace maskloom {

// Of files of compiled grammars. It must be raised whenever tables, mask keys, what stands in masks
// or how they are written change.
inline constexpr uint32_t kGrammarFileVersion = 4;

// What else a file says, such as where the grammar came from, is up to whoever writes and reads it.
using WriteLabel = std::function<void(GrammarWriter&)>;
using ReadLabel = std::function<void(GrammarReader&)>;

// Returns the bytes of a file with `grammar` and the masks it has by now.
// Thread safety: any thread; those who build masks meanwhile may wait.
std::string GrammarFileBytes(const CompiledGrammar& grammar, const WriteLabel& label);

// Takes the file `bytes`, which lie at a multiple of 8 and which `keep` keeps.
// On error: kInvalidArgument for what is no such file, of another version or vocabulary, cut short
// or damaged. A forged file is not told apart: load only files that you would run.
// Cost: reads all bytes once, for the checksum; makes the tables of the machine.
Result<std::shared_ptr<const CompiledGrammar>> ReadGrammarFile(
    std::shared_ptr<const void> keep, std::span<const std::byte> bytes,
    std::shared_ptr<const VocabularyIndex> vocabulary, const CompileLimits& limits,
    const ReadLabel& label);
// Maps the file at `path`. On error: also kIo.
Result<std::shared_ptr<const CompiledGrammar>> OpenGrammarFile(
    const std::string& path, std::shared_ptr<const VocabularyIndex> vocabulary,
    const CompileLimits& limits, const ReadLabel& label);

}  // namespace maskloom
