// Guards the arrows between folders by reading the #include lines of the whole tree.
//
// A part is a folder, or a group of files, that stands in the table below with the parts that it
// may include besides itself. ARCHITECTURE.md draws the same arrows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/house/source_tree.h"

namespace maskloom {
namespace {

using Parts = std::set<std::string>;

const std::map<std::string, Parts>& Arrows() {
  static const auto* arrows = new std::map<std::string, Parts>{
      {"grammar/base", {}},
      {"grammar/ir", {"grammar/base"}},
      {"grammar/regular", {"grammar/base"}},
      {"grammar/regex", {"grammar/base", "grammar/regular"}},
      {"grammar/formats", {"grammar/base", "grammar/regular"}},
      {"grammar/ebnf", {"grammar/base", "grammar/ir", "grammar/regular", "grammar/regex"}},
      {"grammar/schema",
       {"grammar/base", "grammar/ir", "grammar/regular", "grammar/regex", "grammar/formats"}},
      // The compiler reads the IR and never a front end.
      {"compiler", {"grammar/base", "grammar/ir", "grammar/regular"}},
      {"kernels", {}},
      // The stand-in for CUDA can be taken out of the tree by itself.
      {"kernels/simt", {}},
      {"kernels/cuda", {"kernels", "kernels/simt"}},
      {"runtime",
       {"compiler", "grammar/base", "grammar/ir", "grammar/regular", "grammar/regex",
        "grammar/ebnf", "grammar/schema", "kernels"}},
      // The C API for CUDA stands beside libmaskloom, and sees of the core what that exports;
      // besides, two interfaces and the checks of sampling options, which need nothing else.
      {"runtime/cuda_api", {"runtime", "kernels", "kernels/cuda", "grammar/base"}},
      // The command line is the top: nothing else of runtime includes it.
      {"runtime/cli", {"runtime", "compiler", "grammar/base", "grammar/ir"}},
      // The judge must not share a fault with what it judges.
      {"tests/judge", {"grammar/base", "tests/support"}},
      {"tests/support", {"grammar/base"}},
  };
  return *arrows;
}

// Returns the part of `path`: the longest name in the table that covers it. Nothing for tests and
// benches that may include all. Files of grammar/ itself are the IR.
std::optional<std::string> PartOf(const std::string& path) {
  if (path.starts_with("grammar/") && path.find('/', 8) == std::string::npos) return "grammar/ir";
  std::optional<std::string> best;
  for (const auto& [part, targets] : Arrows()) {
    if (path.starts_with(part + "/") && (!best || part.size() > best->size())) best = part;
  }
  return best;
}

// Returns what is wrong with `path` including `target`; "" if nothing is.
std::string WrongArrow(const std::string& path, const std::string& target) {
  std::optional<std::string> from = PartOf(path);
  std::optional<std::string> to = PartOf(target);
  bool of_tests = path.starts_with("tests/") || path.starts_with("bench/");
  if (!from) return of_tests ? "" : path + " belongs to no part in the table of arrows";
  if (from->starts_with("tests/") && path.ends_with("_test.cc")) return "";
  if (!to) return *from + " includes " + target + ", which is no part that it may see";
  if (*from == *to || Arrows().at(*from).contains(*to)) return "";
  return "the arrow " + *from + " -> " + *to + " is not allowed";
}

const std::vector<std::string>& SourceEndings() {
  static const auto* endings = new std::vector<std::string>{".h", ".hpp", ".cc", ".c", ".cu"};
  return *endings;
}

// Quoted, but not of this tree: the C API's own header as a user includes it, and libraries.
bool IsForeign(const std::string& include) {
  return include == "maskloom.h" || include == "maskloom.hpp" || include.starts_with("tsl/");
}

TEST(HouseArrows, PointOnlyWhereTheTableSays) {
  size_t seen = 0;
  for (const std::string& path : ListFiles("", SourceEndings())) {
    for (const IncludeLine& include : QuotedIncludes(ReadSource(path))) {
      if (IsForeign(include.path) && !path.starts_with("kernels/")) continue;
      std::string wrong = WrongArrow(path, include.path);
      EXPECT_EQ(wrong, "") << path << ":" << include.line << " includes \"" << include.path << '"';
      ++seen;
    }
  }
  EXPECT_GT(seen, 100u) << "the tree was not found at " << SourceRoot();
}

TEST(HouseArrows, IncludesNameFilesFromTheRoot) {
  for (const std::string& path : ListFiles("", SourceEndings())) {
    for (const IncludeLine& include : QuotedIncludes(ReadSource(path))) {
      if (IsForeign(include.path)) continue;
      EXPECT_TRUE(SourceExists(include.path))
          << path << ":" << include.line << " includes \"" << include.path << '"';
    }
  }
}

TEST(HouseArrows, TableRefusesWhatDesignForbids) {
  EXPECT_NE(WrongArrow("kernels/kernels.h", "grammar/base/status.h"), "");
  EXPECT_NE(WrongArrow("kernels/simt/block.h", "kernels/half.h"), "");
  EXPECT_NE(WrongArrow("kernels/kernels.cc", "kernels/simt/block.h"), "");
  EXPECT_NE(WrongArrow("kernels/kernels.cc", "kernels/cuda/logits.h"), "");
  EXPECT_NE(WrongArrow("grammar/ir.cc", "compiler/vocabulary.h"), "");
  EXPECT_NE(WrongArrow("grammar/base/status.cc", "grammar/ir.h"), "");
  EXPECT_NE(WrongArrow("compiler/machine.cc", "grammar/schema/json_schema.h"), "");
  EXPECT_NE(WrongArrow("compiler/machine.cc", "runtime/matcher.h"), "");
  EXPECT_NE(WrongArrow("runtime/matcher.cc", "runtime/cli/files.h"), "");
  EXPECT_NE(WrongArrow("runtime/matcher.cc", "runtime/cuda_api/cuda_memory.h"), "");
  EXPECT_NE(WrongArrow("runtime/device/mask_pool.cc", "kernels/cuda/rows.h"), "");
  EXPECT_NE(WrongArrow("tests/judge/judge.cc", "grammar/schema/json_schema.h"), "");
  EXPECT_NE(WrongArrow("stray.cc", "grammar/ir.h"), "");
  EXPECT_EQ(WrongArrow("runtime/matcher.cc", "compiler/machine.h"), "");
  EXPECT_EQ(WrongArrow("runtime/cuda_api/cuda_batch.cc", "kernels/cuda/rows.h"), "");
  EXPECT_EQ(WrongArrow("runtime/sampler/sampler.cc", "kernels/sampling/sampler_step.h"), "");
  EXPECT_EQ(WrongArrow("tests/compiler/any_test.cc", "grammar/schema/json_schema.h"), "");
}

TEST(HouseArrows, IncludeLinesAreReadInAllSpellings) {
  auto includes =
      QuotedIncludes("#include \"a/b.h\"\n #  include\t\"c.h\"\n#include <d.h>\n//\"e\"");
  ASSERT_EQ(includes.size(), 2u);
  EXPECT_EQ(includes[0].path, "a/b.h");
  EXPECT_EQ(includes[1].path, "c.h");
  EXPECT_EQ(includes[1].line, 2u);
}

}  // namespace
}  // namespace maskloom
