#include "bench/block_bench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/machine.h"
#include "compiler/mask_builder.h"
#include "compiler/mask_key.h"
#include "compiler/string_index.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::bench {
namespace {

using Vocab = std::shared_ptr<const BenchVocabulary>;

// A state: where `prefix` leads to under `definition`.
struct Place {
  const char* name;  // the part that builds its mask, and of what
  DefinitionKind kind;
  const char* definition;
  const char* prefix;
};

constexpr const char* kObject =
    R"({"type":"object","properties":{"name":{"type":"string"},"code":{"type":"string",)"
    R"("pattern":"^[A-Z][a-z]+(-[A-Z][a-z]+)*$"},"short":{"type":"string","maxLength":20},)"
    R"("size":{"type":"number"},"share":{"type":"integer","minimum":17,"maximum":6559},)"
    R"("colour":{"enum":["red","green","blue","brown","black","white","grey","orange"]},)"
    R"("tags":{"type":"array","items":{"type":"string"}}})";

const Place kPlaces[] = {
    {"walk/before_key", DefinitionKind::kJsonSchema, "closed", "{"},
    {"walk/after_value", DefinitionKind::kJsonSchema, "closed", R"({"name":"x")"},
    {"walk/array_item", DefinitionKind::kJsonSchema, "closed", R"({"tags":[)"},
    {"exits/string", DefinitionKind::kJsonSchema, "closed", R"({"name":"some)"},
    {"exits/bounded_string", DefinitionKind::kJsonSchema, "closed", R"({"short":"some)"},
    {"text/pattern", DefinitionKind::kJsonSchema, "closed", R"({"code":"Some)"},
    {"text/enum", DefinitionKind::kJsonSchema, "closed", R"({"colour":"b)"},
    {"number/any", DefinitionKind::kJsonSchema, "closed", R"({"size":-)"},
    {"number/bounded", DefinitionKind::kJsonSchema, "closed", R"({"share":1)"},
    {"name/declared", DefinitionKind::kJsonSchema, "closed", R"({"c)"},
    {"name/open", DefinitionKind::kJsonSchema, "open", R"({"c)"},
    {"rule/words", DefinitionKind::kEbnf, "root ::= [a-z]+ (\" \" [a-z]+)* \".\"", "some wor"},
};

std::string DefinitionOf(const Place& place) {
  const std::string text = place.definition;
  if (text == "closed") return std::string(kObject) + R"(,"additionalProperties":false})";
  return text == "open" ? std::string(kObject) + "}" : text;
}

Status Wrong(const std::string& what) { return Status(StatusCode::kInternal, what); }

bool IsSet(const std::vector<uint32_t>& row, TokenId id) { return (row[id / 32] >> (id % 32)) & 1; }

// A matcher at a place, with the rows of its grammar.
struct Standing {
  Vocab vocabulary;
  std::unique_ptr<Matcher> matcher;
  std::unique_ptr<BaseRows> rows;
  std::optional<Item> plain_item;  // as MaskBuilder::PlainKeyOf has it
  ItemMask plain;

  const Machine& machine() const { return matcher->grammar().machine(); }
  const Item& item() const { return matcher->items().front(); }

  ItemMask Build(MaskBuilder* builder) const {
    if (plain_item) {
      return builder->BuildKey(machine(), *vocabulary->index, rows.get(), item(), plain);
    }
    const VocabularyIndex& index = *vocabulary->index;
    const Nearness near = FindNearness(machine(), index.held_items(), item());
    return builder->Build(machine(), index, rows.get(), item(), near);
  }
};

Result<std::shared_ptr<Standing>> StandAt(const Place& place, const Vocab& vocabulary) {
  const DefinitionOptions options;
  auto compiled = CompileDefinition(place.kind, DefinitionOf(place), options, vocabulary->index);
  if (!compiled.ok()) return compiled.status();
  auto standing = std::make_shared<Standing>();
  standing->vocabulary = vocabulary;
  standing->matcher = std::make_unique<Matcher>(compiled->grammar);
  const std::string prefix = place.prefix;
  if (standing->matcher->AcceptBytes(prefix) != prefix.size()) return Wrong("prefix is rejected");
  if (standing->matcher->items().size() != 1) return Wrong("several items");
  const VocabularyIndex& index = *vocabulary->index;
  standing->rows =
      std::make_unique<BaseRows>(index.categories(), index.row_words(), StringIndex::kBaseCount);
  standing->plain_item = MaskBuilder::PlainKeyOf(standing->machine(), index, standing->item());
  if (standing->plain_item) {
    MaskBuilder builder;
    const Item& plain = *standing->plain_item;
    const Nearness near = FindNearness(standing->machine(), index.held_items(), plain);
    standing->plain = builder.Build(standing->machine(), index, standing->rows.get(), plain, near);
  }
  return standing;
}

// Is the mask of the builder what single steps say of every token?
Status CheckMask(const Standing& standing) {
  const VocabularyIndex& index = *standing.vocabulary->index;
  MaskBuilder builder;
  const ItemMask mask = standing.Build(&builder);
  std::vector<uint32_t> row(index.row_words());
  if (mask.base != nullptr) std::copy_n(mask.base, row.size(), row.begin());
  for (const TokenId id : mask.exceptions()) row[id / 32] |= 1u << (id % 32);
  for (TokenId id = 0; id < index.size(); ++id) {
    if (index.vocabulary().IsEndToken(id)) continue;
    if (IsSet(row, id) != standing.matcher->IsAllowed(id)) {
      return Wrong("the mask is wrong at token " + std::to_string(id));
    }
  }
  return Status::Ok();
}

// Each of `registered` is a benchmark named `name`.
void Register(const std::string& name, std::function<void(benchmark::State&)> body) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(body));
}

