#include "runtime/tokenizer/tokenizer_definition.h"

#include <algorithm>

#include "runtime/tokenizer/control_tokens.h"

namespace maskloom {

void CollectByteSymbols(TokenizerDefinition* definition) {
  std::vector<bool> is_added(definition->tokens.size());
  for (const AddedToken& token : definition->added) is_added[token.id] = true;
  definition->byte_symbols.tokens.fill(kNoToken);
  for (TokenId id = 0; id < definition->tokens.size(); ++id) {
    const Vocabulary::Token& token = definition->tokens[id];
    if (token.bytes.size() != 1 || token.kind != TokenKind::kNormal || is_added[id]) continue;
    TokenId& slot = definition->byte_symbols.tokens[static_cast<uint8_t>(token.bytes[0])];
    if (slot == kNoToken) slot = id;
  }
}

void CollectEndTokens(TokenizerDefinition* definition) {
  auto& ends = definition->end_tokens;
  for (const AddedToken& token : definition->added) {
    if (definition->tokens[token.id].kind == TokenKind::kControl && IsEndTokenName(token.text)) {
      ends.push_back(token.id);
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (definition->eos) return;
  int best = 0;
  for (const TokenId id : ends) {
    const int preference = EndTokenPreference(definition->tokens[id].bytes);
    if (!definition->eos || preference < best) {
      definition->eos = id;
      best = preference;
    }
  }
}

}  // namespace maskloom
