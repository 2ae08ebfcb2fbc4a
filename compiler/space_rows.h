// Rows of the white space tokens that may follow in a state of the white space automaton.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "compiler/mask.h"
#include "compiler/vocabulary.h"
#include "grammar/ir.h"

namespace maskloom {

// Made on first use and shared by all grammars of a vocabulary: they depend on the style policy and
// the vocabulary alone. Thread safety: any thread. Rows never move or change.
class SpaceRows {
 public:
  // Base ids of these rows, for MaskInfo, are kFirstId and above.
  static constexpr uint32_t kFirstId = 1u << 20;

  // `tokens`: those of white space only. Both must outlive this.
  SpaceRows(const Vocabulary& vocabulary, const std::vector<TokenId>& tokens)
      : vocabulary_(vocabulary), tokens_(tokens) {}

  // Requires: style.whitespace is kFlexible or kAny, where the place does not matter.
  MaskBase Find(const StylePolicy& style, uint16_t space);
  size_t MemoryBytes() const;

 private:
  struct Row {
    uint32_t id;
    uint32_t count = 0;
    std::vector<uint32_t> words;
  };
  using Key = std::tuple<StylePolicy::Whitespace, uint32_t, uint16_t>;

  const Vocabulary& vocabulary_;
  const std::vector<TokenId>& tokens_;
  mutable std::mutex mutex_;
  std::map<Key, std::unique_ptr<Row>> rows_;
};

}  // namespace maskloom
