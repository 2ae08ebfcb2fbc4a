// Arrays and objects; see completion_writer.h.
#include <algorithm>
#include <span>

#include "compiler/completion_writer.h"
#include "compiler/distinct_items.h"
#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/spelled_automaton.h"

namespace maskloom {

std::string CompletionWriter::KeyAndColon(const std::u32string& key) {
  std::string before = std::move(out_);
  out_ = "\"";
  for (const char32_t c : key) WriteCodePoint(machine_.string_coding(), c);
  std::string result = std::move(out_);
  out_ = std::move(before);
  return result + (Indented() || Spaced() ? "\": " : "\":");
}

std::optional<std::u32string> CompletionWriter::FindOtherKey(
    const ObjectTable& table, const Frame& frame, const std::vector<std::u32string>& taken,
    const std::function<bool(uint32_t)>& is_wanted) {
  TextAutomaton automaton = table.spelled_other_keys ? *table.spelled_other_keys : AnyText();
  for (uint32_t& label : automaton.labels) {
    if (label != TextAutomaton::kNotAccepting && !is_wanted(label - 1)) {
      label = TextAutomaton::kNotAccepting;
    }
  }
  const bool in_key = frame.phase == Phase::kKey;
  std::u32string prefix;
  for (const KeyText* text = in_key ? frame.key_text : nullptr; text != nullptr;
       text = text->previous) {
    prefix.insert(prefix.begin(), text->code_point);
  }
  const auto fresh = [&](const std::u32string& key) {
    if (std::find(taken.begin(), taken.end(), key) != taken.end()) return false;
    if (table.names.Contains(key)) {
      return false;
    }
    for (const SeenKey* seen = frame.seen_keys; seen != nullptr; seen = seen->previous) {
      std::u32string text;
      for (const KeyText* t = seen->text; t != nullptr; t = t->previous) {
        text.insert(text.begin(), t->code_point);
      }
      if (text == key) return false;
    }
    return true;
  };
  // Best first, by the length of the shortest key that a text can become, longer texts before
  // shorter ones: every descent ends in a key, and as many keys as are taken are met at most. An
  // edge needs no more code points than that.
  struct Candidate {
    uint32_t state;
    uint32_t length;  // of the shortest key behind it
    std::u32string text;
  };
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.length != b.length ? a.length > b.length : a.text.size() < b.text.size();
  };
  size_t branches = taken.size() + table.names.size() + 1;
  for (const SeenKey* seen = frame.seen_keys; seen != nullptr; seen = seen->previous) ++branches;
  const std::vector<uint32_t> distances = DistancesToAccept(automaton);
  const CodePointSet& spelled = machine_.spelling(machine_.string_coding()).code_points();
  std::vector<Candidate> heap;
  const auto add = [&](uint32_t state, std::u32string text) {
    if (distances[state] == kUnreachable) return;
    const uint32_t length = static_cast<uint32_t>(text.size()) + distances[state];
    heap.push_back({state, length, std::move(text)});
    std::push_heap(heap.begin(), heap.end(), worse);
  };
  add(in_key ? frame.state2 : 0, prefix);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Candidate candidate = std::move(heap.back());
    heap.pop_back();
    if (automaton.labels[candidate.state] != TextAutomaton::kNotAccepting &&
        fresh(candidate.text)) {
      return candidate.text;
    }
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(candidate.state)) {
      const uint32_t best = PickSpelled(machine_.string_coding(), edge.first, edge.last);
      if (!spelled.Contains(best)) continue;
      add(edge.target, candidate.text + char32_t(best));
      size_t left = branches - 1;
      const CodePointSet others = CodePointSet{{edge.first, edge.last}}.Intersect(spelled);
      for (const CodePointRange& range : others.ranges()) {
        for (uint32_t c = range.first; left > 0 && c <= range.last; ++c) {
          if (c == best) continue;
          add(edge.target, candidate.text + char32_t(c));
          --left;
        }
      }
    }
  }
  return std::nullopt;
}

