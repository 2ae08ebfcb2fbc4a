// Draws values, walks the matcher, asks the validator.
#include "tests/suites/plain_property.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/matcher.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_instance.h"
#include "tests/suites/random_text.h"

namespace maskloom::suites {
namespace {

using judge::JsonTree;
using judge::Verdict;

constexpr size_t kMaxFaults = 3;
constexpr size_t kMaxTokenBytes = 16;

class PlainCheck {
 public:
  PlainCheck(const DefinitionCase& one, const TestVocabulary& vocabulary, const PlainBudget& budget,
             uint64_t seed, PlainTally* tally)
      : case_(one),
        vocabulary_(vocabulary),
        budget_(budget),
        random_(seed),
        tally_(tally),
        faults_before_(tally->faults.size()) {}

  void Run() {
    auto tree = judge::ParseJsonTree(case_.definition);
    judge::PlainOptions options;
    options.assert_formats = true;
    auto validator = judge::PlainValidator::Create(case_.definition, options);
    if (!tree.ok() || !validator.ok()) return Fault("the validator cannot read the schema");
    validator_ = validator->get();
    DrawTexts(*tree);
    DrawSmallValues();
    auto grammar = Compile(case_, vocabulary_.index);
    if (!grammar.ok()) return Refused(grammar.status());
    ++tally_->schemas;
    row_.resize(vocabulary_.index->row_words());
    Matcher bytewise(*grammar);
    ReadSmallValues(&bytewise);
    for (const auto& [text, verdict] : texts_) {
      Matcher matcher(*grammar);
      if (verdict == Verdict::kValid && Spellable(text)) ReadValid(&matcher, text);
      if (verdict == Verdict::kInvalid) ReadInvalid(&matcher, text);
      if (tally_->faults.size() >= faults_before_ + kMaxFaults) return;
    }
    for (Chooser chooser : {Chooser::kSeeking, Chooser::kUniform}) {
      Matcher matcher(*grammar);
      Walk(&matcher, chooser);
    }
  }

 private:
  void DrawTexts(const JsonTree& schema) {
    InstanceWriter writer(schema, &random_);
    std::vector<JsonTree> values;
    for (const CaseText& text : case_.texts) AddText(text.text);
    for (size_t i = 0; i < budget_.values; ++i) {
      size_t kind = random_() % 8;
      if (kind == 0) {
        values.push_back(writer.Arbitrary(3));
      } else if (kind < 4 && !values.empty()) {
        values.push_back(writer.Mutated(values[random_() % values.size()]));
      } else {
        values.push_back(writer.Guided());
      }
      AddText(Spell(values.back(), &random_));
    }
  }

  // Small values join the texts as they are, to be read bytewise.
  void DrawSmallValues() {
    const std::vector<JsonTree>& small = SmallValues();
    size_t count = std::min(budget_.small_values, small.size());
    size_t first = random_() % small.size();
    for (size_t i = 0; i < count; ++i) {
      const JsonTree& value = small[(first + i) % small.size()];
      small_.emplace(judge::ToJsonText(value), validator_->Validate(value));
    }
  }

  void ReadSmallValues(Matcher* matcher) {
    for (const auto& [text, verdict] : small_) {
      if (tally_->faults.size() >= faults_before_ + kMaxFaults) return;
      if (verdict == Verdict::kUnknown || !Spellable(text)) continue;
      bool valid = verdict == Verdict::kValid;
      ++(valid ? tally_->valid : tally_->invalid);
      matcher->Reset();
      size_t taken = matcher->AcceptBytes(text);
      if ((taken == text.size() && matcher->IsAccepting()) == valid) continue;
      Fault(valid ? "valid text " + Readable(text) + " is refused at byte " + std::to_string(taken)
                  : "invalid text is accepted: " + Readable(text));
    }
  }

  void AddText(const std::string& text) {
    Verdict verdict = Judge(text);
    if (verdict == Verdict::kUnknown) ++tally_->unknown;
    texts_.emplace(text, verdict);
  }

  Verdict Judge(const std::string& text) {
    auto value = judge::ParseJsonTree(text);
    return value.ok() ? validator_->Validate(*value) : Verdict::kInvalid;
  }

