// Runs bench_logits as a script would and gathers what it says.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace maskloom {

inline constexpr int kCannotRun = 77;  // the exit status where something is missing

struct Answer {
  int exit_status = -1;
  std::string out;  // stderr too

  std::vector<std::string> JsonLines() const {
    std::vector<std::string> lines;
    std::istringstream text(out);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("{")) lines.push_back(line);
    }
    return lines;
  }
};

inline Answer RunBench(const std::string& arguments) {
  Answer answer;
  const std::string command = std::string(MASKLOOM_BENCH_LOGITS) + " " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return answer;
  char part[4096];
  for (size_t n; (n = std::fread(part, 1, sizeof(part), pipe)) > 0;) answer.out.append(part, n);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) answer.exit_status = WEXITSTATUS(status);
  return answer;
}

}  // namespace maskloom