std::vector<CompletionWriter::Member> CompletionWriter::PlanConditional(const ObjectTable& table,
                                                                        const Frame& frame) {
  std::vector<Member> members, others;
  std::vector<std::u32string> taken;
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  const auto plan = registers.PlanMembers();
  if (!plan) return members;  // never of a live frame
  for (const PlannedMember& member : *plan) {
    if (member.slot < table.names.size()) {
      members.push_back({std::u32string(table.names.name(member.slot)), member.choice.value,
                         table.order[member.slot]});
      continue;
    }
    for (uint64_t i = 0; i < member.times; ++i) {
      auto key = FindOtherKey(table, frame, taken,
                              [&](uint32_t k) { return table.names.size() + k == member.slot; });
      if (!key) return members;
      others.push_back({*key, member.choice.value, 0});
      taken.push_back(std::move(*key));
    }
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.order < b.order; });
  members.insert(members.end(), others.begin(), others.end());
  return members;
}

std::vector<CompletionWriter::Member> CompletionWriter::Plan(const ObjectTable& table,
                                                             const Frame& frame) {
  if (table.is_conditional()) return PlanConditional(table, frame);
  std::vector<Member> members;
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  uint32_t count = frame.count;
  const auto seen = [&](uint32_t i) {
    if (frame.seen_words != nullptr) return (frame.seen_words[i / 64] >> (i % 64) & 1) != 0;
    return table.word_count() == 1 && (frame.seen >> i & 1) != 0;
  };
  const auto bit = [](std::span<const uint64_t> words, uint32_t i) {
    return (words[i / 64] >> (i % 64) & 1) != 0;
  };
  const auto add = [&](uint32_t i) {
    members.push_back({std::u32string(table.names.name(i)), table.values[i], table.order[i]});
    ++count;
  };
  for (uint32_t i = 0; i < table.names.size(); ++i) {
    if (bit(table.required, i) && !seen(i)) add(i);
  }
  // Of what may be added the cheapest comes first, as in the costs of admission: only then are the
  // values of members cheaper than their object, and writing them ends.
  std::vector<std::pair<TextCost, uint32_t>> optional;
  std::vector<TextCost> other_costs;
  if (table.counted && count < table.min) {
    for (uint32_t i = 0; i < table.names.size(); ++i) {
      const bool passed = machine_.declared_order() && table.order[i] < frame.last;
      if (!bit(table.allowed, i) || bit(table.required, i) || seen(i) || passed) continue;
      optional.push_back(
          {NamedMemberCost(table.names.name(i), machine_.value(table.values[i]).cost), i});
    }
    for (const ValueId id : table.other_values) {
      if (machine_.HasValue(id)) other_costs.push_back(machine_.value(id).cost);
    }
    std::sort(optional.begin(), optional.end());
    std::sort(other_costs.begin(), other_costs.end());
  }
  std::vector<std::u32string> taken;
  std::vector<Member> others;
  size_t next = 0;
  size_t other = 0;
  while (table.counted && count < table.min) {
    const bool has_name = next < optional.size();
    if (!has_name && other == other_costs.size()) break;
    if (has_name && (other == other_costs.size() ||
                     optional[next].first <= OtherMemberCost(other_costs[other]))) {
      add(optional[next++].second);
      continue;
    }
    std::optional<std::u32string> key = FindOtherKey(table, frame, taken, [&](uint32_t k) {
      return machine_.value(table.other_values[k]).cost <= other_costs[other];
    });
    if (!key) {
      ++other;
      continue;
    }
    const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(*key);
    others.push_back({*key, table.other_values[label - 1], 0});
    taken.push_back(std::move(*key));
    ++count;
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.order < b.order; });
  members.insert(members.end(), others.begin(), others.end());
  return members;
}

