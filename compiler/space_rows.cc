#include "compiler/space_rows.h"

#include "compiler/white_space.h"

namespace maskloom {

MaskBase SpaceRows::Find(const StylePolicy& style, uint16_t space) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Row>& row = rows_[{style.whitespace, style.max_blanks, space}];
  if (row == nullptr) {
    const uint32_t id = kFirstId + static_cast<uint32_t>(rows_.size()) - 1;
    row = std::make_unique<Row>(Row{id, 0, std::vector<uint32_t>((vocabulary_.size() + 31) / 32)});
    for (const TokenId token : tokens_) {
      uint16_t reached = space;
      for (const char c : vocabulary_.bytes(token)) {
        reached = StepSpace(style, SpacePlace::kBeforeItem, 1, reached, static_cast<uint8_t>(c));
        if (reached == kNoSpace) break;
      }
      if (reached == kNoSpace) continue;
      row->words[token / 32] |= 1u << (token % 32);
      ++row->count;
    }
  }
  return {row->id, row->words.data(), row->count};
}

size_t SpaceRows::MemoryBytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rows_.size() * (sizeof(Row) + size_t{vocabulary_.size()} / 8);
}

}  // namespace maskloom
