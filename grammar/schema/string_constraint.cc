// Strings: sets of patterns, lengths in code points, finite sets.
#include <algorithm>
#include <utility>

#include "grammar/schema/constraints.h"

namespace maskloom {

bool ConstraintPool::Accepts(const StringConstraint& constraint, const std::u32string& text) const {
  if (constraint.one_of != nullptr) {
    return std::binary_search(constraint.one_of->begin(), constraint.one_of->end(), text);
  }
  if (text.size() < constraint.min_length || text.size() > constraint.max_length) return false;
  return std::all_of(constraint.patterns.begin(), constraint.patterns.end(),
                     [&](PatternId pattern) { return patterns_->Matches(pattern, text); });
}

ConstraintId ConstraintPool::AddString(StringConstraint constraint) {
  if (constraint.one_of != nullptr) {
    if (constraint.one_of->empty()) return kNoConstraint;
    return strings.Add(std::move(constraint));
  }
  auto& patterns = constraint.patterns;
  for (PatternId id : patterns) {
    const PatternTable::Language& language = patterns_->language(id);
    constraint.min_length = std::max(constraint.min_length, language.min_length);
    constraint.max_length = std::min(constraint.max_length, language.max_length);
  }
  if (constraint.min_length > constraint.max_length) return kNoConstraint;
  // What is left of a pattern of any text are its bounds.
  std::erase_if(patterns,
                [&](PatternId id) { return patterns_->language(id).automaton == nullptr; });
  for (PatternId id : patterns) {
    const std::vector<std::u32string>* texts = patterns_->small_language(id);
    if (texts == nullptr) continue;
    // A pattern with few texts is their enumeration.
    auto kept = std::make_shared<std::vector<std::u32string>>();
    for (const std::u32string& text : *texts) {
      if (Accepts(constraint, text)) kept->push_back(text);
    }
    std::sort(kept->begin(), kept->end());
    StringConstraint finite;
    finite.one_of = std::move(kept);
    return AddString(std::move(finite));
  }
  return strings.Add(std::move(constraint));
}

ConstraintId ConstraintPool::JoinStrings(ConstraintId a, ConstraintId b) {
  if (a == b || b == kUnconstrained) return a;
  if (a == kUnconstrained) return b;
  const StringConstraint& x = strings[a];
  const StringConstraint& y = strings[b];
  StringConstraint joint;
  if (x.one_of != nullptr || y.one_of != nullptr) {
    const StringConstraint& finite = x.one_of != nullptr ? x : y;
    const StringConstraint& other = x.one_of != nullptr ? y : x;
    auto kept = std::make_shared<std::vector<std::u32string>>();
    for (const std::u32string& text : *finite.one_of) {
      if (Accepts(other, text)) kept->push_back(text);
    }
    joint.one_of = std::move(kept);
  } else {
    joint.patterns = UniteSorted(x.patterns, y.patterns);
    joint.min_length = std::max(x.min_length, y.min_length);
    joint.max_length = std::min(x.max_length, y.max_length);
  }
  return AddString(std::move(joint));
}

void ConstraintPool::SimplifyStrings(std::vector<ConstraintId>* members) {
  if (members->size() < 2) return;
  std::vector<ConstraintId> others;
  std::vector<std::u32string> texts;
  size_t finite_count = 0;
  for (ConstraintId id : *members) {
    if (strings[id].one_of == nullptr) others.push_back(id);
  }
  DropContained(&others, [this](ConstraintId outer, ConstraintId inner) {
    const StringConstraint& o = strings[outer];
    const StringConstraint& i = strings[inner];
    return o.min_length <= i.min_length && o.max_length >= i.max_length &&
           IncludesSorted(i.patterns, o.patterns);
  });
  for (ConstraintId id : *members) {
    if (strings[id].one_of == nullptr) continue;
    ++finite_count;
    for (const std::u32string& text : *strings[id].one_of) {
      bool covered = std::any_of(others.begin(), others.end(),
                                 [&](ConstraintId other) { return Accepts(strings[other], text); });
      if (!covered) texts.push_back(text);
    }
  }
  if (finite_count > 0 && !texts.empty()) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    StringConstraint finite;
    finite.one_of = std::make_shared<const std::vector<std::u32string>>(std::move(texts));
    others.push_back(AddString(std::move(finite)));
  }
  std::sort(others.begin(), others.end());
  *members = std::move(others);
}

}  // namespace maskloom