  void Refused(const Status& status) {
    if (status.code() != StatusCode::kUnsatisfiable) {
      ++tally_->refused;
      return;
    }
    ++tally_->unsatisfiable;
    texts_.insert(small_.begin(), small_.end());
    for (const auto& [text, verdict] : texts_) {
      if (verdict != Verdict::kValid || !Spellable(text)) continue;
      return Fault("refused as unsatisfiable, and this is valid: " + Readable(text));
    }
  }

  // Whether every byte of `text` has a token of its own: else the text need not be reachable.
  bool Spellable(const std::string& text) const {
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return bytes_[static_cast<uint8_t>(c)]; });
  }

  // At states drawn at random every token that `text` goes on with has to be allowed.
  void ReadValid(Matcher* matcher, const std::string& text) {
    ++tally_->valid;
    std::vector<TokenId> tokens = vocabulary_.Split(text, &random_);
    std::string read;
    for (TokenId token : tokens) {
      if (random_() % (tokens.size() / 2 + 1) == 0) CheckGoesOn(matcher, text, read.size());
      std::string_view bytes = vocabulary_.index->vocabulary().bytes(token);
      if (!matcher->Accept(token)) {
        return Fault("valid text " + Readable(text) + " is refused at byte " +
                     std::to_string(read.size()) + ", token \"" + Readable(bytes) + "\"");
      }
      read += bytes;
    }
    if (read == text && !matcher->IsAccepting()) {
      Fault("valid text " + Readable(text) + " must not end");
    }
  }

  void CheckGoesOn(Matcher* matcher, const std::string& text, size_t at) {
    ++tally_->states;
    matcher->FillMask(row_.data());
    for (size_t length = 1; length <= kMaxTokenBytes && at + length <= text.size(); ++length) {
      auto found = TokenOf(std::string_view(text).substr(at, length));
      if (!found || IsSet(*found)) continue;
      return Fault("behind " + Readable(text.substr(0, at)) + " token \"" +
                   Readable(text.substr(at, length)) +
                   "\" is forbidden and this is valid: " + Readable(text));
    }
  }

  std::optional<TokenId> TokenOf(std::string_view bytes) {
    if (ids_.empty()) {
      const Vocabulary& vocabulary = vocabulary_.index->vocabulary();
      for (TokenId id = 0; id < vocabulary.size(); ++id) {
        if (vocabulary.kind(id) == TokenKind::kNormal) ids_.emplace(vocabulary.bytes(id), id);
      }
    }
    auto found = ids_.find(bytes);
    return found == ids_.end() ? std::nullopt : std::optional<TokenId>(found->second);
  }

  bool IsSet(TokenId token) const { return (row_[token / 32] >> (token % 32) & 1) != 0; }

  void ReadInvalid(Matcher* matcher, const std::string& text) {
    ++tally_->invalid;
    if (matcher->AcceptBytes(text) == text.size() && matcher->IsAccepting()) {
      Fault("invalid text is accepted: " + Readable(text));
    }
  }

  void Walk(Matcher* matcher, Chooser chooser) {
    std::string text;
    size_t checked = 0;
    for (size_t step = 0; step < budget_.walk_tokens; ++step) {
      if (step < 2 || random_() % budget_.walk_tokens < budget_.states) {
        if (checked++ < budget_.states) CheckSetBits(*matcher, text);
      }
      if (tally_->faults.size() >= faults_before_ + kMaxFaults) return;
      auto token = Choose(matcher, chooser);
      if (!token) return;
      if (!matcher->Accept(*token)) {
        return Fault("behind " + Readable(text) + " token " + std::to_string(*token) +
                     " is in the mask and refused");
      }
      if (matcher->IsTerminated()) return;
      text += vocabulary_.index->vocabulary().bytes(*token);
    }
  }

  // An allowed token; when seeking rather one that opens, closes or separates.
  std::optional<TokenId> Choose(Matcher* matcher, Chooser chooser) {
    matcher->FillMask(row_.data());
    std::vector<TokenId> allowed;
    std::vector<TokenId> liked;
    for (TokenId id = 0; id < vocabulary_.index->size(); ++id) {
      if (!IsSet(id)) continue;
      allowed.push_back(id);
      std::string_view bytes = vocabulary_.index->vocabulary().bytes(id);
      if (bytes.find_first_of("\"{}[],:") != bytes.npos) liked.push_back(id);
    }
    if (allowed.empty()) return std::nullopt;
    const auto& from =
        chooser == Chooser::kSeeking && !liked.empty() && random_() % 3 > 0 ? liked : allowed;
    return from[random_() % from.size()];
  }

