// Decides what can still become a valid value: conjunctions of schemas, and objects, arrays and
// strings that are half read.
//
// A conjunction (a list of schema nodes that all apply) is unfolded into alternatives: one choice
// of every anyOf, references followed; a reference that comes back to itself without reading
// anything adds no alternative (least fixed point). What is left of an alternative for one JSON
// type is a plain conjunction of assertions. An array or object then needs satisfiable members,
// which are conjunctions again; recursion is settled by a least fixed point: everything starts as
// unsatisfiable and is re-examined until nothing changes. All conditions are monotone, so the
// result is exactly the set of conjunctions with a finite valid text that can be spelled.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/judge/code_points.h"
#include "tests/judge/derivatives.h"
#include "tests/judge/judge.h"
#include "tests/judge/number_prefix.h"
#include "tests/judge/schema_nodes.h"

namespace maskloom::judge {

// Counts of words are cut here, where a language has no end: more than any schema asks for.
inline constexpr uint64_t kEndlessWords = uint64_t{1} << 50;

using ConjId = int;  // a list of nodes that all apply; 0 is the empty one: any value
using AltId = int;   // what one alternative asks of a value of one type

struct NamedKey {
  std::u32string name;
  ConjId value = 0;
  int order = -1;  // place among properties and, behind these, names that only `required` lists
  bool required = false;
};

// Fields of other types than `type` are unused.
struct Alternative {
  TypeBit type = kNullBit;
  std::vector<NodeIndex> nodes;

  std::vector<RegexId> patterns;  // of a string; or all pattern properties of an object
  uint64_t min = 0;               // code points, items or members
  uint64_t max = kNoLimit;
  std::shared_ptr<const std::vector<std::u32string>> strings;  // only these, already filtered
  NumberRule number;
  std::vector<NamedKey> keys;
  bool impossible = false;
};

// A half-read object: which named keys were seen, and the others by name.
struct ObjectProgress {
  // An undeclared key that is still being read counts as a member; kTakesOne: and as one of the
  // keys that can be spelled, so that one fewer is left.
  enum class OpenKey : uint8_t { kNone, kTakesNone, kTakesOne };
  std::vector<bool> seen;           // by index into Alternative::keys
  std::set<std::u32string> others;  // keys that are not named
  int last_order = -1;              // declared order: the last place used
  uint64_t count() const;
};

// A half-read string or key.
struct TextProgress {
  std::u32string text;           // decoded; kept only where it matters
  std::vector<RegexId> regexes;  // derivatives of Alternative::patterns
  uint64_t length = 0;           // code points
  std::string pending;           // bytes of an unfinished code point
};

class SchemaLogic {
 public:
  SchemaLogic(SchemaNodes schema, std::shared_ptr<RegexPool> pool, const JudgeStyle& style);

  ConjId Conj(const std::vector<NodeIndex>& nodes);
  // All questions below are about completions by any bytes, or by spellable ones only: the mode
  // says which. Modes share conjunctions and alternatives but no answers.
  enum Mode { kSpellable = 0, kAnyBytes = 1 };
  void SetMode(Mode mode) { mode_ = mode; }
  Mode mode() const { return mode_; }
  bool Satisfiable(ConjId conj);
  // The satisfiable alternatives for values of `type`.
  std::vector<AltId> AlternativesOf(ConjId conj, TypeBit type);
  const Alternative& alt(AltId id) const { return alts_[id]; }

  // Arrays: the conjunction for item `index`; whether `count` items can be followed by enough more.
  ConjId ItemConj(AltId id, uint64_t index);
  // `count`, cut where no bound and no prefix can tell it from more.
  uint64_t CutCount(AltId id, uint64_t count) const;
  bool ArrayClosable(AltId id, uint64_t count) const;
  bool ArrayCanEnd(AltId id, uint64_t count);
  bool ArrayCanAdd(AltId id, uint64_t count);

  // Objects. CanEnd: some completion exists; CanAdd: one that adds a member; KeyLive: one whose
  // next key begins as `key` does.
  bool ObjectClosable(AltId id, const ObjectProgress& at) const;
  bool ObjectCanEnd(AltId id, const ObjectProgress& at,
                    ObjectProgress::OpenKey open = ObjectProgress::OpenKey::kNone);
  bool ObjectCanAdd(AltId id, const ObjectProgress& at);
  bool KeyLive(AltId id, const ObjectProgress& at, const TextProgress& key);
  // Adds the finished key; returns false if it may not stand here. On success `value` is what its
  // value must satisfy.
  bool AddKey(AltId id, const TextProgress& key, ObjectProgress* at, ConjId* value);