// Pushes separator, key and value of each member, and the closing bracket.
void CompletionWriter::ExpandMembers(const std::vector<Member>& members, bool first,
                                     uint32_t depth) {
  const bool empty = members.empty() && first;
  Push((empty ? "" : Break(depth - 1)) + "}");
  for (size_t i = members.size(); i-- > 0;) {
    PushValue(members[i].value, depth);
    Push((i > 0 || !first ? Comma() : "") + Break(depth) + KeyAndColon(members[i].key));
  }
}

ArrayPlan CompletionWriter::PlanItems(const ArrayTable& table, uint32_t count, uint64_t marks,
                                      TextCost below, bool must_add) const {
  ArrayPlan plan;
  if (!table.plain) {
    // The first plan found may be longer than none.
    if (!must_add && MayCloseArray(table, count, marks, true)) return plan;
    FindArrayPlan(machine_, table, count, marks, below, nullptr, &plan,
                  must_add ? uint64_t{count} + 1 : 0);
    return plan;
  }
  const uint32_t min = std::max(table.min, must_add ? count + 1 : 0);
  const uint32_t prefix = static_cast<uint32_t>(table.prefix.size());
  for (; count < min && count < prefix; ++count) plan.push_back({{table.prefix[count], 0}, 1});
  if (count < min) plan.push_back({{table.rest, 0}, min - count});
  return plan;
}

void CompletionWriter::ExpandItems(const ArrayPlan& plan, bool first, uint32_t depth) {
  const bool empty = first && plan.empty();
  Push((empty ? "" : Break(depth - 1)) + "]");
  for (size_t i = plan.size(); i-- > 0;) {
    for (uint64_t left = plan[i].second; left > 0; --left) {
      PushValue(plan[i].first.value, depth);
      Push((i > 0 || left > 1 || !first ? Comma() : "") + Break(depth));
    }
  }
}

void CompletionWriter::FinishArray(const Frame& frame) {
  const ArrayTable& table = machine_.array(frame.node);
  bool first = frame.phase == Phase::kOpen;
  const bool must_add = frame.phase == Phase::kComma || (first && frame.space != 0 && Indented());
  ArrayPlan plan = PlanItems(table, frame.count, frame.marks, kNoText, must_add);
  if (must_add && !plan.empty()) {
    FinishSpace(SpacePlace::kBeforeItem, frame);
    WriteValue(plan.front().first.value, frame.depth);
    if (--plan.front().second == 0) plan.erase(plan.begin());
    first = false;
  } else if (frame.space != 0 && !first) {
    FinishSpace(SpacePlace::kBeforeClose, frame);
    if (Indented()) {  // only closing is left
      out_ += ']';
      return;
    }
  } else if (!Indented()) {
    FinishSpace(SpacePlace::kBeforeFirst, frame);
  }
  ExpandItems(plan, first, frame.depth);
  Run();
}

