// Chooses tokens and completes.
#include "tests/suites/random_text.h"

#include <bit>
#include <optional>
#include <vector>

namespace maskloom::suites {
namespace {

std::optional<TokenId> ChooseToken(const std::vector<uint32_t>& row, Chooser chooser,
                                   std::mt19937_64* random) {
  uint64_t count = 0;
  for (uint32_t word : row) count += static_cast<uint64_t>(std::popcount(word));
  if (count == 0) return std::nullopt;
  uint64_t wanted = chooser == Chooser::kHighestId ? count - 1 : (*random)() % count;
  for (size_t i = 0; i < row.size(); ++i) {
    uint32_t word = row[i];
    uint64_t here = static_cast<uint64_t>(std::popcount(word));
    if (wanted >= here) {
      wanted -= here;
      continue;
    }
    for (; wanted > 0; --wanted) word &= word - 1;
    return static_cast<TokenId>(i * 32 + static_cast<size_t>(std::countr_zero(word)));
  }
  return std::nullopt;
}

// Returns a byte that may come next and has a token of its own.
std::optional<char> ChooseByte(const Matcher& matcher, std::mt19937_64* random) {
  std::bitset<256> next = matcher.NextBytes() & matcher.grammar().vocabulary().spellable();
  std::string liked;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    if (!next[static_cast<size_t>(byte)]) continue;
    char c = static_cast<char>(byte);
    all += c;
    if (std::string_view("\"{}[],:").find(c) != std::string_view::npos) liked += c;
  }
  if (all.empty()) return std::nullopt;
  const std::string& from = !liked.empty() && (*random)() % 3 == 0 ? liked : all;
  return from[(*random)() % from.size()];
}

void Complete(Matcher* matcher, RandomText* out) {
  if (out->finished) return;
  std::string rest = matcher->Completion();
  size_t taken = matcher->AcceptBytes(rest);
  out->text += rest;
  if (taken != rest.size()) {
    out->complaint = "completion refused at its byte " + std::to_string(taken) + ": " + rest;
  } else if (!matcher->IsAccepting()) {
    out->complaint = "completion does not complete: " + rest;
  }
}

}  // namespace

RandomText WriteRandomText(std::shared_ptr<const CompiledGrammar> grammar, Chooser chooser,
                           size_t max_tokens, std::mt19937_64* random, size_t random_tokens) {
  Matcher matcher(std::move(grammar));
  const Vocabulary& vocabulary = matcher.grammar().vocabulary().vocabulary();
  std::vector<uint32_t> row(matcher.grammar().vocabulary().row_words());
  RandomText out;
  while (out.tokens < max_tokens) {
    if (chooser == Chooser::kSeeking) {
      bool may_end = matcher.IsAccepting();
      auto byte = ChooseByte(matcher, random);
      if (!byte || (may_end && (*random)() % 4 == 0)) {
        if (!may_end) break;  // only longer tokens go on; Completion() is asked
        out.finished = true;
        return out;
      }
      if (matcher.AcceptBytes(std::string_view(&*byte, 1)) != 1) {
        out.complaint = "a byte may come next and was refused";
        return out;
      }
      out.text += *byte;
      ++out.tokens;
      continue;
    }
    matcher.FillMask(row.data());
    auto token = ChooseToken(row, out.tokens < random_tokens ? Chooser::kUniform : chooser, random);
    if (!token) {
      out.complaint = "the mask is empty";
      return out;
    }
    if (!matcher.Accept(*token)) {
      out.complaint = "token " + std::to_string(*token) + " is in the mask and was refused";
      return out;
    }
    if (matcher.IsTerminated()) {
      out.finished = true;
      return out;
    }
    out.text += vocabulary.bytes(*token);
    ++out.tokens;
  }
  Complete(&matcher, &out);
  return out;
}

}  // namespace maskloom::suites
