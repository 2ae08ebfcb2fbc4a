// Makes the judges from definitions.
#include "tests/judge/earley.h"
#include "tests/judge/json_judge.h"
#include "tests/judge/regex_judge.h"

namespace maskloom::judge {

Result<std::unique_ptr<JsonJudge>> MakeJsonJudge(std::string_view text, const JudgeStyle& style) {
  Result<JsonTree> tree = ParseJsonTree(text);
  if (!tree.ok()) return tree.status();
  auto pool = std::make_shared<RegexPool>();
  Result<SchemaNodes> nodes = ReadSchema(*tree, pool.get());
  if (!nodes.ok()) return nodes.status();
  auto judge = std::make_unique<JsonJudge>(std::move(*nodes), pool, style);
  Status status = judge->Admit();
  if (!status.ok()) return status;
  return judge;
}

Result<std::unique_ptr<Judge>> Judge::ForSchema(std::string_view text, const JudgeStyle& style) {
  auto judge = MakeJsonJudge(text, style);
  if (!judge.ok()) return judge.status();
  return std::unique_ptr<Judge>(std::move(*judge));
}

Result<std::unique_ptr<Judge>> Judge::ForRegex(std::string_view pattern,
                                               const std::bitset<256>& spellable) {
  auto pool = std::make_shared<RegexPool>();
  Result<RegexId> regex = pool->ParseWhole(pattern);
  if (!regex.ok()) return regex.status();
  auto judge = std::make_unique<RegexJudge>(pool, *regex, spellable);
  Status status = judge->Admit();
  if (!status.ok()) return status;
  return std::unique_ptr<Judge>(std::move(judge));
}

Result<std::unique_ptr<Judge>> Judge::ForEbnf(std::string_view text,
                                              const std::bitset<256>& spellable) {
  Result<EbnfGrammar> grammar = ReadEbnf(text);
  if (!grammar.ok()) return grammar.status();
  auto judge = std::make_unique<EarleyJudge>(std::move(*grammar), spellable);
  Status status = judge->Admit();
  if (!status.ok()) return status;
  return std::unique_ptr<Judge>(std::move(judge));
}

}  // namespace maskloom::judge
