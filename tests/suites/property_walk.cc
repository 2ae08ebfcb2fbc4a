// Engine and judge in lockstep.
#include "tests/suites/property_walk.h"

#include <algorithm>
#include <set>

#include "runtime/matcher.h"
#include "tests/suites/random_text.h"

namespace maskloom::suites {
namespace {

constexpr size_t kMaxFaults = 5;

class CaseWalk {
 public:
  CaseWalk(const DefinitionCase& one, const TestVocabulary& vocabulary, judge::Judge* judge,
           std::shared_ptr<const CompiledGrammar> grammar, PropertyTally* tally)
      : case_(one),
        vocabulary_(vocabulary),
        judge_(judge),
        matcher_(std::move(grammar)),
        row_(vocabulary.index->row_words()),
        tally_(tally) {}

  // Compares up to `max_states` states at positions of `text` drawn at random.
  void Walk(const std::string& text, size_t max_states, std::mt19937_64* random) {
    std::vector<TokenId> tokens = vocabulary_.Split(text, random);
    std::set<size_t> compared;
    if (tokens.size() < max_states) {
      for (size_t i = 0; i <= tokens.size(); ++i) compared.insert(i);
    }
    while (compared.size() < std::min(max_states, tokens.size() + 1)) {
      compared.insert((*random)() % (tokens.size() + 1));
    }
    matcher_.Reset();
    text_.clear();
    judge::State state = judge_->Start();
    for (size_t i = 0; i <= tokens.size(); ++i) {
      if (matcher_.IsAccepting() != judge_->Accepting(state)) {
        Fault(matcher_.IsAccepting() ? "may end, judge: no" : "must not end, judge: may");
        return;
      }
      if (compared.contains(i) && seen_.insert(state).second) CompareState(state, random);
      if (i == tokens.size() || tally_->faults.size() >= kMaxFaults) return;
      std::string_view bytes = vocabulary_.index->vocabulary().bytes(tokens[i]);
      bool accepted = matcher_.Accept(tokens[i]);
      judge::State next = judge_->Walk(state, bytes);
      bool live = next != judge::kDead && judge_->Live(next);
      if (accepted != live) {
        Fault("token " + std::to_string(tokens[i]) + " \"" + Readable(bytes) + "\" is " +
              (accepted ? "accepted, judge: no" : "refused, judge: may come"));
      }
      if (!accepted || !live) return;
      state = next;
      text_ += bytes;
    }
  }

  size_t states() const { return seen_.size(); }

 private:
  void CompareState(judge::State state, std::mt19937_64* random) {
    ++tally_->states;
    matcher_.FillMask(row_.data());
    std::vector<uint32_t> wrong = judge::CheckMask(judge_, state, *vocabulary_.trie, row_.data());
    if (!wrong.empty()) {
      std::string what = std::to_string(wrong.size()) + " wrong bits, first";
      for (size_t i = 0; i < wrong.size() && i < 4; ++i) {
        what += " " + std::to_string(wrong[i]) + " \"" +
                Readable(vocabulary_.index->vocabulary().bytes(wrong[i])) + "\" is " +
                (IsSet(wrong[i]) ? "allowed" : "forbidden");
      }
      Fault(what);
    }
    if (std::all_of(row_.begin(), row_.end(), [](uint32_t word) { return word == 0; })) {
      Fault("the mask is empty");
    }
    for (int i = 0; i < 64; ++i) {
      TokenId token = static_cast<TokenId>((*random)() % vocabulary_.index->size());
      if (matcher_.IsAllowed(token) != IsSet(token)) {
        Fault("IsAllowed(" + std::to_string(token) + ") differs from the mask");
      }
    }
    std::string completion = matcher_.Completion();
    judge::State end = judge_->Walk(state, completion);
    if (end == judge::kDead || !judge_->Accepting(end)) {
      Fault("no completion for the judge: \"" + Readable(completion) + "\"");
    }
    Matcher fork = matcher_.Fork();
    if (fork.AcceptBytes(completion) != completion.size() || !fork.IsAccepting()) {
      Fault("no completion for the matcher: \"" + Readable(completion) + "\"");
    }
  }

  bool IsSet(TokenId token) const { return (row_[token / 32] >> (token % 32) & 1) != 0; }

  void Fault(const std::string& what) {
    std::string start = text_.size() > 300 ? "..." + text_.substr(text_.size() - 300) : text_;
    tally_->faults.push_back(case_.name + " [" + vocabulary_.name + "] behind \"" +
                             Readable(start) + "\": " + what);
  }

  const DefinitionCase& case_;
  const TestVocabulary& vocabulary_;
  judge::Judge* judge_;
  Matcher matcher_;
  std::vector<uint32_t> row_;
  PropertyTally* tally_;
  std::set<judge::State> seen_;
  std::string text_;
};

}  // namespace

void CheckCase(const DefinitionCase& one, const TestVocabulary& vocabulary, size_t max_states,
               std::mt19937_64* random, PropertyTally* tally) {
  auto grammar = Compile(one, vocabulary.index);
  auto judge = MakeJudge(one, vocabulary.trie->SingleBytes());
  if (!judge.ok() && judge.status().code() != StatusCode::kUnsatisfiable) {
    ++tally->unjudged;
    return;
  }
  bool refused = !grammar.ok() && grammar.status().code() == StatusCode::kUnsatisfiable;
  if (grammar.ok() != judge.ok() && (grammar.ok() || refused)) {
    tally->faults.push_back(one.name + " [" + vocabulary.name + "]: engine " +
                            (grammar.ok() ? "compiles" : grammar.status().ToString()) +
                            ", judge: " + (judge.ok() ? "ok" : judge.status().ToString()));
    return;
  }
  if (!grammar.ok()) {
    ++tally->refused;
    return;
  }
  CaseWalk walk(one, vocabulary, judge->get(), *grammar, tally);
  std::vector<std::string> texts;
  for (const CaseText& text : one.texts) texts.push_back(text.text);
  std::shuffle(texts.begin(), texts.end(), *random);
  // Ambiguous grammars cost engine and judge the cube of a text's length.
  const size_t length = one.kind == DefinitionKind::kEbnf ? 12 : 60;
  texts.push_back(WriteRandomText(*grammar, Chooser::kSeeking, length, random).text);
  if (one.texts.empty()) {
    texts.push_back(WriteRandomText(*grammar, Chooser::kSeeking, 3 * length, random).text);
    texts.push_back(WriteRandomText(*grammar, Chooser::kUniform, 8, random).text);
  }
  size_t before = tally->states;
  for (size_t i = 0; i < texts.size(); ++i) {
    size_t done = tally->states - before;
    if (done >= max_states || tally->faults.size() >= kMaxFaults) break;
    size_t left = texts.size() - i;
    walk.Walk(texts[i], (max_states - done + left - 1) / left, random);
  }
  if (tally->states > before) ++tally->cases;
}

std::string Readable(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\x%02x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace maskloom::suites
