// usage: format_texts FORMAT COUNT SEED
// Prints a JSON array of [accepted, text] pairs: random texts of the format, two of three changed.
#include <cstdio>
#include <cstdlib>

#include "grammar/base/utf8.h"
#include "grammar/formats/formats.h"
#include "tests/grammar/formats/text_walk.h"

namespace maskloom {
namespace {

void PrintString(const std::u32string& text) {
  std::putchar('"');
  for (const char32_t c : text) {
    if (c < 0x20 || c == U'"' || c == U'\\') {
      std::printf("\\u%04x", static_cast<unsigned>(c));
    } else {
      std::fputs(ToUtf8(std::u32string(1, c)).c_str(), stdout);
    }
  }
  std::putchar('"');
}

int Run(const char* name, int count, uint32_t seed) {
  const Format* format = FindFormat(name);
  if (format == nullptr || format->kind != FormatKind::kString) return 2;
  const auto automaton = FormatAutomaton(*format);
  if (!automaton.ok()) return 1;
  TextWalk walk(**automaton, seed);
  for (int i = 0; i < count; ++i) {
    std::u32string text = walk.Next();
    for (int change = 0; change < i % 3; ++change) text = walk.Mutate(text);
    const bool accepted = (*automaton)->Match(text) != TextAutomaton::kNotAccepting;
    std::printf("%s[%s, ", i == 0 ? "[" : ",\n", accepted ? "true" : "false");
    PrintString(text);
    std::putchar(']');
  }
  std::puts("]");
  return 0;
}

}  // namespace
}  // namespace maskloom

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return maskloom::Run(argv[1], std::atoi(argv[2]), static_cast<uint32_t>(std::atoi(argv[3])));
}
