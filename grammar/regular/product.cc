// Products of deterministic automata.
//
// A state of the product is the tuple of the states that the parts are in, kDead where a part has
// rejected. The edges of a tuple come from one sweep over the sorted edges of its parts: each step
// takes the longest range on which no part changes its mind. Example: parts with edges a-m and g-z
// step through a-f, g-m, n-z.
#include "grammar/regular/product.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "grammar/base/utf8.h"
#include "grammar/regular/interner.h"
#include "grammar/regular/minimize.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

constexpr uint32_t kDead = TextAutomaton::kDead;
constexpr uint64_t kEdgesPerState = 40;  // edges of the product, for each state of the budget

class ProductBuilder {
 public:
  ProductBuilder(const std::vector<const TextAutomaton*>& parts, const LabelFunction& label,
                 const ProductOptions& options)
      : parts_(parts), label_(label), options_(options), targets_(parts.size()) {}

  Result<TextAutomaton> Build(uint32_t max_states);

 private:
  bool IsRejected(const std::vector<uint32_t>& tuple) const;
  void EmitEdges(std::vector<uint32_t> tuple);
  uint32_t LabelOf(const std::vector<uint32_t>& tuple);

  const std::vector<const TextAutomaton*>& parts_;
  const LabelFunction& label_;
  const ProductOptions& options_;
  bool rejects_all_dead_ = false;
  SequenceInterner tuples_;
  std::vector<uint32_t> targets_;
  std::vector<uint32_t> labels_;
  TextAutomaton result_;
};

bool ProductBuilder::IsRejected(const std::vector<uint32_t>& tuple) const {
  const auto is_dead = [](uint32_t state) { return state == kDead; };
  if (options_.rejects_any_dead) return std::any_of(tuple.begin(), tuple.end(), is_dead);
  return rejects_all_dead_ && std::all_of(tuple.begin(), tuple.end(), is_dead);
}

uint32_t ProductBuilder::LabelOf(const std::vector<uint32_t>& tuple) {
  labels_.resize(tuple.size());
  for (size_t i = 0; i < tuple.size(); ++i) {
    labels_[i] = tuple[i] == kDead ? TextAutomaton::kNotAccepting : parts_[i]->labels[tuple[i]];
  }
  return label_(labels_);
}

void ProductBuilder::EmitEdges(std::vector<uint32_t> tuple) {
  std::vector<std::span<const TextAutomaton::Edge>> rest(tuple.size());
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i] != kDead) rest[i] = parts_[i]->EdgesOf(tuple[i]);
  }
  const size_t first_edge = result_.edges.size();
  uint32_t at = 0;
  while (at <= kMaxCodePoint) {
    uint32_t last = at <= kLastBeforeSurrogates ? kLastBeforeSurrogates : kMaxCodePoint;
    for (size_t i = 0; i < rest.size(); ++i) {
      while (!rest[i].empty() && rest[i].front().last < at) rest[i] = rest[i].subspan(1);
      targets_[i] = kDead;
      if (rest[i].empty()) continue;
      const TextAutomaton::Edge& edge = rest[i].front();
      if (edge.first <= at) {
        targets_[i] = edge.target;
        last = std::min(last, edge.last);
      } else {
        last = std::min(last, edge.first - 1);
      }
    }
    if (!IsRejected(targets_)) {
      if (options_.simplify) options_.simplify(targets_);
      const uint32_t target = tuples_.Intern(targets_).first;
      auto& edges = result_.edges;
      if (edges.size() > first_edge && edges.back().target == target &&
          edges.back().last + 1 == at) {
        edges.back().last = last;
      } else {
        edges.push_back({at, last, target});
      }
    }
    at = last == kLastBeforeSurrogates ? kFirstBehindSurrogates : last + 1;
  }
  result_.edge_begins.push_back(static_cast<uint32_t>(result_.edges.size()));
}

Result<TextAutomaton> ProductBuilder::Build(uint32_t max_states) {
  std::vector<uint32_t> tuple(parts_.size());
  rejects_all_dead_ =
      LabelOf(std::vector<uint32_t>(parts_.size(), kDead)) == TextAutomaton::kNotAccepting;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->has_calls()) {
      return Status(StatusCode::kInvalidArgument, "a product takes no automata with calls");
    }
    tuple[i] = parts_[i]->empty() ? kDead : 0;
  }
  if (IsRejected(tuple)) return TextAutomaton{};
  if (options_.simplify) options_.simplify(tuple);
  tuples_.Intern(tuple);
  for (uint32_t state = 0; state < tuples_.size(); ++state) {
    std::span<const uint32_t> items = tuples_[state];
    tuple.assign(items.begin(), items.end());
    result_.labels.push_back(LabelOf(tuple));
    if (result_.labels.back() == kAbandoned) {
      return Status(StatusCode::kResourceLimit, "a product of automata was abandoned");
    }
    EmitEdges(tuple);
    if (tuples_.size() > max_states ||
        result_.edges.size() > kEdgesPerState * max_states + 1000000) {
      return Status(StatusCode::kResourceLimit, "a product of " + std::to_string(parts_.size()) +
                                                    " automata grows beyond " +
                                                    std::to_string(max_states) + " states");
    }
  }
  return Minimize(result_);
}

}  // namespace

