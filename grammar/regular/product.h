// Products of deterministic automata, in the general form that Product, Intersect, Unite and
// JoinLabels share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/regular/regular.h"

namespace maskloom {

// Code points are those before and those behind the surrogates.
inline constexpr uint32_t kLastBeforeSurrogates = 0xD7FF;
inline constexpr uint32_t kFirstBehindSurrogates = 0xE000;

// A label function gives this label to stop with an error of its own.
inline constexpr uint32_t kAbandoned = 0xFFFFFFFF;

struct ProductOptions {
  // Whether a text is rejected once any part is dead; else the label function decides.
  bool rejects_any_dead = false;
  // Replaces states of a tuple (one a part) by others; the tuple before and the tuple after must
  // label all texts alike. Called for each edge of the product, so it must be quick.
  std::function<void(std::span<uint32_t> states)> simplify;
};

// Requires: no calls. On error: kResourceLimit where more than `max_states` tuples are reached;
// any error where `label` gives kAbandoned.
Result<TextAutomaton> BuildProduct(const std::vector<const TextAutomaton*>& parts,
                                   const LabelFunction& label, const ProductOptions& options,
                                   uint32_t max_states);

}  // namespace maskloom
