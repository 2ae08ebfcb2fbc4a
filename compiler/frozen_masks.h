// Masks of a compiled grammar as they lie in its file: found there by their keys, without being
// read one by one when the file is loaded.
//
// The keys are those of mask_key.h, in a hash table of positions that is laid out when the file is
// written. A mask names its row: rows that the vocabulary can give are named by what they are, all
// others lie in the file. A mask that is found goes into the mask cache like one that was built;
// its row stays in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/machine.h"
#include "compiler/mask.h"
#include "compiler/mask_key.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/editable_array.h"
#include "tsl/robin_map.h"

namespace maskloom {

// Thread safety: const calls from any thread.
class FrozenMasks {
 public:
  struct Entry {
    uint64_t hash;
    uint32_t key_begin, key_size;              // in key words
    uint32_t additions_begin, additions_size;  // in tokens
    uint32_t row;                              // 1 + its index; 0: the empty row
    uint32_t deeper;                           // 1: the key must be extended by a level; no mask
    uint32_t allowed_count, depth;             // of the mask
  };

  // Makes what is read ready for Find. Requires: all arguments outlive this, and so does the file;
  // `rows` are those of the grammar's masks.
  void Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows);

  // Finds the entry of `key`; null if there is none. Cost: a hash look-up.
  const Entry* Find(const MaskKey& key) const;
  // The mask of an entry. Requires: !entry.deeper. Cost: a copy of its list of tokens.
  ItemMask MaskOf(const Entry& entry) const;

  std::span<const Entry> entries() const { return entries_; }
  std::span<const uint64_t> KeyOf(const Entry& entry) const {
    return {keys_.data() + entry.key_begin, entry.key_size};
  }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.slots_);
    archive.Array(self.entries_);
    archive.Array(self.keys_);
    archive.Array(self.additions_);
    archive.Parts(self.rows_);
  }

 private:
  friend class MaskFreezer;
  enum class RowKind : uint32_t {
    kOther,        // in the file
    kRegion,       // in the file: of the tokens of `categories` and `length`
    kString,       // inside any string
    kShortString,  // the same, with `length` code points left
    kSpace,        // white space in the state `length`
    kAnyMember,    // where a member of any kind begins
    kDigits,
  };
  struct Row {
    RowKind kind = RowKind::kOther;
    uint32_t length = 0;
    CategorySet categories = 0;
    uint32_t count = 0;  // of tokens, where the words are here
    EditableArray<uint32_t> words;
    MaskBase base;  // not in the file

    template <typename Archive, typename Self>
    static void Describe(Archive& archive, Self& self) {
      archive.Value(self.kind);
      archive.Value(self.length);
      archive.Value(self.categories);
      archive.Value(self.count);
      archive.Array(self.words);
    }
  };

  MaskBase BaseOf(const Row& row) const;

  EditableArray<uint32_t> slots_;  // 1 + index of an entry, or 0; a power of two of them
  EditableArray<Entry> entries_;
  EditableArray<uint64_t> keys_;
  EditableArray<TokenId> additions_;
  std::vector<Row> rows_;
  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  const BaseRows* base_rows_ = nullptr;
};

// Gathers masks for a file. Not thread-safe.
class MaskFreezer {
 public:
  // `rows`: those of the grammar's masks.
  MaskFreezer(const Machine& machine, const VocabularyIndex& vocabulary, const BaseRows& rows)
      : machine_(machine), vocabulary_(vocabulary), base_rows_(rows) {}

  // Adds the mask of a key, or that the key must be extended. Keys that are there are left out.
  void Add(uint64_t hash, std::span<const uint64_t> key, bool deeper, const ItemMask& mask);
  // Returns what was added; this is empty then.
  FrozenMasks Finish();

 private:
  uint32_t RowOf(const ItemMask& mask, uint64_t first_key_word);
  FrozenMasks::Row NameRow(const ItemMask& mask, uint64_t first_key_word) const;

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  const BaseRows& base_rows_;
  FrozenMasks frozen_;
  tsl::robin_map<const uint32_t*, uint32_t> row_numbers_;
};

}  // namespace maskloom