Result<TextAutomaton> BuildProduct(const std::vector<const TextAutomaton*>& parts,
                                   const LabelFunction& label, const ProductOptions& options,
                                   uint32_t max_states) {
  return ProductBuilder(parts, label, options).Build(max_states);
}

Result<TextAutomaton> Product(const std::vector<const TextAutomaton*>& parts,
                              const LabelFunction& label, uint32_t max_states) {
  return BuildProduct(parts, label, {}, max_states);
}

Result<TextAutomaton> Intersect(const TextAutomaton& a, const TextAutomaton& b,
                                uint32_t max_states) {
  const std::vector<const TextAutomaton*> parts{&a, &b};
  const LabelFunction both = [](const std::vector<uint32_t>& labels) {
    return labels[1] != TextAutomaton::kNotAccepting ? labels[0] : TextAutomaton::kNotAccepting;
  };
  return BuildProduct(parts, both, {.rejects_any_dead = true, .simplify = nullptr}, max_states);
}

Result<TextAutomaton> Unite(const TextAutomaton& a, const TextAutomaton& b, uint32_t max_states) {
  const LabelFunction either = [](const std::vector<uint32_t>& labels) {
    return labels[0] != TextAutomaton::kNotAccepting ? labels[0] : labels[1];
  };
  return Product({&a, &b}, either, max_states);
}

TextAutomaton Complement(const TextAutomaton& a) {
  TextAutomaton raw;
  const uint32_t sink = a.state_count();  // where `a` is dead; all is accepted there
  const auto fill = [&raw, sink](uint32_t first, uint32_t last) {
    if (first > last) return;
    if (first <= kLastBeforeSurrogates) {
      raw.edges.push_back({first, std::min(last, kLastBeforeSurrogates), sink});
    }
    if (last >= kFirstBehindSurrogates) {
      raw.edges.push_back({std::max(first, kFirstBehindSurrogates), last, sink});
    }
  };
  for (uint32_t state = 0; state <= sink; ++state) {
    uint32_t next = 0;
    if (state < sink) {
      for (const TextAutomaton::Edge& edge : a.EdgesOf(state)) {
        if (edge.first > next) fill(next, edge.first - 1);
        raw.edges.push_back(edge);
        next = edge.last + 1;
      }
    }
    fill(next, kMaxCodePoint);
    const bool accepts = state == sink || a.labels[state] == TextAutomaton::kNotAccepting;
    raw.labels.push_back(accepts ? 1 : TextAutomaton::kNotAccepting);
    raw.edge_begins.push_back(static_cast<uint32_t>(raw.edges.size()));
  }
  return Minimize(raw);
}

bool AreDisjoint(const TextAutomaton& a, const TextAutomaton& b, uint32_t* max_pairs) {
  if (a.empty() || b.empty()) return true;
  if (a.has_calls() || b.has_calls()) return false;
  SequenceInterner pairs;
  const auto visit = [&pairs](uint32_t x, uint32_t y) { pairs.Intern(std::array{x, y}); };
  visit(0, 0);
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    if (*max_pairs == 0) return false;
    --*max_pairs;
    const uint32_t x = pairs[i][0];
    const uint32_t y = pairs[i][1];
    const bool both_accept =
        a.labels[x] != TextAutomaton::kNotAccepting && b.labels[y] != TextAutomaton::kNotAccepting;
    if (both_accept) return false;
    const std::span<const TextAutomaton::Edge> from_x = a.EdgesOf(x);
    const std::span<const TextAutomaton::Edge> from_y = b.EdgesOf(y);
    for (size_t j = 0, k = 0; j < from_x.size() && k < from_y.size();) {
      const bool meet = from_x[j].first <= from_y[k].last && from_y[k].first <= from_x[j].last;
      if (meet) visit(from_x[j].target, from_y[k].target);
      from_x[j].last < from_y[k].last ? ++j : ++k;
    }
  }
  return true;
}

}  // namespace maskloom