void CompletionWriter::FinishKey(Frame* frame) {
  const ObjectTable& table = machine_.object(frame->node);
  if (frame->partial != kBoundary) {
    Frame next;
    FinishPartial(machine_.string_coding(), frame->partial, [&](uint32_t c) {
      next = *frame;
      next.partial = kBoundary;
      if (next.state != NameTrie::kDead) next.state = table.names.Step(next.state, c);
      if (next.state2 != TextAutomaton::kDead) {
        if (table.other_keys != nullptr) next.state2 = table.other_keys->Step(next.state2, c);
        const uint32_t length = frame->key_text == nullptr ? 1 : frame->key_text->length + 1;
        next.key_text = arena_.New<KeyText>(frame->key_text, c, length);
      }
      return IsLiveKey(machine_, table, next);
    });
    *frame = next;
  }
  const ObjectRegisters registers(table, machine_.declared_order(), *frame);
  Frame next = *frame;
  next.phase = Phase::kColon;
  if (frame->state != NameTrie::kDead) {
    const NameTrie::Node& node = table.names.node(frame->state);
    for (uint32_t i = node.begin; i < node.end; ++i) {
      if (!registers.MayAddName(i)) continue;
      const std::u32string_view name = table.names.name(i);
      uint32_t state = 0;
      size_t depth = 0;
      while (state != frame->state) state = table.names.Step(state, name[depth++]);
      for (; depth < name.size(); ++depth) WriteCodePoint(machine_.string_coding(), name[depth]);
      registers.AddName(i, &arena_, &next);
      next.state = table.has_choices ? i : table.values[i];
      out_ += '"';
      *frame = next;
      return;
    }
  }
  const auto may_come = [&](uint32_t k) {
    return table.is_conditional() ? registers.MayAddClass(k)
                                  : machine_.HasValue(table.other_values[k]);
  };
  const std::u32string key = FindOtherKey(table, *frame, {}, may_come).value_or(U"");
  const size_t read = frame->key_text == nullptr ? 0 : frame->key_text->length;
  const KeyText* text = frame->key_text;
  for (size_t i = read; i < key.size(); ++i) {
    WriteCodePoint(machine_.string_coding(), key[i]);
    text = arena_.New<KeyText>(text, uint32_t{key[i]}, static_cast<uint32_t>(i + 1));
  }
  registers.AddOther(text, &arena_, &next);
  const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(key);
  next.state = table.has_choices ? table.names.size() + label - 1 : table.other_values[label - 1];
  out_ += '"';
  *frame = next;
}

void CompletionWriter::WriteMemberValue(Frame* frame) {
  const ObjectTable& table = machine_.object(frame->node);
  if (!table.has_choices) return WriteValue(frame->state, frame->depth);
  const ObjectRegisters registers(table, machine_.declared_order(), *frame);
  const MemberChoice* best = nullptr;
  for (const MemberChoice& choice : table.choices[frame->state]) {
    if (best != nullptr && best->cost <= choice.cost) continue;
    if (registers.MayFinish(table.marks.Add(frame->marks, choice.counts))) best = &choice;
  }
  if (best == nullptr) return;  // never of a live frame
  frame->marks = table.marks.Add(frame->marks, best->counts);
  WriteValue(best->value, frame->depth);
}

void CompletionWriter::FinishObject(Frame frame) {
  const ObjectTable& table = machine_.object(frame.node);
  bool first = frame.phase == Phase::kOpen;
  const bool must_add = frame.phase == Phase::kComma || (first && frame.space != 0 && Indented());
  if (must_add) {
    FinishSpace(SpacePlace::kBeforeItem, frame);
    out_ += '"';
    const ObjectRegisters registers(table, machine_.declared_order(), frame);
    frame.state = 0;
    frame.state2 = registers.MayAddOther(0, 0, nullptr) ? 0 : TextAutomaton::kDead;
    frame.key_text = nullptr;
    frame.phase = Phase::kKey;
    frame.space = 0;
  }
  if (frame.phase == Phase::kKey) FinishKey(&frame);
  if (frame.phase == Phase::kColon) {
    if (frame.space != 0) FinishSpace(SpacePlace::kNowhere, frame);
    out_ += ':';
    frame.phase = Phase::kBeforeValue;
    frame.space = 0;
  }
  if (frame.phase == Phase::kBeforeValue) {
    FinishSpace(SpacePlace::kBeforeValue, frame);
    WriteMemberValue(&frame);
    frame.phase = Phase::kAfterValue;
    frame.space = 0;
    first = false;
  } else if (frame.space != 0) {
    FinishSpace(first ? SpacePlace::kBeforeFirst : SpacePlace::kBeforeClose, frame);
    if (Indented()) {
      out_ += '}';
      return;
    }
  }
  ExpandMembers(Plan(table, frame), first, frame.depth);
  Run();
}

}  // namespace maskloom
