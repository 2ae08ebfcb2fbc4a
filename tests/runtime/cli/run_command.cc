#include "tests/runtime/cli/run_command.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

std::string TestFolder() {
  static const std::string folder = [] {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("maskloom-cli-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    std::atexit([] {
      std::error_code error;
      std::filesystem::remove_all(std::filesystem::temp_directory_path() /
                                      ("maskloom-cli-test-" + std::to_string(::getpid())),
                                  error);
    });
    return path.string();
  }();
  return folder;
}

// Puts the file at `path` in place of the descriptor `fd`; ends the child if that fails.
void Redirect(const std::string& path, int flags, int fd) {
  int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, fd) < 0) ::_exit(126);
}

}  // namespace

std::string WriteTestFile(const std::string& name, const std::string& text) {
  std::string path = TestFolder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ReadTestFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

CommandResult RunMaskloom(const std::vector<std::string>& arguments, const CommandInput& input) {
  std::string in = WriteTestFile("stdin", input.text);
  std::string out = input.stdout_path.empty() ? WriteTestFile("stdout", "") : input.stdout_path;
  std::string err = WriteTestFile("stderr", "");
  std::vector<char*> argv = {const_cast<char*>("maskloom")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    Redirect(in, O_RDONLY, STDIN_FILENO);
    Redirect(out, O_WRONLY, STDOUT_FILENO);
    Redirect(err, O_WRONLY, STDERR_FILENO);
    for (const std::string& entry : input.environment) ::putenv(const_cast<char*>(entry.c_str()));
    if (const rlim_t limit = input.file_size_limit; limit > 0) {
      const rlimit sizes = {limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &sizes);
    }
    ::execv(MASKLOOM_BINARY, argv.data());
    ::_exit(127);
  }
  if (input.while_running) input.while_running(child, out);
  int status = 0;
  ::waitpid(child, &status, 0);
  CommandResult result;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (input.stdout_path.empty()) result.out = ReadTestFile(out);
  result.err = ReadTestFile(err);
  return result;
}

std::string TinyTokenizerJson() {
  // Byte-level BPE writes each byte as a character: printable ones as themselves, the others from
  // U+0100 on.
  std::vector<std::string> symbols(256);
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    AppendUtf8(printable ? byte : next, &symbols[byte]);
    if (!printable) ++next;
  }
  std::string vocab;
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string symbol = symbols[byte];
    if (symbol == "\"" || symbol == "\\") symbol.insert(0, "\\");
    vocab += "\"" + symbol + "\":" + std::to_string(byte) + ",";
  }
  vocab += "\"ab\":256,\"tr\":257,\"ue\":258,\"true\":259";
  return "{\"version\":\"1.0\",\"added_tokens\":[{\"id\":260,\"content\":\"<|im_end|>\","
         "\"special\":true,\"normalized\":false}],\"normalizer\":null,\"pre_tokenizer\":"
         "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true},"
         "\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",\"vocab\":{" +
         vocab + "},\"merges\":[\"a b\",\"t r\",\"u e\",\"tr ue\"]}}";
}

}  // namespace maskloom
