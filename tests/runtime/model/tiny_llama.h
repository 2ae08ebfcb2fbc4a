// A Llama of a few thousand weights for tests, as a GGUF file and as plain numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/half.h"
#include "kernels/kernels.h"
#include "runtime/model/llama_model.h"
#include "tests/runtime/gguf/gguf_writer.h"

namespace maskloom {

// What a tiny model is made with; tests change one thing and look what happens.
struct TinyLlama {
  uint64_t width = 64, heads = 4, kv_heads = 2, head_dim = 16, ffn = 96, layers = 2, vocab = 75;
  uint64_t context = 200;
  uint32_t matrix_type = 0;  // GGUF storage type: 0 F32, 1 F16, 3 Q4_1, 8 Q8_0
  bool tied = true;
  bool has_rope_divisors = false;
  float linear_scaling = 1;  // factor; 1 writes no key
  std::string skip_key, skip_tensor;
  std::string poisoned_tensor;                    // gets a NaN
  std::map<std::string, uint32_t> replaced_keys;  // written with these values instead
  std::map<std::string, std::vector<uint64_t>> replaced_dims;
  std::map<std::string, std::vector<float>> values;  // out: every tensor, dequantised

  // Returns the bytes of the file and fills `values`.
  std::string Bytes() {
    GgufWriter writer;
    if (skip_key != "general.architecture") writer.AddString("general.architecture", "llama");
    AddCount(&writer, "llama.embedding_length", width);
    AddCount(&writer, "llama.block_count", layers);
    AddCount(&writer, "llama.feed_forward_length", ffn);
    AddCount(&writer, "llama.context_length", context);
    AddCount(&writer, "llama.attention.head_count", heads);
    AddCount(&writer, "llama.attention.head_count_kv", kv_heads);
    AddCount(&writer, "llama.attention.key_length", head_dim);
    AddCount(&writer, "llama.attention.value_length", head_dim);
    if (skip_key != "llama.attention.layer_norm_rms_epsilon") {
      writer.AddScalar<float>("llama.attention.layer_norm_rms_epsilon", 6, 1e-5f);
    }
    writer.AddScalar<float>("llama.rope.freq_base", 6, 1000.0f);
    if (linear_scaling != 1) {
      writer.AddString("llama.rope.scaling.type", "linear");
      writer.AddScalar<float>("llama.rope.scaling.factor", 6, linear_scaling);
    }
    AddTensors(&writer);
    return writer.Bytes();
  }

 private:
  void AddCount(GgufWriter* writer, const std::string& key, uint64_t value) {
    if (key == skip_key) return;
    auto replaced = replaced_keys.find(key);
    if (replaced != replaced_keys.end()) value = replaced->second;
    writer->AddScalar<uint32_t>(key, 4, static_cast<uint32_t>(value));
  }

  void AddTensors(GgufWriter* writer) {
    Add(writer, "token_embd.weight", matrix_type, {width, vocab}, 1);
    if (!tied) Add(writer, "output.weight", matrix_type, {width, vocab}, 0.5f);
    Add(writer, "output_norm.weight", 0, {width}, 1);
    if (has_rope_divisors) Add(writer, "rope_freqs.weight", 0, {head_dim / 2}, 2);
    for (uint64_t i = 0; i < layers; ++i) {
      std::string prefix = "blk." + std::to_string(i) + ".";
      Add(writer, prefix + "attn_norm.weight", 0, {width}, 1);
      Add(writer, prefix + "attn_q.weight", matrix_type, {width, heads * head_dim}, 0.4f);
      Add(writer, prefix + "attn_k.weight", matrix_type, {width, kv_heads * head_dim}, 0.4f);
      Add(writer, prefix + "attn_v.weight", matrix_type, {width, kv_heads * head_dim}, 0.3f);
      Add(writer, prefix + "attn_output.weight", matrix_type, {heads * head_dim, width}, 0.3f);
      Add(writer, prefix + "ffn_norm.weight", 0, {width}, 1);
      Add(writer, prefix + "ffn_gate.weight", matrix_type, {width, ffn}, 0.3f);
      Add(writer, prefix + "ffn_up.weight", matrix_type, {width, ffn}, 0.3f);
      Add(writer, prefix + "ffn_down.weight", matrix_type, {ffn, width}, 0.3f);
    }
  }

  void Add(GgufWriter* writer, const std::string& name, uint32_t type, std::vector<uint64_t> dims,
           float range) {
    if (name == skip_tensor) return;
    if (replaced_dims.count(name) != 0) dims = replaced_dims[name];
    size_t count = dims[0] * (dims.size() > 1 ? dims[1] : 1);
    std::string data =
        type == 0 || type == 1 ? Plain(type, count, range) : Blocks(type, count, range);
    if (name == poisoned_tensor) std::memset(data.data(), 0xFF, 4);
    std::vector<float>& plain = values[name];
    plain.resize(count);
    kernels::FindBackend("reference")
        ->dequantize_row(type == 0   ? kernels::WeightType::kF32
                         : type == 1 ? kernels::WeightType::kF16
                         : type == 3 ? kernels::WeightType::kQ4_1
                                     : kernels::WeightType::kQ8_0,
                         data.data(), count, plain.data());
    writer->AddTensor(name, type, dims, data);
  }

  std::string Plain(uint32_t type, size_t count, float range) {
    std::string data;
    std::uniform_real_distribution<float> distribution(-range, range);
    for (size_t i = 0; i < count; ++i) {
      float value = distribution(random_);
      if (range >= 1) value = std::abs(value) + 0.5f;  // norms and divisors stay away from 0
      if (type == 0) GgufWriter::Append(&data, value);
      if (type == 1) GgufWriter::Append(&data, kernels::FloatToHalf(value));
    }
    return data;
  }

  std::string Blocks(uint32_t type, size_t count, float range) {
    std::string data;
    for (size_t block = 0; block < count / 32; ++block) {
      GgufWriter::Append(&data, kernels::FloatToHalf(range / (type == 3 ? 8 : 127)));
      if (type == 3) GgufWriter::Append(&data, kernels::FloatToHalf(-range));
      for (int i = 0; i < (type == 3 ? 16 : 32); ++i) data += static_cast<char>(random_());
    }
    return data;
  }

  std::mt19937 random_{11};
};

// Loads a tiny model through a file.
inline Result<std::shared_ptr<const LlamaModel>> LoadTiny(TinyLlama* tiny) {
  TemporaryFile temporary(tiny->Bytes());
  auto file = GgufFile::Open(temporary.path());
  if (!file.ok()) return file.status();
  return LlamaModel::Load(*file);
}

}  // namespace maskloom
