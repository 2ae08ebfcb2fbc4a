// Reading of a Llama model's metadata and tensors. Everything that the forward pass relies on is
// checked here, so that it can index without looking.
#include "runtime/model/llama_model.h"

#include <cmath>
#include <set>
#include <utility>

namespace maskloom {
namespace {

// Limits far above every real model; they keep products of dimensions inside 64 bits.
constexpr uint64_t kMaxLayers = 1024;
constexpr uint64_t kMaxHeads = 1024;
constexpr uint64_t kMaxHeadDim = 1024;
constexpr uint64_t kMaxWidth = 1 << 17;
constexpr uint64_t kMaxFfnWidth = 1 << 20;
constexpr uint64_t kMaxContext = 1 << 24;
constexpr uint64_t kMaxVocabulary = 1 << 22;

}  // namespace

class LlamaLoader {
 public:
  LlamaLoader(LlamaModel* model, const GgufFile& file) : model_(model), file_(file) {}

  Status Load() {
    if (Status status = ReadConfig(); !status.ok()) return status;
    if (Status status = ReadTensors(); !status.ok()) return status;
    if (Status status = ReadRope(); !status.ok()) return status;
    for (const GgufTensor& tensor : file_.tensors()) {
      if (used_.count(tensor.name) == 0) {
        return Fail(StatusCode::kUnsupported,
                    "tensor '" + std::string(tensor.name) + "' is not part of a plain Llama model");
      }
    }
    return Status::Ok();
  }

 private:
  Status Fail(StatusCode code, const std::string& what) const {
    return Status(code, file_.path() + ": " + what);
  }
  Status FailKey(const std::string& key, const std::string& what) const {
    return Fail(StatusCode::kInvalidModel, "key '" + key + "': " + what);
  }

  // Reads a count in [1, limit]; when the key is absent `fallback` stands for it, unless it is 0.
  Status ReadCount(const std::string& key, uint64_t limit, uint64_t fallback, size_t* out) const {
    std::string name = "llama." + key;
    uint64_t value = fallback;
    if (file_.Has(name)) {
      std::optional<uint64_t> found = file_.FindU64(name);
      if (!found) return FailKey(name, "not a whole number");
      value = *found;
    } else if (fallback == 0) {
      return FailKey(name, "missing");
    }
    if (value == 0 || value > limit) {
      return FailKey(name,
                     std::to_string(value) + " is not between 1 and " + std::to_string(limit));
    }
    *out = value;
    return Status::Ok();
  }

  // Reads a positive finite number; when the key is absent `fallback`, unless it is 0.
  Status ReadReal(const std::string& key, float fallback, float* out) const {
    std::string name = "llama." + key;
    float value = fallback;
    if (file_.Has(name)) {
      std::optional<float> found = file_.FindF32(name);
      if (!found) return FailKey(name, "not a floating-point number");
      value = *found;
    } else if (fallback == 0) {
      return FailKey(name, "missing");
    }
    if (!std::isfinite(value) || value <= 0) return FailKey(name, "not a positive number");
    *out = value;
    return Status::Ok();
  }

