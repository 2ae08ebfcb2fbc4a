#include "compiler/text_insides.h"

#include <utility>

namespace maskloom {

std::shared_ptr<const TextInside> TextInsides::Find(const Key& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = known_.find(key);
  return known == known_.end() ? nullptr : known->second;
}

std::shared_ptr<const TextInside> TextInsides::Keep(const Key& key, TextInside inside) {
  // Lists that states share are counted once.
  const size_t list_bytes = inside.tokens.use_count() == 1 ? inside.tokens->size() * 4 : 0;
  const size_t bytes = sizeof(TextInside) + sizeof(Key) + inside.ends.size() * 8 + list_bytes;
  auto made = std::make_shared<const TextInside>(std::move(inside));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (bytes_ + bytes > kMaxBytes) ForgetLocked();
  const auto [it, added] = known_.try_emplace(key, std::move(made));
  if (added) bytes_ += bytes;
  return it->second;
}

void TextInsides::Forget() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ForgetLocked();
}

void TextInsides::ForgetLocked() {
  known_.clear();
  bytes_ = 0;
}

}  // namespace maskloom
