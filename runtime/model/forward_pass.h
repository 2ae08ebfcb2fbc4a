// The forward pass of a Llama model: tokens in, logits out.
//
// Forward() appends tokens to a sequence: it computes their keys and values into the cache and
// keeps the final hidden state of the last few positions. Logits are a separate step, because what
// follows often needs few of them: under a short mask LogitsFor() multiplies only the rows of the
// allowed tokens, and where a single token is allowed none is multiplied at all.
//
//   auto pass = ForwardPass::Create(model, {});
//   auto cache = (*pass)->MakeCache();
//   (*pass)->Forward(prompt, cache->get());
//   (*pass)->Logits(0, 1, logits);                    // all, of the last position
//   (*pass)->LogitsFor(0, allowed_ids, some_logits);  // or only these
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grammar/base/status.h"
#include "kernels/kernels.h"
#include "runtime/model/kv_cache.h"
#include "runtime/model/llama_model.h"
#include "runtime/thread_pool.h"

namespace maskloom {

// How matrices are multiplied.
enum class Compute {
  kFloat,  // weights dequantised, float32 products: the judge of the other
  kInt8,   // activations rounded to 8 bits per block of 32; F32 and F16 weights as in kFloat
};

struct ForwardOptions {
  Compute compute = Compute::kInt8;
  size_t threads = 0;         // 0: one per processor
  size_t context_length = 0;  // positions of a cache; 0: as many as the model was trained for
  kernels::KvType kv_type = kernels::KvType::kF16;
};

// Buffers and threads to run one model; the model itself is shared.
// Results depend on the tokens, the cache and `compute`, not on the number of threads, and not on
// how a text is cut into calls.
// Thread safety: one thread at a time.
class ForwardPass {
 public:
  // Prepares to run `model`.
  // On error: kInvalidArgument when the context asked for is longer than the model's or the backend
  // that MASKLOOM_KERNELS names cannot be had.
  static Result<std::unique_ptr<ForwardPass>> Create(std::shared_ptr<const LlamaModel> model,
                                                     const ForwardOptions& options);

  ForwardPass(const ForwardPass&) = delete;
  ForwardPass& operator=(const ForwardPass&) = delete;

  const LlamaModel& model() const { return *model_; }
  const ForwardOptions& options() const { return options_; }  // with defaults resolved
  size_t vocab_size() const { return model_->config().vocab_size; }
  size_t context_length() const { return options_.context_length; }
  size_t thread_count() const { return pool_.size(); }
  const char* backend_name() const { return backend_->name; }

  // Returns an empty cache for one sequence of up to context_length() positions.
  // On error: kResourceLimit.
  Result<std::unique_ptr<KvCache>> MakeCache() const;

  // Runs `tokens` at the positions from cache->length() on and keeps the hidden states of the last
  // `keep` of them for Logits(); the ones kept before are forgotten.
  // Requires: a cache of this model's shape; keep <= tokens.size().
  // On error: kInvalidArgument for no tokens, an id outside the vocabulary, or more tokens than the
  // cache has room for; kInvalidModel when the weights lead to values that are not finite. The
  // cache is then as before.
  // Cost: one read of all weights per 64 tokens; no allocation but for longer texts or a larger
  // `keep`.
  Status Forward(std::span<const int32_t> tokens, KvCache* cache, size_t keep = 1);

  // Number of hidden states that are kept.
  size_t kept() const { return kept_count_; }

  // Writes the logits of the kept positions first .. first + count - 1, vocab_size() each.
  // On error: kInvalidArgument when these are not kept.
  Status Logits(size_t first, size_t count, float* out);

  // Writes the logits of `ids` at the kept position `index`; they equal those of Logits().
  // On error: kInvalidArgument when it is not kept or an id is outside the vocabulary.
  // Cost: proportional to ids.size().
  Status LogitsFor(size_t index, std::span<const int32_t> ids, float* out);

 private:
  // The two forms of a batch of vectors that a matrix may be multiplied with.
  struct Activations {
    const float* x = nullptr;
    const kernels::Q8Block* q8 = nullptr;
    size_t columns = 0;
    size_t batch = 0;
  };
  // A matrix and where its products go, out_stride floats a vector.
  struct Product {
    const Matrix* matrix = nullptr;
    float* out = nullptr;
    size_t out_stride = 0;
  };

  ForwardPass(std::shared_ptr<const LlamaModel> model, const ForwardOptions& options,
              const kernels::Backend* backend);

  bool UsesInt8(const Matrix& matrix) const;
  // Returns x as activations, rounded to 8 bits if some matrix of `reader`'s kind wants that.
  Activations Prepare(const float* x, size_t columns, size_t batch);
  void MultiplyRows(const Matrix& matrix, const Activations& in, size_t first, size_t count,
                    float* out, size_t out_stride) const;
  void Multiply(std::span<const Product> products, const Activations& in);
  void NormRows(const float* weight, size_t batch);

  Status CheckTokens(std::span<const int32_t> tokens, const KvCache& cache, size_t keep) const;
  void RunBatch(std::span<const int32_t> tokens, KvCache* cache);
  void ComputeAngles(size_t position, size_t batch);
  void Attend(const LlamaLayer& layer, size_t index, size_t batch, KvCache* cache);
  void AttendHeads(size_t layer, size_t position, size_t kv_head, const KvCache& cache,
                   const float* queries, float* out, float* scores) const;
  void FeedForward(const LlamaLayer& layer, size_t batch);
  bool KeepRows(size_t batch, size_t row_begin, size_t kept_begin);

  std::shared_ptr<const LlamaModel> model_;
  ForwardOptions options_;
  const kernels::Backend* backend_;
  ThreadPool pool_;

  // Buffers of a batch: rows of a position each.
  std::vector<float> hidden_;    // width: the residual stream
  std::vector<float> normed_;    // width
  std::vector<float> queries_;   // head_count * head_dim
  std::vector<float> keys_;      // kv_head_count * head_dim
  std::vector<float> values_;    // kv_head_count * head_dim
  std::vector<float> attended_;  // head_count * head_dim
  std::vector<float> gates_;     // ffn_width
  std::vector<float> ups_;       // ffn_width
  std::vector<float> angles_;    // rope_pairs (cosine, sine)
  std::vector<kernels::Q8Block> q8_;
  std::vector<float> scores_;  // scores_stride_ per thread and query head of a group
  size_t scores_stride_ = 0;

  std::vector<float> kept_;  // width per kept position, after the final norm
  size_t kept_count_ = 0;
};

}  // namespace maskloom
