// Draws terms and how they are joined.
#include "tests/suites/random_regex.h"

#include <initializer_list>

namespace maskloom::suites {
namespace {

class Writer {
 public:
  explicit Writer(std::mt19937_64* random) : random_(*random) {}

  std::string Regex(int depth) {
    std::string out;
    for (size_t i = 1 + Below(3); i > 0; --i) out += RegexTerm(depth);
    if (depth > 0 && Below(3) == 0) out += "|" + Regex(depth - 1);
    return out;
  }

 private:
  size_t Below(size_t count) { return random_() % count; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }
  std::string Repeat() {
    return Pick({"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,12}"});
  }

  std::string RegexTerm(int depth) {
    if (depth > 0 && Below(3) == 0) return "(?:" + Regex(depth - 1) + ")" + Repeat();
    return Pick({"a", "b", "0", "\xC3\xA9", "[ab]", "[^a]", "\\d", "\\.", "tr", "\\n"}) + Repeat();
  }

  std::mt19937_64& random_;
};

}  // namespace

std::string RandomRegex(std::mt19937_64* random) { return Writer(random).Regex(2); }

}  // namespace maskloom::suites
