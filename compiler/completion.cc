#include "compiler/completion.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/array_plan.h"
#include "compiler/completion_writer.h"
#include "compiler/distinct_items.h"
#include "compiler/json_value_key.h"
#include "compiler/stepper.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// Bytes by what they do to a value: those that make it another before those that may only spell it
// differently.
std::vector<uint8_t> BytesByPreference() {
  std::vector<uint8_t> bytes;
  const auto add = [&](std::string_view list) {
    for (const char c : list) bytes.push_back(static_cast<uint8_t>(c));
  };
  add("\"]},:[{");
  for (int b = 'a'; b <= 'z'; ++b) bytes.push_back(static_cast<uint8_t>(b));
  add("123456789");
  for (int b = 'A'; b <= 'Z'; ++b) bytes.push_back(static_cast<uint8_t>(b));
  add("0-");
  for (int b = 0; b < 256; ++b) {
    const uint8_t byte = static_cast<uint8_t>(b);
    if (std::find(bytes.begin(), bytes.end(), byte) == bytes.end()) bytes.push_back(byte);
  }
  // Fractions, exponents, escapes and space last.
  const std::string_view last = ".+\\ \t\n\r";
  std::stable_partition(bytes.begin(), bytes.end(), [&](uint8_t byte) {
    return last.find(static_cast<char>(byte)) == std::string_view::npos;
  });
  return bytes;
}

// Bytes that complete the text from `item` but for what arrays ask of their items as a whole.
std::string PlainCompletion(const Machine& machine, const Item& item) {
  CompletionWriter writer(machine);
  writer.FinishFrame(item.frame);
  // The way out with the fewest returns; cycles of left recursion are never walked twice.
  struct Step {
    const ReturnEdge* edge;
    size_t previous;
  };
  constexpr size_t kFirst = ~size_t{0};
  std::vector<Step> queue;
  tsl::robin_map<const StackNode*, bool> visited;
  const auto expand = [&](const StackNode* node, size_t previous) {
    if (node == nullptr || !visited.insert({node, true}).second) return;
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      queue.push_back({edge, previous});
    }
  };
  expand(item.stack, kFirst);
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].edge->frame.kind != FrameKind::kEnd) {
      expand(queue[i].edge->below, i);
      continue;
    }
    std::vector<const ReturnEdge*> path;
    for (size_t j = i; j != kFirst; j = queue[j].previous) path.push_back(queue[j].edge);
    for (size_t j = path.size(); j-- > 0;) writer.FinishFrame(path[j]->frame);
    break;
  }
  return writer.Take();
}

// Completes texts with arrays whose items are compared, by steps: a plain completion is followed as
// far as it lives; where it dies, another byte makes the item another value, and from there on a
// plain completion is tried again. Steps return live items only, so there always is such a byte;
// values get longer, and of those seen there are finitely many.
class SteppedCompletion {
 public:
  explicit SteppedCompletion(const Machine& machine) : machine_(machine) {
    stepper_.Bind(machine, &arena_);
  }

  std::string From(const Item& item) {
    std::vector<Item> items{item};
    // A number that may end here has returned, to an item beside it.
    if (item.frame.kind == FrameKind::kNumber &&
        machine_.number(item.frame.node).automaton->accepting(item.frame.state)) {
      stepper_.AppendReturns(&items, item);
    }
    return From(std::move(items));
  }

