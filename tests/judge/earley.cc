// The Earley sets, their interning, and liveness.
#include "tests/judge/earley.h"

#include <algorithm>

namespace maskloom::judge {

EarleyJudge::EarleyJudge(EbnfGrammar grammar, const ByteSet& spellable)
    : grammar_(std::move(grammar)),
      spellers_{Speller(Speller::Form::kRaw, spellable),
                Speller(Speller::Form::kRaw, ByteSet().set())} {}

const EbnfSymbol* EarleyJudge::Next(const Item& item) const {
  const auto& body = Body(item);
  return static_cast<size_t>(item.dot) < body.size() ? &body[static_cast<size_t>(item.dot)]
                                                     : nullptr;
}

void EarleyJudge::FindProductive(const CodePoints& alphabet, std::vector<bool>* productive) const {
  productive->assign(grammar_.rules.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t rule = 0; rule < grammar_.rules.size(); ++rule) {
      if ((*productive)[rule]) continue;
      for (const auto& body : grammar_.rules[rule]) {
        bool good = std::all_of(body.begin(), body.end(), [&](const EbnfSymbol& symbol) {
          size_t index = static_cast<size_t>(symbol.index);
          return symbol.terminal ? grammar_.classes[index].Intersects(alphabet)
                                 : (*productive)[index];
        });
        if (good) (*productive)[rule] = changed = true;
      }
    }
  }
}

void EarleyJudge::FindNullable() {
  nullable_.assign(grammar_.rules.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t rule = 0; rule < grammar_.rules.size(); ++rule) {
      if (nullable_[rule]) continue;
      for (const auto& body : grammar_.rules[rule]) {
        bool empty = std::all_of(body.begin(), body.end(), [&](const EbnfSymbol& symbol) {
          return !symbol.terminal && nullable_[static_cast<size_t>(symbol.index)];
        });
        if (empty) nullable_[rule] = changed = true;
      }
    }
  }
}

Status EarleyJudge::Admit() {
  FindProductive(CodePoints::All(), &productive_[1]);
  if (std::count(productive_[1].begin(), productive_[1].end(), false) > 0) {
    return Status(StatusCode::kInvalidDefinition, "a rule has no finite text");
  }
  FindProductive(spellers_[0].Completions(""), &productive_[0]);
  FindNullable();
  if (!productive_[0][static_cast<size_t>(grammar_.root)]) {
    return Status(StatusCode::kUnsatisfiable, "no text can be spelled");
  }
  std::vector<Item> kernel;
  for (size_t i = 0; i < grammar_.rules[static_cast<size_t>(grammar_.root)].size(); ++i) {
    kernel.push_back({grammar_.root, static_cast<int>(i), 0, kHere});
  }
  Intern(MakeSet(kernel), "");
  return Status::Ok();
}

EarleyJudge::SetId EarleyJudge::MakeSet(std::vector<Item> kernel) {
  std::sort(kernel.begin(), kernel.end());
  kernel.erase(std::unique(kernel.begin(), kernel.end()), kernel.end());
  auto known = set_index_.find(kernel);
  if (known != set_index_.end()) return known->second;
  std::set<Item> items(kernel.begin(), kernel.end());
  std::vector<Item> open = kernel;
  while (!open.empty()) {
    Item item = open.back();
    open.pop_back();
    auto add = [&](const Item& more) {
      if (items.insert(more).second) open.push_back(more);
    };
    const EbnfSymbol* next = Next(item);
    if (next == nullptr) {
      // Rules begun and ended here are empty: predicting has advanced over them already.
      if (item.origin == kHere) continue;
      for (Item waiting : sets_[static_cast<size_t>(item.origin)]) {
        const EbnfSymbol* wanted = Next(waiting);
        if (wanted == nullptr || wanted->terminal || wanted->index != item.rule) continue;
        ++waiting.dot;
        if (waiting.origin == kHere) waiting.origin = item.origin;
        add(waiting);
      }
    } else if (!next->terminal) {
      size_t rule = static_cast<size_t>(next->index);
      for (size_t i = 0; i < grammar_.rules[rule].size(); ++i) {
        add({next->index, static_cast<int>(i), 0, kHere});
      }
      if (nullable_[rule]) {
        Item over = item;
        ++over.dot;
        add(over);
      }
    }
  }
  SetId id = static_cast<SetId>(sets_.size());
  sets_.emplace_back(items.begin(), items.end());
  kernels_.push_back(kernel);
  set_index_.emplace(std::move(kernel), id);
  return id;
}

EarleyJudge::SetId EarleyJudge::Scan(SetId set, uint32_t code_point) {
  std::vector<Item> kernel;
  for (const Item& item : sets_[static_cast<size_t>(set)]) {
    const EbnfSymbol* next = Next(item);
    if (next == nullptr || !next->terminal ||
        !grammar_.classes[static_cast<size_t>(next->index)].Contains(code_point)) {
      continue;
    }
    Item moved = item;
    ++moved.dot;
    if (moved.origin == kHere) moved.origin = set;
    kernel.push_back(moved);
  }
  return kernel.empty() ? -1 : MakeSet(std::move(kernel));
}