Status RegisterPlace(const Place& place, const Vocab& vocabulary) {
  auto made = StandAt(place, vocabulary);
  if (!made.ok()) return made.status();
  const std::shared_ptr<Standing> standing = *made;
  if (Status status = CheckMask(*standing); !status.ok()) return status;
  const std::string name = std::string("/") + place.name + "/" + vocabulary->name;
  Register("MaskBuild" + name, [standing](benchmark::State& state) {
    MaskBuilder builder;
    for (auto _ : state) benchmark::DoNotOptimize(standing->Build(&builder));
  });
  Register("MaskKey" + name, [standing](benchmark::State& state) {
    MaskKey key;
    for (auto _ : state) {
      key.Start(standing->machine(), *standing->vocabulary->index, standing->item());
      benchmark::DoNotOptimize(key.hash());
    }
  });
  Register("MaskFind" + name, [standing](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(standing->matcher->FindMask());
  });
  return Status::Ok();
}

// Rows of tokens by category, checked by reading every token.
Status RegisterRegionRow(const char* name, CategorySet allowed, const Vocab& vocabulary) {
  const VocabularyIndex& index = *vocabulary->index;
  std::vector<uint32_t> row(index.row_words());
  index.categories().FillRow(allowed, CategoryIndex::kAnyLength, row.data());
  for (TokenId id = 0; id < index.size(); ++id) {
    if (index.vocabulary().kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = index.vocabulary().bytes(id);
    const bool belongs = std::all_of(bytes.begin(), bytes.end(), [allowed](char c) {
      return (allowed >> CategoryOf(static_cast<uint8_t>(c)) & 1) != 0;
    });
    if (IsSet(row, id) != (belongs && !bytes.empty())) {
      return Wrong(std::string("RegionRow/") + name + ": token " + std::to_string(id));
    }
  }
  Register(std::string("RegionRow/") + name + "/" + vocabulary->name, [vocabulary, allowed](
                                                                          benchmark::State& state) {
    std::vector<uint32_t> made(vocabulary->index->row_words());
    for (auto _ : state) {
      vocabulary->index->categories().FillRow(allowed, CategoryIndex::kAnyLength, made.data());
      benchmark::DoNotOptimize(made.data());
    }
  });
  return Status::Ok();
}

void RegisterRowCopy(const Vocab& vocabulary) {
  Register("RowCopy/same/" + vocabulary->name, [vocabulary](benchmark::State& state) {
    const MaskBase base = vocabulary->index->strings(TextCoding::kJsonString).Stay();
    std::vector<uint32_t> row(vocabulary->index->row_words());
    for (auto _ : state) {
      std::copy_n(base.row, row.size(), row.data());
      benchmark::DoNotOptimize(row.data());
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * row.size() * 4));
  });
  Register("RowCopy/one_of_256/" + vocabulary->name, [vocabulary](benchmark::State& state) {
    const size_t words = vocabulary->index->row_words();
    const std::vector<uint32_t> rows(256 * words, 0x5A5A5A5A);
    std::vector<uint32_t> row(words);
    size_t next = 0;
    for (auto _ : state) {
      std::copy_n(rows.data() + next * words, words, row.data());
      benchmark::DoNotOptimize(row.data());
      next = (next + 97) % 256;
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * words * 4));
  });
}

CategorySet CategoriesOf(std::string_view characters) {
  CategorySet set = 0;
  for (const char c : characters) set |= CategoryBit(c);
  return set;
}

}  // namespace

Status RegisterBlocks(const Vocab& vocabulary) {
  RegisterRowCopy(vocabulary);
  const struct {
    const char* name;
    const char* characters;
  } kSets[] = {{"lower", "abcdefghijklmnopqrstuvwxyz"},
               {"word", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"}};
  for (const auto& set : kSets) {
    const Status status = RegisterRegionRow(set.name, CategoriesOf(set.characters), vocabulary);
    if (!status.ok()) return status;
  }
  for (const Place& place : kPlaces) {
    const Status status = RegisterPlace(place, vocabulary);
    if (!status.ok()) return Wrong(std::string(place.name) + ": " + status.ToString());
  }
  benchmark::RegisterBenchmark(("VocabularyIndex/build/" + vocabulary->name).c_str(),
                               [vocabulary](benchmark::State& state) {
                                 for (auto _ : state) {
                                   benchmark::DoNotOptimize(VocabularyIndex::Build(
                                       Vocabulary(vocabulary->index->vocabulary())));
                                 }
                               })
      ->Unit(benchmark::kMillisecond);
  return Status::Ok();
}

}  // namespace maskloom::bench