  Status ReadConfig() {
    std::optional<std::string_view> architecture = file_.FindString("general.architecture");
    if (!architecture) return FailKey("general.architecture", "missing");
    if (*architecture != "llama") {
      return Fail(StatusCode::kUnsupported, "models of architecture '" +
                                                std::string(architecture->substr(0, 40)) +
                                                "' are not run, only 'llama'");
    }
    if (file_.FindU64("split.count").value_or(1) > 1) {
      return Fail(StatusCode::kUnsupported, "one shard of a split model; join the shards first");
    }
    if (file_.FindU64("llama.expert_count").value_or(0) > 0) {
      return Fail(StatusCode::kUnsupported, "models with experts are not run");
    }
    LlamaConfig& c = model_->config_;
    size_t value_length = 0, rope_dims = 0;
    Status status = ReadCount("embedding_length", kMaxWidth, 0, &c.width);
    if (status.ok()) status = ReadCount("block_count", kMaxLayers, 0, &c.layer_count);
    if (status.ok()) status = ReadCount("feed_forward_length", kMaxFfnWidth, 0, &c.ffn_width);
    if (status.ok()) status = ReadCount("context_length", kMaxContext, 0, &c.context_length);
    if (status.ok()) status = ReadCount("attention.head_count", kMaxHeads, 0, &c.head_count);
    if (status.ok()) {
      status = ReadCount("attention.head_count_kv", kMaxHeads, c.head_count, &c.kv_head_count);
    }
    if (status.ok()) {
      status = ReadCount("attention.key_length", kMaxHeadDim, c.width / c.head_count, &c.head_dim);
    }
    if (status.ok()) {
      status = ReadCount("attention.value_length", kMaxHeadDim, c.head_dim, &value_length);
    }
    if (status.ok()) status = ReadCount("rope.dimension_count", c.head_dim, c.head_dim, &rope_dims);
    if (status.ok()) status = ReadReal("attention.layer_norm_rms_epsilon", 0, &c.rms_epsilon);
    if (status.ok()) status = ReadReal("rope.freq_base", 10000, &c.rope_base);
    if (!status.ok()) return status;
    c.rope_pairs = rope_dims / 2;
    if (c.head_count % c.kv_head_count != 0) {
      return FailKey("llama.attention.head_count_kv",
                     std::to_string(c.kv_head_count) + " does not divide the " +
                         std::to_string(c.head_count) + " query heads");
    }
    if (value_length != c.head_dim) {
      return Fail(StatusCode::kUnsupported, "keys and values of different lengths are not run");
    }
    if (c.head_dim % 8 != 0 || rope_dims % 2 != 0) {
      return Fail(StatusCode::kUnsupported, "heads of " + std::to_string(c.head_dim) +
                                                " values are not run, only multiples of 8");
    }
    return ReadRopeScaling();
  }

  Status ReadRopeScaling() {
    std::string_view type = file_.FindString("llama.rope.scaling.type").value_or("none");
    if (type == "none") return Status::Ok();
    if (type != "linear") {
      return Fail(StatusCode::kUnsupported,
                  "RoPE scaling '" + std::string(type.substr(0, 40)) + "' is not run");
    }
    float factor = 1;
    if (Status status = ReadReal("rope.scaling.factor", 1, &factor); !status.ok()) return status;
    model_->config_.rope_position_scale = 1 / factor;
    return Status::Ok();
  }

  Status FindTensor(const std::string& name, size_t dim0, size_t dim1, const GgufTensor** out) {
    const GgufTensor* tensor = file_.FindTensor(name);
    if (tensor == nullptr) {
      return Fail(StatusCode::kInvalidModel, "tensor '" + name + "' is missing");
    }
    if (tensor->dims != std::array<uint64_t, 4>{dim0, dim1, 1, 1}) {
      std::string found;
      for (uint32_t i = 0; i < tensor->dim_count; ++i) {
        found += (i > 0 ? " x " : "") + std::to_string(tensor->dims[i]);
      }
      return Fail(StatusCode::kInvalidModel, "tensor '" + name + "' is " + found + " instead of " +
                                                 std::to_string(dim0) +
                                                 (dim1 > 1 ? " x " + std::to_string(dim1) : ""));
    }
    used_.insert(tensor->name);
    *out = tensor;
    return Status::Ok();
  }

  Status ReadVector(const std::string& name, size_t count, const float** out) {
    const GgufTensor* tensor = nullptr;
    if (Status status = FindTensor(name, count, 1, &tensor); !status.ok()) return status;
    if (tensor->type != GgmlType::kF32) {
      return Fail(StatusCode::kUnsupported, "tensor '" + name + "' is stored as " +
                                                GgmlTypeName(uint32_t(tensor->type)) +
                                                ", only F32 is read there");
    }
    *out = reinterpret_cast<const float*>(tensor->data);
    return Status::Ok();
  }

  Status ReadMatrix(const std::string& name, size_t columns, size_t rows, Matrix* out) {
    const GgufTensor* tensor = nullptr;
    if (Status status = FindTensor(name, columns, rows, &tensor); !status.ok()) return status;
    switch (tensor->type) {
      case GgmlType::kF32:
        out->type = kernels::WeightType::kF32;
        break;
      case GgmlType::kF16:
        out->type = kernels::WeightType::kF16;
        break;
      case GgmlType::kQ4_1:
        out->type = kernels::WeightType::kQ4_1;
        break;
      case GgmlType::kQ8_0:
        out->type = kernels::WeightType::kQ8_0;
        break;
      default:
        return Fail(StatusCode::kUnsupported, "tensor '" + name + "' is stored as " +
                                                  GgmlTypeName(uint32_t(tensor->type)) +
                                                  "; F32, F16, Q4_1 and Q8_0 are run");
    }
    out->data = tensor->data;
    out->rows = rows;
    out->columns = columns;
    model_->bytes_per_token_ += tensor->byte_size;
    return Status::Ok();
  }