  void CheckSetBits(const Matcher& matcher, const std::string& text) {
    ++tally_->states;
    Matcher at = matcher.Fork();
    at.FillMask(row_.data());
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocabulary_.index->size(); ++id) {
      if (IsSet(id)) allowed.push_back(id);
    }
    if (allowed.empty()) return Fault("behind " + Readable(text) + " the mask is empty");
    for (size_t i = 0; i < budget_.bits; ++i) {
      TokenId token = allowed[random_() % allowed.size()];
      Matcher fork = matcher.Fork();
      std::string whole = text;
      std::string said = "behind " + Readable(text) + " token \"" +
                         Readable(vocabulary_.index->vocabulary().bytes(token)) + "\" ";
      if (!fork.Accept(token)) return Fault(said + "is in the mask and refused");
      ++tally_->bits;
      if (!fork.IsTerminated()) {
        whole += vocabulary_.index->vocabulary().bytes(token);
        std::string rest = fork.Completion();
        if (fork.AcceptBytes(rest) != rest.size() || !fork.IsAccepting()) {
          return Fault(said + "has no completion: " + Readable(rest));
        }
        whole += rest;
      }
      Verdict verdict = Judge(whole);
      if (verdict == Verdict::kUnknown) ++tally_->unknown;
      if (verdict == Verdict::kInvalid) return Fault(said + "leads to " + Readable(whole));
    }
  }

  void Fault(const std::string& what) {
    tally_->faults.push_back(case_.definition + "\n  [" + vocabulary_.name + "] " + what);
  }

  const DefinitionCase& case_;
  const TestVocabulary& vocabulary_;
  PlainBudget budget_;
  std::mt19937_64 random_;
  PlainTally* tally_;
  size_t faults_before_;
  std::bitset<256> bytes_ = vocabulary_.trie->SingleBytes();
  judge::PlainValidator* validator_ = nullptr;
  std::map<std::string, Verdict> texts_;
  std::map<std::string, Verdict> small_;
  std::map<std::string_view, TokenId> ids_;
  std::vector<uint32_t> row_;
};

// Calls `make` with the tree in which one node of `node` was changed, for every change.
template <typename Make>
void EachSmaller(JsonTree* root, JsonTree* node, const Make& make) {
  for (size_t i = 0; i < node->members.size(); ++i) {
    auto member = node->members[i];
    node->members.erase(node->members.begin() + static_cast<ptrdiff_t>(i));
    make(*root);
    node->members.insert(node->members.begin() + static_cast<ptrdiff_t>(i), member);
  }
  for (size_t i = 0; i < node->items.size(); ++i) {
    JsonTree item = node->items[i];
    node->items.erase(node->items.begin() + static_cast<ptrdiff_t>(i));
    make(*root);
    node->items.insert(node->items.begin() + static_cast<ptrdiff_t>(i), item);
  }
  JsonTree whole = *node;
  for (const auto& [name, member] : whole.members) {
    if (member.kind == JsonTree::Kind::kObject) {
      *node = member;
      make(*root);
    }
    for (const JsonTree& item : member.items) {
      if (item.kind != JsonTree::Kind::kObject) continue;
      *node = item;
      make(*root);
    }
  }
  *node = whole;
  for (auto& member : node->members) EachSmaller(root, &member.second, make);
  for (JsonTree& item : node->items) EachSmaller(root, &item, make);
}

}  // namespace

void CheckPlainCase(const DefinitionCase& one, const TestVocabulary& vocabulary,
                    const PlainBudget& budget, uint64_t seed, PlainTally* tally) {
  PlainCheck(one, vocabulary, budget, seed, tally).Run();
}

std::vector<std::string> SmallerSchemas(const JsonTree& schema) {
  JsonTree tree = schema;
  std::vector<std::string> texts;
  EachSmaller(&tree, &tree,
              [&](const JsonTree& smaller) { texts.push_back(judge::ToJsonText(smaller)); });
  std::stable_sort(texts.begin(), texts.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return texts;
}

}  // namespace maskloom::suites
