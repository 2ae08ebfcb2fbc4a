// The tokens that hold a mark, by what stands before the first one and by what follows.
//
// Where a text may go on freely but for a mark, all tokens with that mark are to be told: which of
// them may leave the text there. Most have one of few beginnings, and behind the mark only few ways
// lead on. So the beginnings are run through the automaton once, and what follows is walked once
// for each state that they lead to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/categories.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"
#include "grammar/base/flat_array.h"

namespace maskloom {

// What stands below the nodes of a trie.
class CategoriesBelow {
 public:
  // Of the tokens that end at or below a node, counted from that node's byte on: all categories,
  // and the most code points that begin.
  struct Below {
    CategorySet categories = 0;
    uint32_t code_points = 0;
  };

  CategoriesBelow() = default;
  explicit CategoriesBelow(const TokenTrie& trie);
  Below operator[](uint32_t node) const { return {categories_[node], code_points_[node]}; }
  size_t MemoryBytes() const { return categories_.size() * 10; }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.categories_);
    archive.Array(self.code_points_);
  }

 private:
  FlatArray<CategorySet> categories_;
  FlatArray<uint16_t> code_points_;
};

class ExitIndex {
 public:
  // A token as the parts before its first mark and from that on.
  struct Split {
    std::string_view bytes;
    uint32_t mark = 0;  // where the mark is
    TokenId id = 0;
  };
  // A token with the number of its beginning.
  struct Exit {
    TokenId id;
    uint32_t beginning;
  };

  ExitIndex() = default;
  explicit ExitIndex(const std::vector<Split>& tokens);

  // What stands before the mark; ids are numbers of beginnings, one each.
  const TokenTrie& beginnings() const { return beginnings_; }
  uint32_t beginning_count() const { return static_cast<uint32_t>(beginning_categories_.size()); }
  // Of a beginning; see TextParts.
  CategorySet categories(uint32_t number) const { return beginning_categories_[number]; }
  CategorySet behind_space(uint32_t number) const { return beginning_behind_space_[number]; }
  uint32_t code_points(uint32_t number) const { return beginning_lengths_[number]; }
  // What follows, from the mark on; ids are numbers of exits.
  const TokenTrie& tails() const { return tails_; }
  const CategoriesBelow& below() const { return below_; }
  const Exit& exit(uint32_t number) const { return exits_[number]; }
  // The exits behind a beginning.
  std::span<const Exit> ExitsOf(uint32_t number) const {
    const uint32_t first = beginning_firsts_[number];
    return {exits_.data() + first, beginning_firsts_[number + 1] - first};
  }
  bool empty() const { return exits_.empty(); }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Part(self.beginnings_);
    archive.Part(self.tails_);
    archive.Part(self.below_);
    archive.Array(self.beginning_categories_);
    archive.Array(self.beginning_behind_space_);
    archive.Array(self.beginning_lengths_);
    archive.Array(self.beginning_firsts_);
    archive.Array(self.exits_);
  }

  size_t MemoryBytes() const {
    return beginnings_.MemoryBytes() + tails_.MemoryBytes() + below_.MemoryBytes() +
           exits_.size() * sizeof(Exit) + beginning_categories_.size() * 22;
  }

 private:
  void SetBeginningParts(const std::vector<std::string_view>& texts);

  TokenTrie beginnings_;
  TokenTrie tails_;
  CategoriesBelow below_;                          // by node of tails_
  FlatArray<CategorySet> beginning_categories_;    // by beginning
  FlatArray<CategorySet> beginning_behind_space_;  // the same
  FlatArray<uint16_t> beginning_lengths_;          // the same; code points
  FlatArray<uint32_t> beginning_firsts_;           // in exits_, and behind the last
  FlatArray<Exit> exits_;                          // ascending by beginning
};

}  // namespace maskloom
