#include "compiler/completion.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
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

bool IsSpace(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

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

// Is a space behind which `items` stand one between values, rather than inside a string or key?
bool IsBetweenValues(const std::vector<Item>& items) {
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    const Frame& frame = item.frame;
    return frame.kind == FrameKind::kEnd || frame.kind == FrameKind::kValue ||
           frame.kind == FrameKind::kArray ||
           (frame.kind == FrameKind::kObject && frame.phase != Phase::kKey);
  });
}

// Does `byte`, behind which `items` stand, begin an escape, a fraction or an exponent?
bool IsRespelling(uint8_t byte, const std::vector<Item>& items) {
  if (byte == '\\') return true;
  return (byte == '.' || byte == 'e' || byte == 'E') &&
         std::any_of(items.begin(), items.end(),
                     [](const Item& item) { return item.frame.kind == FrameKind::kNumber; });
}

// Completes texts with arrays whose items are compared, by steps: a plain completion is followed as
// far as it lives; where it dies, other bytes make the item another value, until a plain completion
// leaves less to write than the one that died. So completions end: what is left gets less each
// time, and the bytes between are searched for in the order of the length they lead to, which finds
// any way there is; steps return live items only, so there always is one. Other spellings of a
// value lead nowhere most of the time, and are tried late.
//
// Example: behind `[[],[`, where three arrays of at most one string "a" or "b" must differ, the
// plain completion `],[]]` dies at once, with five bytes left. Behind `"` it is `a"],[]]` and dies
// with two left, behind `[["a"],[`; behind another `"` it is `b"]]`, and lives.
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
    std::string out;
    for (;;) {
      Attempt best = Try(items);
      if (best.whole) return out + best.text;
      if (FollowToCountedItem(best, &items, &out)) continue;
      out += best.text.substr(0, best.taken);
      Branch next = Nearer(best);
      out += next.written;
      if (next.attempt.whole) return out + next.attempt.text;
      if (next.items.empty()) return out;  // never from a live item
      items = std::move(next.items);
    }
  }

 private:
  static constexpr size_t kMaxItemsTried = 4;
  static constexpr int kNoByte = -1;
  static constexpr size_t kRespellingCost = 1000;  // more than most ways need

  // A plain completion, followed as far as it lives.
  struct Attempt {
    std::string text;
    size_t taken = 0;
    bool whole = false;
    std::vector<Item> items;  // behind what was taken
    size_t Left() const { return text.size() - taken; }
  };

  // Bytes behind the place where a plain completion died, and one that was tried behind them.
  struct Branch {
    std::vector<Item> items;
    std::string written;
    size_t respellings = 0;  // bytes written that likely spell the same value differently
    Attempt attempt;
    bool IsNearerThan(size_t left) const { return attempt.whole || attempt.Left() < left; }
    size_t Cost() const { return written.size() + attempt.Left() + respellings * kRespellingCost; }
  };

  // Branches not gone on from yet, taken by two orders in turn: by cost, which misses no way, and
  // from the last dive on, which is quick where the way is long. Either may take what the other
  // would have.
  class OpenBranches {
   public:
    // Adds `branches`, the most promising last; `dives`: are they behind one that a dive took?
    void Add(std::vector<Branch> branches, bool dives) {
      std::stable_sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
        return a.respellings > b.respellings;
      });
      for (Branch& branch : branches) {
        by_cost_[branch.Cost()].push_back(branches_.size());
        if (dives) by_dive_.push_back(branches_.size());
        branches_.push_back(std::move(branch));
      }
    }
    std::optional<Branch> Take(bool dives) {
      if (dives) {
        while (!by_dive_.empty()) {
          const size_t index = by_dive_.back();
          by_dive_.pop_back();
          if (branches_[index]) return std::exchange(branches_[index], std::nullopt);
        }
      }
      while (!by_cost_.empty()) {
        std::vector<size_t>& cheapest = by_cost_.begin()->second;
        const size_t index = cheapest.back();
        cheapest.pop_back();
        if (cheapest.empty()) by_cost_.erase(by_cost_.begin());
        if (branches_[index]) return std::exchange(branches_[index], std::nullopt);
      }
      return std::nullopt;
    }

   private:
    std::vector<std::optional<Branch>> branches_;  // null once taken
    std::map<size_t, std::vector<size_t>> by_cost_;
    std::vector<size_t> by_dive_;
  };

  // The way on from where `dead` died to where less is left, or to an item that is counted.
  Branch Nearer(const Attempt& dead) {
    Branch at{dead.items, "", 0, {dead.text.substr(dead.taken), 0, false, dead.items}};
    OpenBranches open;
    for (bool dives = true;; dives = !dives) {
      std::vector<Branch> branches = BranchesOf(at, dead.Left());
      if (!branches.empty() && branches.back().IsNearerThan(dead.Left())) {
        return std::move(branches.back());
      }
      open.Add(std::move(branches), dives);
      std::optional<Branch> next = open.Take(!dives);
      if (!next) return {};
      at = std::move(*next);
      if (FollowToCountedItem(at.attempt, &at.items, &at.written)) return at;
    }
  }

  // Every way to leave the attempt of `at` by another byte, the most promising last. Ends with the
  // first place where one is nearer than `left`.
  std::vector<Branch> BranchesOf(const Branch& at, size_t left) {
    const std::string& text = at.attempt.text;
    std::vector<std::vector<Item>> places{at.items};
    for (size_t i = 0; i < at.attempt.taken; ++i) {
      places.push_back(Stepped(places.back(), static_cast<uint8_t>(text[i])));
    }
    std::vector<std::vector<Branch>> by_place;
    for (size_t i = places.size(); i-- > 0;) {
      by_place.push_back(
          BranchesAt(places[i], i < at.attempt.taken ? static_cast<uint8_t>(text[i]) : kNoByte));
      std::vector<Branch>& branches = by_place.back();
      for (Branch& branch : branches) {
        branch.written = at.written + text.substr(0, i) + branch.written;
        branch.respellings += at.respellings;
      }
      if (!branches.empty() && branches.back().IsNearerThan(left)) return std::move(branches);
    }
    std::vector<Branch> all;
    for (size_t i = by_place.size(); i-- > 0;) {
      std::move(by_place[i].begin(), by_place[i].end(), std::back_inserter(all));
    }
    return all;
  }

  // The ways on from `items` by one byte but `known`; the one that comes furthest is the last.
  // Space between values changes nothing, so it is one only where nothing else is.
  std::vector<Branch> BranchesAt(const std::vector<Item>& items, int known) {
    static const std::vector<uint8_t> kBytes = BytesByPreference();
    std::vector<Branch> branches;
    for (const uint8_t byte : kBytes) {
      if (byte == known || !machine_.Spells(byte)) continue;
      std::vector<Item> stepped = Stepped(items, byte);
      if (stepped.empty()) continue;
      const bool others = known != kNoByte || !branches.empty();
      if (others && IsSpace(byte) && IsBetweenValues(stepped)) continue;
      Branch branch{stepped, std::string(1, static_cast<char>(byte)), IsRespelling(byte, stepped),
                    Try(stepped)};
      const bool whole = branch.attempt.whole;
      branches.push_back(std::move(branch));
      if (whole) return branches;
    }
    std::reverse(branches.begin(), branches.end());
    std::stable_sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
      return a.attempt.Left() > b.attempt.Left();
    });
    return branches;
  }

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
