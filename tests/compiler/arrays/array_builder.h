// Builds grammars of arrays by hand, for tests below the runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/compiled_grammar.h"
#include "grammar/ir.h"

namespace maskloom::arrays {

struct ArrayBuilder {
  Grammar grammar;

  // Of compact JSON.
  ArrayBuilder() { grammar.style.whitespace = StylePolicy::Whitespace::kCompact; }

  ValueId Add(ValueNode node);
  ValueId Null();
  ValueId Boolean();
  ValueId String(StringNode string);
  // "a" or "b".
  ValueId Letter();
  ValueId Number(NumberNode number);
  ValueId Integers(int64_t first, int64_t last);
  ValueId Object(std::vector<ObjectNode::Property> properties);
  ValueId Array(ArrayNode array);
  ValueId ArrayOf(ValueId item, uint64_t max_items);
  ValueId DistinctArray(ValueId item, uint64_t min_items = 0);
  // A value of one or the other, neither of which is a literal.
  ValueId Either(ValueId one, ValueId other);

  Result<std::shared_ptr<const CompiledGrammar>> Compile(
      ValueId root, std::shared_ptr<const VocabularyIndex> vocabulary);
};

}  // namespace maskloom::arrays