  std::string From(std::vector<Item> items) {
    static const std::vector<uint8_t> kBytes = BytesByPreference();
    std::string out;
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      Attempt best = Try(items);
      if (best.whole) return out + best.text;
      if (FollowToCountedItem(best, &items, &out)) continue;
      out += best.text.substr(0, best.taken);
      items = std::move(best.items);
      // The byte behind which a completion comes furthest.
      Attempt next;
      uint8_t byte = 0;
      bool found = false;
      for (const uint8_t candidate : kBytes) {
        if (!machine_.Spells(candidate)) continue;
        std::vector<Item> stepped = Stepped(items, candidate);
        if (stepped.empty()) continue;
        Attempt attempt = Try(stepped);
        if (found && !attempt.whole && attempt.Left() >= next.Left()) continue;
        next = std::move(attempt);
        next.items = std::move(stepped);
        byte = candidate;
        found = true;
        if (next.whole) break;
      }
      if (!found) return out;  // never from a live item
      out += static_cast<char>(byte);
      if (next.whole) return out + next.text;
      items = std::move(next.items);
    }
    return out;
  }

 private:
  static constexpr int kMaxTurns = 1 << 20;
  static constexpr size_t kMaxItemsTried = 4;

  struct Attempt {
    std::string text;
    size_t taken = 0;
    bool whole = false;
    std::vector<Item> items;  // behind what was taken
    size_t Left() const { return text.size() - taken; }
  };

  std::vector<Item> Stepped(std::vector<Item> items, uint8_t byte) {
    const size_t end = items.size();
    stepper_.Step(&items, 0, end, byte);
    items.erase(items.begin(), items.begin() + static_cast<ptrdiff_t>(end));
    return items;
  }

  // Follows `attempt` to the first place where an item can be counted, and writes that item.
  bool FollowToCountedItem(const Attempt& attempt, std::vector<Item>* items, std::string* out) {
    std::vector<Item> at = *items;
    std::string text;
    for (size_t i = 0;; ++i) {
      if (TakeCountedItem(&at, &text)) {
        *items = std::move(at);
        *out += text;
        return true;
      }
      if (i == attempt.taken) return false;
      text += attempt.text[i];
      at = Stepped(std::move(at), static_cast<uint8_t>(attempt.text[i]));
    }
  }

  // Writes an item that brings the condition of an array nearer: one of the few values that are
  // counted and not seen yet. Without it, items that are not counted could follow for ever.
  bool TakeCountedItem(std::vector<Item>* items, std::string* out) {
    for (const Item& item : *items) {
      const Frame& frame = item.frame;
      if (frame.kind != FrameKind::kArray || frame.space != 0) continue;
      const ArrayTable& table = machine_.array(frame.node);
      if (table.plain || !ComparesItems(table, frame)) continue;
      for (const Choice& choice : ItemChoices(table, frame.count)) {
        if (choice.counts == 0 || choice.value == kNeverValue) continue;
        ValueList scratch;
        const ValueList& list =
            machine_.value_space()->ValuesOf(choice.value, ValueSpace::kListed, &scratch);
        if (list.many) continue;
        for (const ValueKey& key : list.keys) {
          const std::string text = (frame.phase == Phase::kAfterValue ? "," : "") + JsonTextOf(key);
          std::vector<Item> next{item};
          for (size_t i = 0; i < text.size() && !next.empty(); ++i) {
            next = Stepped(std::move(next), static_cast<uint8_t>(text[i]));
          }
          const bool nearer = std::any_of(next.begin(), next.end(), [&](const Item& behind) {
            return behind.frame.kind == FrameKind::kArray && behind.frame.node == frame.node &&
                   behind.frame.marks != frame.marks &&
                   table.marks.IsAsGood(behind.frame.marks, frame.marks);
          });
          if (!nearer) continue;
          *items = std::move(next);
          *out += text;
          return true;
        }
      }
    }
    return false;
  }

  Attempt Try(const std::vector<Item>& items) {
    Attempt best;
    for (size_t i = 0; i < items.size() && i < kMaxItemsTried; ++i) {
      Attempt attempt;
      attempt.text = PlainCompletion(machine_, items[i]);
      attempt.items = items;
      while (attempt.taken < attempt.text.size()) {
        std::vector<Item> next =
            Stepped(attempt.items, static_cast<uint8_t>(attempt.text[attempt.taken]));
        if (next.empty()) break;
        attempt.items = std::move(next);
        ++attempt.taken;
      }
      attempt.whole =
          attempt.taken == attempt.text.size() &&
          std::any_of(attempt.items.begin(), attempt.items.end(),
                      [&](const Item& item) { return IsAcceptingItem(machine_, item); });
      if (attempt.whole) return attempt;
      if (i == 0 || attempt.Left() < best.Left()) best = std::move(attempt);
    }
    return best;
  }

  const Machine& machine_;
  Arena arena_;
  Stepper stepper_;
};

}  // namespace

std::string ShortText(const Machine& machine) {
  if (machine.value_space() != nullptr) {
    Arena arena;
    Stepper stepper;
    stepper.Bind(machine, &arena);
    std::vector<Item> items;
    stepper.Start(&items);
    if (!items.empty()) return SteppedCompletion(machine).From(std::move(items));
  }
  CompletionWriter writer(machine);
  writer.WriteRoot();
  return writer.Take();
}

std::string CompletionFrom(const Machine& machine, const Item& item) {
  if (machine.value_space() == nullptr) return PlainCompletion(machine, item);
  return SteppedCompletion(machine).From(item);
}

}  // namespace maskloom
