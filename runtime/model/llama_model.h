// A model of the Llama family as it lies in a GGUF file: its dimensions and views of its weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grammar/base/status.h"
#include "kernels/kernels.h"
#include "runtime/gguf/gguf_file.h"

namespace maskloom {

// Dimensions and constants, checked against each other and against the weights.
struct LlamaConfig {
  size_t vocab_size = 0;  // rows of the output matrix
  size_t width = 0;       // of the residual stream
  size_t layer_count = 0;
  size_t head_count = 0;     // query heads
  size_t kv_head_count = 0;  // divides head_count
  size_t head_dim = 0;       // a multiple of 8
  size_t ffn_width = 0;
  size_t rope_pairs = 0;      // rotated pairs of a head
  size_t context_length = 0;  // positions the model was trained for
  float rms_epsilon = 0;
  float rope_base = 0;
  float rope_position_scale = 1;  // positions are multiplied with it (linear scaling)
};

// A weight matrix inside the file: `rows` outputs of `columns` inputs.
struct Matrix {
  const uint8_t* data = nullptr;
  kernels::WeightType type = kernels::WeightType::kF32;
  size_t rows = 0;
  size_t columns = 0;
};

// Weights of one layer; norms have width entries.
struct LlamaLayer {
  const float* attention_norm = nullptr;
  const float* ffn_norm = nullptr;
  Matrix query, key, value, attention_output;
  Matrix gate, up, down;
};

// An immutable model. It keeps the file mapped. Thread safety: any thread may read.
class LlamaModel {
 public:
  // Checks the metadata and every tensor's shape and type.
  // Absent keys: head_count_kv = head_count, key_length = width / heads, rope.freq_base = 10000,
  // rope.dimension_count = key_length; without output.weight the embedding is the output matrix.
  // On error: kInvalidModel naming the key or tensor that is missing or does not fit; kUnsupported
  // for another architecture, another storage type, or tensors that this model does not have.
  static Result<std::shared_ptr<const LlamaModel>> Load(std::shared_ptr<const GgufFile> file);

  const LlamaConfig& config() const { return config_; }
  const GgufFile& file() const { return *file_; }
  const Matrix& embedding() const { return embedding_; }
  const Matrix& output() const { return output_; }
  const float* output_norm() const { return output_norm_; }
  const std::vector<LlamaLayer>& layers() const { return layers_; }
  // Angle a position step turns each pair by, in radians.
  const std::vector<float>& rope_frequencies() const { return rope_frequencies_; }
  // Bytes of weights that one decoded token reads.
  size_t bytes_per_token() const { return bytes_per_token_; }

 private:
  friend class LlamaLoader;
  LlamaModel() = default;

  std::shared_ptr<const GgufFile> file_;
  LlamaConfig config_;
  Matrix embedding_;
  Matrix output_;
  const float* output_norm_ = nullptr;
  std::vector<LlamaLayer> layers_;
  std::vector<float> rope_frequencies_;
  size_t bytes_per_token_ = 0;
};

}  // namespace maskloom