  Status ReadTensors() {
    LlamaConfig& c = model_->config_;
    const GgufTensor* embedding = file_.FindTensor("token_embd.weight");
    if (embedding == nullptr) {
      return Fail(StatusCode::kInvalidModel, "tensor 'token_embd.weight' is missing");
    }
    c.vocab_size = embedding->dims[1];
    if (c.vocab_size > kMaxVocabulary) {
      return Fail(StatusCode::kInvalidModel, "the vocabulary has " + std::to_string(c.vocab_size) +
                                                 " tokens, more than the " +
                                                 std::to_string(kMaxVocabulary) + " allowed");
    }
    Status status = ReadMatrix("token_embd.weight", c.width, c.vocab_size, &model_->embedding_);
    if (!status.ok()) return status;
    model_->output_ = model_->embedding_;
    if (file_.FindTensor("output.weight") != nullptr) {
      model_->bytes_per_token_ = 0;  // the embedding is only looked up then
      status = ReadMatrix("output.weight", c.width, c.vocab_size, &model_->output_);
    }
    if (status.ok()) status = ReadVector("output_norm.weight", c.width, &model_->output_norm_);
    for (size_t i = 0; i < c.layer_count && status.ok(); ++i) {
      status = ReadLayer("blk." + std::to_string(i) + ".");
    }
    return status;
  }

  Status ReadLayer(const std::string& prefix) {
    const LlamaConfig& c = model_->config_;
    size_t query_width = c.head_count * c.head_dim;
    size_t kv_width = c.kv_head_count * c.head_dim;
    LlamaLayer layer;
    Status status = ReadVector(prefix + "attn_norm.weight", c.width, &layer.attention_norm);
    if (status.ok()) status = ReadVector(prefix + "ffn_norm.weight", c.width, &layer.ffn_norm);
    const std::pair<const char*, Matrix*> matrices[] = {
        {"attn_q.weight", &layer.query},  {"attn_k.weight", &layer.key},
        {"attn_v.weight", &layer.value},  {"attn_output.weight", &layer.attention_output},
        {"ffn_gate.weight", &layer.gate}, {"ffn_up.weight", &layer.up},
        {"ffn_down.weight", &layer.down},
    };
    const std::pair<size_t, size_t> shapes[] = {{c.width, query_width}, {c.width, kv_width},
                                                {c.width, kv_width},    {query_width, c.width},
                                                {c.width, c.ffn_width}, {c.width, c.ffn_width},
                                                {c.ffn_width, c.width}};
    for (size_t i = 0; i < std::size(matrices) && status.ok(); ++i) {
      status = ReadMatrix(prefix + matrices[i].first, shapes[i].first, shapes[i].second,
                          matrices[i].second);
    }
    if (status.ok()) model_->layers_.push_back(layer);
    return status;
  }

  // Angles are computed in float32, as the models were trained.
  Status ReadRope() {
    const LlamaConfig& c = model_->config_;
    const float* divisors = nullptr;
    if (file_.FindTensor("rope_freqs.weight") != nullptr) {
      Status status = ReadVector("rope_freqs.weight", c.rope_pairs, &divisors);
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < c.rope_pairs; ++i) {
      float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * c.rope_pairs);
      float frequency = 1.0f / std::pow(c.rope_base, exponent);
      if (divisors != nullptr) frequency /= divisors[i];
      model_->rope_frequencies_.push_back(frequency);
    }
    return Status::Ok();
  }

  LlamaModel* model_;
  const GgufFile& file_;
  std::set<std::string_view> used_;
};

Result<std::shared_ptr<const LlamaModel>> LlamaModel::Load(std::shared_ptr<const GgufFile> file) {
  std::shared_ptr<LlamaModel> model(new LlamaModel());
  model->file_ = file;
  if (Status status = LlamaLoader(model.get(), *file).Load(); !status.ok()) return status;
  return std::shared_ptr<const LlamaModel>(std::move(model));
}

}  // namespace maskloom
