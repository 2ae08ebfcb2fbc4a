// A MaskBench file, ready to be walked along.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"
#include "grammar/base/status.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom::cli {

struct BenchText {
  bool valid = false;
  std::vector<TokenId> tokens;
};

struct BenchCase {
  std::string schema;
  std::vector<BenchText> texts;
};

// Cuts a text into tokens.
using CutText = std::function<std::vector<TokenId>(std::string_view)>;

// Reads the file at `path`: an object with "schema" and "tests", or a schema itself, which has no
// texts. Texts are spelled as Python spells them and cut into tokens.
// On error: kIo, also when it is no such file; the message has the path.
Result<BenchCase> ReadBenchCase(const std::string& path, const CutText& cut);
Result<BenchCase> ReadBenchCase(const std::string& path, const Tokenizer& tokenizer);

// Returns `files`, and behind them those that `list` (if not "") names, one a line, in the folder
// `root`. On error: kInvalidArgument where there are none; as LineReader.
Result<std::vector<std::string>> CollectFiles(const std::vector<std::string>& files,
                                              const std::string& list, const std::string& root);

// Returns `path` without its folders.
std::string FileNameOf(const std::string& path);

}  // namespace maskloom::cli