bool EarleyJudge::RestProductive(const Item& item, int from, bool any) const {
  const auto& body = Body(item);
  const CodePoints& alphabet = spellers_[any].Completions("");
  for (size_t i = static_cast<size_t>(from); i < body.size(); ++i) {
    size_t index = static_cast<size_t>(body[i].index);
    bool good =
        body[i].terminal ? grammar_.classes[index].Intersects(alphabet) : productive_[any][index];
    if (!good) return false;
  }
  return true;
}

bool EarleyJudge::ContextLive(int start_rule, SetId start_set, bool any) {
  auto memo = context_live_[any].find({start_rule, start_set});
  if (memo != context_live_[any].end()) return memo->second;
  std::set<std::pair<int, SetId>> seen = {{start_rule, start_set}};
  std::vector<std::pair<int, SetId>> open = {{start_rule, start_set}};
  bool live = false;
  while (!open.empty() && !live) {
    auto [rule, set] = open.back();
    open.pop_back();
    // The root rule begun at the start of the text waits for nothing.
    if (rule == grammar_.root && set == 0) live = true;
    for (const Item& waiting : sets_[static_cast<size_t>(set)]) {
      const EbnfSymbol* wanted = Next(waiting);
      if (wanted == nullptr || wanted->terminal || wanted->index != rule) continue;
      if (!RestProductive(waiting, waiting.dot + 1, any)) continue;
      std::pair<int, SetId> above = {waiting.rule, waiting.origin == kHere ? set : waiting.origin};
      if (seen.insert(above).second) open.push_back(above);
    }
  }
  context_live_[any][{start_rule, start_set}] = live;
  return live;
}

bool EarleyJudge::ItemLive(const Item& item, int from, SetId set, bool any) {
  return RestProductive(item, from, any) &&
         ContextLive(item.rule, item.origin == kHere ? set : item.origin, any);
}

bool EarleyJudge::SetLive(SetId set, bool any) {
  auto memo = set_live_[any].find(set);
  if (memo != set_live_[any].end()) return memo->second;
  const std::vector<Item>& kernel = kernels_[static_cast<size_t>(set)];
  bool live = std::any_of(kernel.begin(), kernel.end(),
                          [&](const Item& item) { return ItemLive(item, item.dot, set, any); });
  set_live_[any][set] = live;
  return live;
}

bool EarleyJudge::Completed(SetId set) const {
  if (set == 0) return nullable_[static_cast<size_t>(grammar_.root)];
  const std::vector<Item>& items = sets_[static_cast<size_t>(set)];
  return std::any_of(items.begin(), items.end(), [&](const Item& item) {
    return item.rule == grammar_.root && item.origin == 0 && Next(item) == nullptr;
  });
}

State EarleyJudge::Intern(SetId set, const std::string& pending) {
  auto [it, fresh] =
      state_index_.try_emplace(std::make_pair(set, pending), static_cast<State>(states_.size()));
  if (fresh) states_.emplace_back(set, pending);
  return it->second;
}

void EarleyJudge::DropFrom(State mark) {
  // Sets stay: others may have been begun in them, and most are met again.
  for (size_t i = static_cast<size_t>(mark); i < states_.size(); ++i) {
    state_index_.erase(states_[i]);
  }
  states_.resize(static_cast<size_t>(mark));
}

bool EarleyJudge::Accepting(State state) {
  const auto& [set, pending] = states_[static_cast<size_t>(state)];
  return pending.empty() && Completed(set);
}

bool EarleyJudge::ContentLive(SetId set, const std::string& pending, bool any) {
  if (pending.empty()) return SetLive(set, any);
  const CodePoints& completions = spellers_[any].Completions(pending);
  for (const Item& item : sets_[static_cast<size_t>(set)]) {
    const EbnfSymbol* next = Next(item);
    if (next != nullptr && next->terminal &&
        grammar_.classes[static_cast<size_t>(next->index)].Intersects(completions) &&
        ItemLive(item, item.dot + 1, set, any)) {
      return true;
    }
  }
  return false;
}

bool EarleyJudge::Live(State state) {
  auto [set, pending] = states_[static_cast<size_t>(state)];
  return ContentLive(set, pending, false);
}

State EarleyJudge::Advance(State state, uint8_t byte) {
  auto [set, pending] = states_[static_cast<size_t>(state)];
  pending += static_cast<char>(byte);
  if (auto code_point = spellers_[1].Decode(pending)) {
    set = Scan(set, *code_point);
    pending.clear();
  }
  return set >= 0 && ContentLive(set, pending, true) ? Intern(set, pending) : kDead;
}

}  // namespace maskloom::judge
