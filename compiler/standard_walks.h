// What a walk over a token trie finds below a node where a standard part begins.
//
// A walk that reaches such a node takes the tokens that end inside the part, or with it, as a list,
// and goes on only where the part has ended and tokens go on: from what the grammar at hand expects
// there. So `": [` or `, "` cost a walk no more than what follows the value or key in tokens that
// go so far, which are few. Of a key the text is not known here: its ends are read again. The
// tokens with which a member's value of any kind begins are a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/category_index.h"
#include "compiler/mask.h"
#include "compiler/spaced_marks.h"
#include "compiler/standard_parts.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"
#include "tsl/robin_map.h"

namespace maskloom {

class ArchiveReader;
class Machine;
class VocabularyIndex;

class StandardWalks {
 public:
  // A node at whose byte the part ends. Its children lie in the trie that was asked for.
  struct Exit {
    uint32_t node = 0;
    uint32_t code_points = 0;  // of a string, before its quote
    CategorySet next = 0;      // of the bytes below
    uint32_t begin_bytes = 0;  // of a key, from behind its quote up to here; see BytesOf
    uint32_t byte_count = 0;
  };
  struct Walk {
    // Ends of tokens strictly below the node. Those that end with the part are members, but for
    // keys: whether they may end depends on their text.
    std::span<const TokenId> tokens;
    // Only those from which tokens go on, but for keys.
    std::span<const Exit> exits;
    // Of strings: the code points that each of the tokens begins inside. Tokens that end inside
    // come first, then those that end with the string, both with their lengths ascending.
    std::span<const uint16_t> lengths;
    uint32_t inside_count = 0;
  };

  // Of all parts but those that `style` does not tell apart from their surroundings: with
  // indentation there are none. `base_id` becomes that of the row. Cost: some milliseconds.
  StandardWalks(const VocabularyIndex& vocabulary, const StylePolicy& style, uint32_t base_id);

  // Those that Describe wrote of `vocabulary` and `style`.
  StandardWalks(const VocabularyIndex& vocabulary, const StylePolicy& style, uint32_t base_id,
                ArchiveReader* archive);

  // Returns what is known of `part`, whose first byte is that of `node` of `trie`, if anything.
  // `trie` is one of the vocabulary's: of all tokens, of the exits of strings, or of their tails.
  std::optional<Walk> Find(const TokenTrie& trie, uint32_t node, StandardPart part) const;
  // The tokens that begin a member's value of any kind, and perhaps end it, as `Find(trie of all
  // tokens, root, kMember)` lists them. Its row is null where that finds nothing.
  MaskBase member_row() const { return member_row_; }
  // Below the root of the trie of all tokens. None with a style in which it depends on the place
  // what space there may be.
  using SpaceEnd = SpacedMarks::End;
  std::span<const SpaceEnd> space_ends() const { return space_ends_; }
  // Marks where those, or the root, are; without the tokens that are white space.
  const SpacedMarks& spaced_marks() const { return spaced_marks_; }
  // The same below the marks of `trie`, which may be any, or null if nothing is known of it.
  const SpacedNodes* SpacedNodesOf(const TokenTrie& trie) const;
  // May all of them, and the root, follow white space that led to state `space`, too?
  bool SpaceEndsFollow(const StylePolicy& style, uint16_t space) const;
  std::string_view BytesOf(const Exit& exit) const {
    return std::string_view(bytes_).substr(exit.begin_bytes, exit.byte_count);
  }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Parts(self.tables_);
    archive.Array(self.tokens_);
    archive.Array(self.exits_);
    archive.Array(self.lengths_);
    archive.Text(self.bytes_);
    archive.Array(self.space_ends_);
    archive.Texts(self.space_texts_);
    archive.Array(self.member_words_);
  }

 private:
  // Ranges of tokens_ and exits_; of strings, also of lengths_.
  struct Range {
    uint32_t begin_tokens, end_tokens, begin_exits, end_exits;
    uint32_t begin_lengths, inside_count;
  };
  struct Table {
    const TokenTrie* trie = nullptr;
    SpacedNodes spaced_nodes;
    tsl::robin_map<uint64_t, Range> ranges;  // by node and part

    template <typename Archive, typename Self>
    static void Describe(Archive& archive, Self& self) {
      archive.Map(self.ranges);
    }
  };
  class Builder;

  // Fill in what is not written to files.
  void SetTries(const VocabularyIndex& vocabulary, const StylePolicy& style);
  void SetMemberRow(const VocabularyIndex& vocabulary, uint32_t base_id);

  std::vector<Table> tables_;
  std::vector<TokenId> tokens_;
  std::vector<Exit> exits_;
  std::vector<uint16_t> lengths_;
  std::string bytes_;
  std::vector<SpaceEnd> space_ends_;
  std::vector<std::string> space_texts_;  // what leads to these
  SpacedMarks spaced_marks_;
  MaskBase member_row_;
  std::vector<uint32_t> member_words_;
};

}  // namespace maskloom
