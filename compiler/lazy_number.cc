#include "compiler/lazy_number.h"

#include <utility>

namespace maskloom {

LazyNumber::LazyNumber(std::unique_ptr<NumberAutomaton> made)
    : owned_(std::move(made)), made_(owned_.get()) {}

LazyNumber& LazyNumber::operator=(LazyNumber&& other) noexcept {
  blueprint_ = std::move(other.blueprint_);
  owned_ = std::move(other.owned_);
  made_.store(other.made_.exchange(nullptr));
  return *this;
}

void LazyNumber::MakeFrom(const NumberNode* node, uint32_t max_digits,
                          const StandardNumbers* numbers) {
  blueprint_->node = node;
  blueprint_->max_digits = max_digits;
  blueprint_->numbers = numbers;
}

const NumberAutomaton& LazyNumber::Make() const {
  std::call_once(blueprint_->once, [this] {
    auto made = blueprint_->numbers->Make(*blueprint_->node, blueprint_->max_digits);
    if (!made.ok()) {
      // Admission has made it once, so this is no file of ours: no number may come here.
      NumberNode never;
      never.one_of.emplace();
      made = blueprint_->numbers->Make(never, 1);
    }
    owned_ = std::move(*made);
    owned_->Retrace(blueprint_->origins);
    made_.store(owned_.get(), std::memory_order_release);
  });
  return *owned_;
}

FlatArray<NumberOrigin> LazyNumber::Origins() const {
  const NumberAutomaton* made = made_.load(std::memory_order_acquire);
  return made != nullptr ? FlatArray<NumberOrigin>(made->Origins()) : blueprint_->origins;
}

size_t LazyNumber::MemoryBytes() const {
  const NumberAutomaton* made = made_.load(std::memory_order_acquire);
  return (blueprint_ != nullptr ? sizeof(Blueprint) : 0) +
         (made != nullptr ? made->memory_bytes() : 0);
}

}  // namespace maskloom
