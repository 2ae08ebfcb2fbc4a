// Loading: what is missing or does not fit is named, and nothing damaged gets through.
#include "runtime/model/llama_model.h"

#include <gtest/gtest.h>

#include <functional>

#include "runtime/model/forward_pass.h"
#include "tests/runtime/model/tiny_llama.h"

namespace maskloom {
namespace {

TEST(LlamaModel, LoadsWhatFits) {
  TinyLlama tiny;
  auto model = LoadTiny(&tiny);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const LlamaConfig& config = (*model)->config();
  EXPECT_EQ(config.vocab_size, tiny.vocab);
  EXPECT_EQ(config.head_dim, 16u);
  EXPECT_EQ(config.rope_pairs, 8u);
  EXPECT_EQ((*model)->output().data, (*model)->embedding().data);
  EXPECT_EQ((*model)->layers().size(), 2u);
}

TEST(LlamaModel, DefaultsAbsentKeys) {
  TinyLlama tiny;
  tiny.kv_heads = tiny.heads;
  tiny.skip_key = "llama.attention.head_count_kv";
  auto model = LoadTiny(&tiny);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->config().kv_head_count, tiny.heads);
  tiny = TinyLlama();
  tiny.skip_key = "llama.attention.key_length";
  model = LoadTiny(&tiny);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->config().head_dim, 16u);
}

TEST(LlamaModel, NamesWhatIsWrong) {
  struct Case {
    std::function<void(TinyLlama*)> change;
    StatusCode code;
    const char* message;
  };
  const Case cases[] = {
      {[](TinyLlama* t) { t->skip_key = "general.architecture"; }, StatusCode::kInvalidModel,
       "key 'general.architecture': missing"},
      {[](TinyLlama* t) { t->skip_key = "llama.block_count"; }, StatusCode::kInvalidModel,
       "key 'llama.block_count': missing"},
      {[](TinyLlama* t) { t->skip_key = "llama.attention.layer_norm_rms_epsilon"; },
       StatusCode::kInvalidModel, "rms_epsilon': missing"},
      {[](TinyLlama* t) { t->replaced_keys["llama.block_count"] = 0x7FFFFFFF; },
       StatusCode::kInvalidModel, "key 'llama.block_count': 2147483647 is not between 1 and"},
      {[](TinyLlama* t) { t->replaced_keys["llama.block_count"] = 3; }, StatusCode::kInvalidModel,
       "tensor 'blk.2.attn_norm.weight' is missing"},
      {[](TinyLlama* t) { t->replaced_keys["llama.block_count"] = 1; }, StatusCode::kUnsupported,
       "tensor 'blk.1."},
      {[](TinyLlama* t) { t->replaced_keys["llama.attention.head_count"] = 0; },
       StatusCode::kInvalidModel, "head_count': 0 is not between"},
      {[](TinyLlama* t) { t->replaced_keys["llama.attention.head_count_kv"] = 3; },
       StatusCode::kInvalidModel, "3 does not divide the 4 query heads"},
      {[](TinyLlama* t) { t->replaced_keys["llama.attention.key_length"] = 12; },
       StatusCode::kUnsupported, "different lengths"},
      {[](TinyLlama* t) { t->replaced_keys["llama.embedding_length"] = 128; },
       StatusCode::kInvalidModel, "tensor 'token_embd.weight' is 64 x 75 instead of 128 x 75"},
      {[](TinyLlama* t) { t->skip_tensor = "blk.1.ffn_up.weight"; }, StatusCode::kInvalidModel,
       "tensor 'blk.1.ffn_up.weight' is missing"},
      {[](TinyLlama* t) { t->skip_tensor = "token_embd.weight"; }, StatusCode::kInvalidModel,
       "tensor 'token_embd.weight' is missing"},
      {[](TinyLlama* t) {
         t->replaced_dims["blk.0.attn_k.weight"] = {64, 64};
       },
       StatusCode::kInvalidModel, "tensor 'blk.0.attn_k.weight' is 64 x 64 instead of 64 x 32"},
      {[](TinyLlama* t) { t->replaced_dims["output_norm.weight"] = {32}; },
       StatusCode::kInvalidModel, "tensor 'output_norm.weight' is 32 instead of 64"},
  };
  for (const Case& one : cases) {
    TinyLlama tiny;
    one.change(&tiny);
    Status status = LoadTiny(&tiny).status();
    EXPECT_EQ(status.code(), one.code) << one.message << " / " << status.message();
    EXPECT_NE(status.message().find(one.message), std::string::npos)
        << one.message << " / " << status.message();
  }
}

TEST(LlamaModel, RefusesOtherArchitectures) {
  GgufWriter writer;
  writer.AddString("general.architecture", "gemma3");
  TemporaryFile temporary(writer.Bytes());
  auto file = GgufFile::Open(temporary.path());
  ASSERT_TRUE(file.ok());
  Status status = LlamaModel::Load(*file).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("'gemma3'"), std::string::npos);
}

// A damaged header either fails to load or gives a model that can be run without harm.
TEST(LlamaModel, SurvivesFlippedBytes) {
  TinyLlama tiny;
  const std::string bytes = tiny.Bytes();
  std::mt19937 random(5);
  TemporaryFile temporary("");
  size_t loaded = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    for (uint32_t flips = 1 + random() % 2; flips > 0; --flips) {
      damaged[random() % 2400] = static_cast<char>(random());
    }
    temporary.Write(damaged);
    auto file = GgufFile::Open(temporary.path());
    if (!file.ok()) continue;
    auto model = LlamaModel::Load(*file);
    if (!model.ok()) continue;
    auto pass = ForwardPass::Create(*model, {.threads = 1});
    ASSERT_TRUE(pass.ok());
    auto cache = (*pass)->MakeCache();
    if (!cache.ok()) continue;
    const int32_t tokens[] = {1, 2, 3};
    std::vector<float> logits((*pass)->vocab_size());
    if ((*pass)->Forward(tokens, cache->get()).ok()) {
      loaded += (*pass)->Logits(0, 1, logits.data()).ok();
    }
  }
  EXPECT_GT(loaded, 0u);
}

}  // namespace
}  // namespace maskloom
