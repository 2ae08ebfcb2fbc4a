// Draws terms and how they are joined; look-arounds that leave nothing to match are drawn again.
#include "tests/suites/random_regex.h"

#include <initializer_list>

#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"

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
    return Pick({"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,12}", "+?", "{3,9}?"});
  }

  std::string RegexTerm(int depth) {
    if (depth > 0 && Below(3) == 0) {
      return Pick({"(?:", "(?:", "("}) + Regex(depth - 1) + ")" + Repeat();
    }
    if (depth > 0 && Below(6) == 0) {
      return Pick({"(?=", "(?!", "(?<=", "(?<!"}) + Regex(depth - 1) + ")";
    }
    if (Below(12) == 0) return Pick({"\\b", "\\B", "^", "$"});
    return Pick({"a", "b", "0", "\xC3\xA9", "[ab]", "[^a]", "\\d", "\\.", "tr", "\\n", "\\p{L}",
                 "[\\P{L}_]", "\\p{Script=Greek}"}) +
           Repeat();
  }

  std::mt19937_64& random_;
};

}  // namespace

std::string RandomRegex(std::mt19937_64* random) {
  for (;;) {
    std::string regex = Writer(random).Regex(2);
    ExprPool pool;
    const auto expr = ParseEcmaRegex(regex, &pool);
    if (!expr.ok()) continue;
    const auto automaton = BuildAutomaton(pool, *expr, {.max_states = 2000});
    if (automaton.ok() && !automaton->empty()) return regex;
  }
}

}  // namespace maskloom::suites