  bool StringLive(AltId id, const TextProgress& at);
  bool StringAccepts(AltId id, const TextProgress& at);
  // Reads one byte of a string or key body. Returns false if no code point is spelled so.
  bool Advance(const Alternative& alt, bool keep_text, uint8_t byte, TextProgress* at);

  const JudgeStyle& style() const { return style_; }
  const NumberStyle& number_style() const { return number_styles_[mode_]; }
  bool spellable(uint8_t byte) const { return number_style().spellable[byte]; }
  const SchemaNodes& schema() const { return schema_; }
  RegexPool* pool() { return pool_.get(); }
  // Alternatives were dropped because there were too many: answers may be wrong.
  bool overflowed() const { return overflowed_; }

 private:
  using Choices = std::vector<std::vector<NodeIndex>>;

  Choices Expand(NodeIndex node, std::set<NodeIndex>* path);
  static void Multiply(Choices* left, const Choices& right, const SchemaNodes& schema,
                       bool* overflowed);
  const Choices& ExpandConj(ConjId conj);
  AltId MakeAlt(TypeBit type, const std::vector<NodeIndex>& nodes);
  std::vector<AltId> RawAlternatives(ConjId conj, TypeBit type);
  bool Asserts(const SchemaNode& node, TypeBit type) const;
  void FillString(Alternative* alt);
  void FillObject(Alternative* alt);

  bool Lookup(ConjId conj);
  bool Evaluate(ConjId conj);
  bool AltPossible(AltId id);
  bool Spell(const char* bytes) const;
  bool MembersSpellable(bool object) const;
  bool KeyAvailable(const NamedKey& key, int last_order);
  ConjId OtherConj(AltId id, const std::vector<RegexId>& regexes);
  uint64_t OtherWords(AltId id, const std::vector<RegexId>& regexes);
  uint64_t FreshOthers(AltId id, const std::vector<RegexId>& regexes, const std::u32string& prefix,
                       const std::string& pending, const ObjectProgress& at);
  bool LengthReachable(const std::vector<RegexId>& regexes, const std::string& pending,
                       uint64_t low, uint64_t high);

  SchemaNodes schema_;
  std::shared_ptr<RegexPool> pool_;
  JudgeStyle style_;
  const Speller& speller() const { return spellers_[mode_]; }
  Mode mode_ = kSpellable;
  NumberStyle number_styles_[2];
  Speller spellers_[2];
  bool overflowed_ = false;

  std::map<std::vector<NodeIndex>, ConjId> conj_index_;
  std::vector<std::vector<NodeIndex>> conjs_;
  std::map<ConjId, Choices> expanded_;
  std::map<std::pair<TypeBit, std::vector<NodeIndex>>, AltId> alt_index_;
  std::deque<Alternative> alts_;  // references stay valid while others are added
  std::map<std::pair<ConjId, TypeBit>, std::vector<AltId>> raw_alternatives_;
  std::map<std::pair<ConjId, TypeBit>, std::vector<AltId>> alternatives_[2];  // by mode

  std::map<ConjId, bool> decided_[2];  // by mode
  std::map<ConjId, bool> open_;        // of the fixed point under way
  bool solving_ = false;
  std::map<std::pair<AltId, std::vector<RegexId>>, uint64_t> other_words_[2];  // by mode
  std::map<std::pair<AltId, std::vector<bool>>, ConjId> other_conj_;
  struct LengthTable {
    std::vector<bool> accepts;  // by number of code points more
    size_t cycle_start = 0;     // from here on it repeats with period accepts.size() - cycle_start
  };
  // Code points to the nearest accepted end, or kNoLimit.
  uint64_t Shortest(const std::vector<RegexId>& regexes);
  std::vector<RegexId> DeriveAll(const std::vector<RegexId>& regexes, uint32_t code_point);
  bool AllAccept(const std::vector<RegexId>& regexes) const;
  std::map<std::vector<RegexId>, uint64_t> shortest_[2];  // by mode
  const LengthTable& Lengths(const std::vector<RegexId>& regexes);
  std::map<std::vector<RegexId>, LengthTable> lengths_[2];  // by mode
};

}  // namespace maskloom::judge
