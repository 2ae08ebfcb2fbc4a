// Runs the command `maskloom` as a person or a script would, and gathers what it says.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace maskloom {

struct CommandResult {
  int exit_status = -1;  // 128 + n after signal n
  std::string out;
  std::string err;
};

struct CommandInput {
  std::string text;                      // standard input
  std::vector<std::string> environment;  // NAME=value, added
  std::string stdout_path;               // where stdout goes instead; then `out` is empty
  size_t file_size_limit = 0;            // of files that the command writes (RLIMIT_FSIZE); 0: none
  // Called once after the start, with the process and the file that its stdout goes to.
  std::function<void(int pid, const std::string& out)> while_running;
};

// Runs the command with `arguments`.
CommandResult RunMaskloom(const std::vector<std::string>& arguments,
                          const CommandInput& input = {});

// Writes a file in the test's folder of temporary files and returns its path.
std::string WriteTestFile(const std::string& name, const std::string& text);

// Returns the bytes of a file.
std::string ReadTestFile(const std::string& path);

// Returns a tokenizer.json of the 256 bytes and a few merged tokens, with the end token
// <|im_end|>.
std::string TinyTokenizerJson();

}  // namespace maskloom
