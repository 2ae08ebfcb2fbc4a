// One layer, in the order of the computation, for a batch of up to 64 positions:
//
//   normed = rms_norm(hidden) * attention_norm
//   queries, keys, values = normed * (Wq, Wk, Wv)          one loop over the rows of all three
//   rotate queries and keys, store keys and values
//   attended = softmax(queries . keys / sqrt(head_dim)) . values, each position seeing itself and
//              what came before; a key/value head serves head_count / kv_head_count query heads
//   hidden += attended * Wo
//   normed = rms_norm(hidden) * ffn_norm
//   gates = silu(normed * Wgate) * (normed * Wup)          one loop over the rows of both
//   hidden += gates * Wdown
//
// That is five parallel loops a layer for a single position. Each splits over the rows of its
// matrices (over heads for attention), so that no sum is ever split and the number of threads
// cannot change a result. Loops that would cost less than waking a thread run on the caller.
#include "runtime/model/forward_pass.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace maskloom {
namespace {

constexpr size_t kMaxBatch = 64;
constexpr size_t kChunkBytes = 24 * 1024;  // weights of a chunk, some 2 microseconds of work
constexpr size_t kInlineAttention = 2048;  // score values below which attention is not split

constexpr size_t kMinScores = 4096;  // positions that buffers are made for at first

size_t ChunkRows(size_t row_bytes, size_t batch) {
  size_t rows = kChunkBytes / std::max<size_t>(row_bytes, 1) / std::min<size_t>(batch, 4);
  return std::clamp<size_t>(rows, 4, 256) / 4 * 4;
}

}  // namespace

Result<std::unique_ptr<ForwardPass>> ForwardPass::Create(std::shared_ptr<const LlamaModel> model,
                                                         const ForwardOptions& options) {
  const kernels::Backend* backend = kernels::ActiveBackend();
  if (backend == nullptr) {
    return Status(StatusCode::kInvalidArgument,
                  std::string("MASKLOOM_KERNELS names kernels that are not available here; it may "
                              "be one of: ") +
                      kernels::AvailableBackends());
  }
  ForwardOptions resolved = options;
  size_t trained = model->config().context_length;
  if (resolved.context_length == 0) resolved.context_length = trained;
  if (resolved.context_length > trained) {
    return Status(StatusCode::kInvalidArgument,
                  "a context of " + std::to_string(resolved.context_length) +
                      " positions was asked for, but the model was trained for " +
                      std::to_string(trained));
  }
  return std::unique_ptr<ForwardPass>(new ForwardPass(std::move(model), resolved, backend));
}

ForwardPass::ForwardPass(std::shared_ptr<const LlamaModel> model, const ForwardOptions& options,
                         const kernels::Backend* backend)
    : model_(std::move(model)), options_(options), backend_(backend), pool_(options.threads) {
  const LlamaConfig& c = model_->config();
  options_.threads = pool_.size();
  size_t query_width = c.head_count * c.head_dim;
  size_t kv_width = c.kv_head_count * c.head_dim;
  hidden_.resize(kMaxBatch * c.width);
  normed_.resize(kMaxBatch * c.width);
  queries_.resize(kMaxBatch * query_width);
  keys_.resize(kMaxBatch * kv_width);
  values_.resize(kMaxBatch * kv_width);
  attended_.resize(kMaxBatch * query_width);
  gates_.resize(kMaxBatch * c.ffn_width);
  ups_.resize(kMaxBatch * c.ffn_width);
  angles_.resize(kMaxBatch * 2 * c.rope_pairs);
  q8_.resize(kMaxBatch * std::max({c.width, query_width, c.ffn_width}) / kernels::kBlockElements);
  kept_.resize(c.width);
}

Result<std::unique_ptr<KvCache>> ForwardPass::MakeCache() const {
  const LlamaConfig& c = model_->config();
  return MakeContiguousKvCache({.layers = c.layer_count,
                                .heads = c.kv_head_count,
                                .head_dim = c.head_dim,
                                .positions = options_.context_length},
                               options_.kv_type);
}

Status ForwardPass::CheckTokens(std::span<const int32_t> tokens, const KvCache& cache,
                                size_t keep) const {
  const LlamaConfig& c = model_->config();
  const KvShape& shape = cache.shape();
  if (shape.layers != c.layer_count || shape.heads != c.kv_head_count ||
      shape.head_dim != c.head_dim) {
    return Status(StatusCode::kInvalidArgument, "the cache was made for another model");
  }
  if (tokens.empty()) return Status(StatusCode::kInvalidArgument, "there are no tokens to run");
  if (keep > tokens.size()) {
    return Status(StatusCode::kInvalidArgument, "cannot keep more positions than are run");
  }
  size_t room = std::min(cache.capacity(), options_.context_length);
  if (tokens.size() > room - std::min(room, cache.length())) {
    return Status(StatusCode::kInvalidArgument, std::to_string(tokens.size()) + " tokens after " +
                                                    std::to_string(cache.length()) +
                                                    " do not fit into the context of " +
                                                    std::to_string(room) + " positions");
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || static_cast<size_t>(tokens[i]) >= c.vocab_size) {
      return Status(StatusCode::kInvalidArgument,
                    "token id " + std::to_string(tokens[i]) + " (number " + std::to_string(i) +
                        ") is outside the vocabulary of " + std::to_string(c.vocab_size));
    }
  }
  return Status::Ok();
}

Status ForwardPass::Forward(std::span<const int32_t> tokens, KvCache* cache, size_t keep) {
  if (Status status = CheckTokens(tokens, *cache, keep); !status.ok()) return status;
  size_t length_before = cache->length();
  if (scores_stride_ < length_before + tokens.size()) {
    // Doubling keeps steady decoding free of allocation.
    size_t wanted = std::max(2 * (length_before + tokens.size()), kMinScores);
    size_t group = model_->config().head_count / model_->config().kv_head_count;
    scores_stride_ = std::min(wanted, options_.context_length);
    scores_.resize(pool_.size() * group * scores_stride_);
  }
  size_t kept_from = tokens.size() - keep;
  if (kept_.size() < keep * model_->config().width) kept_.resize(keep * model_->config().width);
  kept_count_ = 0;
  for (size_t begin = 0; begin < tokens.size(); begin += kMaxBatch) {
    size_t batch = std::min(kMaxBatch, tokens.size() - begin);
    RunBatch(tokens.subspan(begin, batch), cache);
    if (begin + batch <= kept_from) continue;
    size_t row_begin = std::max(begin, kept_from) - begin;
    if (!KeepRows(batch, row_begin, begin + row_begin - kept_from)) {
      cache->Truncate(length_before);
      return Status(StatusCode::kInvalidModel,
                    model_->file().path() +
                        ": the weights lead to values that are not finite; the file is damaged");
    }
  }
  kept_count_ = keep;
  return Status::Ok();
}

void ForwardPass::RunBatch(std::span<const int32_t> tokens, KvCache* cache) {
  const LlamaConfig& c = model_->config();
  size_t batch = tokens.size();
  const Matrix& embedding = model_->embedding();
  size_t row_bytes = kernels::RowBytes(embedding.type, c.width);
  for (size_t b = 0; b < batch; ++b) {
    backend_->dequantize_row(embedding.type,
                             embedding.data + static_cast<size_t>(tokens[b]) * row_bytes, c.width,
                             hidden_.data() + b * c.width);
  }
  ComputeAngles(cache->length(), batch);
  for (size_t i = 0; i < c.layer_count; ++i) {
    const LlamaLayer& layer = model_->layers()[i];
    Attend(layer, i, batch, cache);
    FeedForward(layer, batch);
  }
  cache->Extend(cache->length() + batch);
}

void ForwardPass::ComputeAngles(size_t position, size_t batch) {
  const LlamaConfig& c = model_->config();
  for (size_t b = 0; b < batch; ++b) {
    float scaled = static_cast<float>(position + b) * c.rope_position_scale;
    float* angles = angles_.data() + b * 2 * c.rope_pairs;
    for (size_t i = 0; i < c.rope_pairs; ++i) {
      float angle = scaled * model_->rope_frequencies()[i];
      angles[2 * i] = std::cos(angle);
      angles[2 * i + 1] = std::sin(angle);
    }
  }
}

void ForwardPass::Attend(const LlamaLayer& layer, size_t index, size_t batch, KvCache* cache) {
  const LlamaConfig& c = model_->config();
  size_t query_width = c.head_count * c.head_dim;
  size_t kv_width = c.kv_head_count * c.head_dim;
  size_t position = cache->length();
  NormRows(layer.attention_norm, batch);
  Activations in = Prepare(normed_.data(), c.width, batch);
  const Product products[] = {{&layer.query, queries_.data(), query_width},
                              {&layer.key, keys_.data(), kv_width},
                              {&layer.value, values_.data(), kv_width}};
  Multiply(products, in);
  for (size_t b = 0; b < batch; ++b) {
    const float* angles = angles_.data() + b * 2 * c.rope_pairs;
    backend_->rope(queries_.data() + b * query_width, c.head_count, c.head_dim, c.rope_pairs,
                   angles);
    backend_->rope(keys_.data() + b * kv_width, c.kv_head_count, c.head_dim, c.rope_pairs, angles);
    cache->Store(index, position + b, keys_.data() + b * kv_width, values_.data() + b * kv_width);
  }
  size_t group = c.head_count / c.kv_head_count;
  auto attend = [&](size_t begin, size_t end, size_t worker) {
    for (size_t task = begin; task < end; ++task) {
      size_t b = task / c.kv_head_count;
      size_t kv_head = task % c.kv_head_count;
      size_t offset = b * query_width + kv_head * group * c.head_dim;
      AttendHeads(index, position + b, kv_head, *cache, queries_.data() + offset,
                  attended_.data() + offset, scores_.data() + worker * group * scores_stride_);
    }
  };
  size_t tasks = batch * c.kv_head_count;
  bool is_small = tasks * group * (position + batch) < kInlineAttention;
  pool_.ParallelFor(tasks, is_small ? tasks : 1, attend);

  // The products land where the normed rows were, which are not needed any more.
  in = Prepare(attended_.data(), query_width, batch);
  const Product output[] = {{&layer.attention_output, normed_.data(), c.width}};
  Multiply(output, in);
  backend_->add(hidden_.data(), normed_.data(), batch * c.width);
}

void ForwardPass::AttendHeads(size_t layer, size_t position, size_t kv_head, const KvCache& cache,
                              const float* queries, float* out, float* scores) const {
  const LlamaConfig& c = model_->config();
  size_t count = position + 1;
  kernels::AttentionArgs args{.group = c.head_count / c.kv_head_count,
                              .head_dim = c.head_dim,
                              .score_stride = scores_stride_};
  float scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
  for (size_t p = 0; p < count; p += args.run.count) {
    args.run = cache.Keys(layer, kv_head, p);
    args.run.count = std::min(args.run.count, count - p);
    args.scores = scores + p;
    backend_->attention_scores(args, queries, scale);
  }
  for (size_t g = 0; g < args.group; ++g) backend_->softmax(scores + g * scores_stride_, count);
  std::fill_n(out, args.group * c.head_dim, 0.0f);
  for (size_t p = 0; p < count; p += args.run.count) {
    args.run = cache.Values(layer, kv_head, p);
    args.run.count = std::min(args.run.count, count - p);
    args.scores = scores + p;
    backend_->attention_mix(args, out);
  }
}

void ForwardPass::FeedForward(const LlamaLayer& layer, size_t batch) {
  const LlamaConfig& c = model_->config();
  NormRows(layer.ffn_norm, batch);
  Activations in = Prepare(normed_.data(), c.width, batch);
  size_t row_bytes = 2 * kernels::RowBytes(layer.gate.type, c.width);
  pool_.ParallelFor(
      c.ffn_width, ChunkRows(row_bytes, batch), [&](size_t begin, size_t end, size_t) {
        MultiplyRows(layer.gate, in, begin, end - begin, gates_.data(), c.ffn_width);
        MultiplyRows(layer.up, in, begin, end - begin, ups_.data(), c.ffn_width);
        for (size_t b = 0; b < batch; ++b) {
          float* gate = gates_.data() + b * c.ffn_width + begin;
          backend_->silu_gate(gate, ups_.data() + b * c.ffn_width + begin, end - begin, gate);
        }
      });
  in = Prepare(gates_.data(), c.ffn_width, batch);
  const Product down[] = {{&layer.down, normed_.data(), c.width}};
  Multiply(down, in);
  backend_->add(hidden_.data(), normed_.data(), batch * c.width);
}

void ForwardPass::NormRows(const float* weight, size_t batch) {
  const LlamaConfig& c = model_->config();
  for (size_t b = 0; b < batch; ++b) {
    backend_->rms_norm(hidden_.data() + b * c.width, weight, c.width, c.rms_epsilon,
                       normed_.data() + b * c.width);
  }
}

bool ForwardPass::UsesInt8(const Matrix& matrix) const {
  return options_.compute == Compute::kInt8 &&
         (matrix.type == kernels::WeightType::kQ4_1 || matrix.type == kernels::WeightType::kQ8_0);
}

ForwardPass::Activations ForwardPass::Prepare(const float* x, size_t columns, size_t batch) {
  Activations in{.x = x, .q8 = q8_.data(), .columns = columns, .batch = batch};
  if (options_.compute == Compute::kInt8 && columns % kernels::kBlockElements == 0) {
    size_t blocks = columns / kernels::kBlockElements;
    auto quantize = [&](size_t begin, size_t end, size_t) {
      for (size_t b = begin; b < end; ++b) {
        backend_->quantize_q8(x + b * columns, columns, q8_.data() + b * blocks);
      }
    };
    pool_.ParallelFor(batch, 8, quantize);
  }
  return in;
}

void ForwardPass::MultiplyRows(const Matrix& matrix, const Activations& in, size_t first,
                               size_t count, float* out, size_t out_stride) const {
  kernels::MatmulArgs args{.weights = matrix.data,
                           .type = matrix.type,
                           .columns = matrix.columns,
                           .first = first,
                           .count = count,
                           .x = in.x,
                           .x_q8 = in.q8,
                           .batch = in.batch,
                           .out = out,
                           .out_stride = out_stride};
  if (UsesInt8(matrix)) {
    backend_->matmul_q8(args);
  } else {
    backend_->matmul(args);
  }
}

void ForwardPass::Multiply(std::span<const Product> products, const Activations& in) {
  size_t rows = 0;
  for (const Product& product : products) rows += product.matrix->rows;
  size_t row_bytes = kernels::RowBytes(products[0].matrix->type, in.columns);
  pool_.ParallelFor(rows, ChunkRows(row_bytes, in.batch), [&](size_t begin, size_t end, size_t) {
    for (const Product& product : products) {
      size_t here = product.matrix->rows;
      if (begin < here) {
        size_t last = std::min(end, here);
        MultiplyRows(*product.matrix, in, begin, last - begin, product.out, product.out_stride);
        begin = last;
      }
      if (end <= here) return;
      begin -= here;
      end -= here;
    }
  });
}

bool ForwardPass::KeepRows(size_t batch, size_t row_begin, size_t kept_begin) {
  const LlamaConfig& c = model_->config();
  float* to = kept_.data() + kept_begin * c.width;
  for (size_t b = row_begin; b < batch; ++b, to += c.width) {
    backend_->rms_norm(hidden_.data() + b * c.width, model_->output_norm(), c.width, c.rms_epsilon,
                       to);
    for (size_t i = 0; i < c.width; ++i) {
      if (!std::isfinite(to[i])) return false;
    }
  }
  return true;
}

Status ForwardPass::Logits(size_t first, size_t count, float* out) {
  const LlamaConfig& c = model_->config();
  if (first > kept_count_ || count > kept_count_ - first) {
    return Status(StatusCode::kInvalidArgument, "logits of positions that are not kept");
  }
  while (count > 0) {
    size_t batch = std::min(count, kMaxBatch);
    Activations in = Prepare(kept_.data() + first * c.width, c.width, batch);
    const Product products[] = {{&model_->output(), out, c.vocab_size}};
    Multiply(products, in);
    out += batch * c.vocab_size;
    first += batch;
    count -= batch;
  }
  return Status::Ok();
}

Status ForwardPass::LogitsFor(size_t index, std::span<const int32_t> ids, float* out) {
  const LlamaConfig& c = model_->config();
  if (index >= kept_count_) {
    return Status(StatusCode::kInvalidArgument, "logits of a position that is not kept");
  }
  for (int32_t id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= c.vocab_size) {
      return Status(StatusCode::kInvalidArgument, "token id " + std::to_string(id) +
                                                      " is outside the vocabulary of " +
                                                      std::to_string(c.vocab_size));
    }
  }
  Activations in = Prepare(kept_.data() + index * c.width, c.width, 1);
  const Matrix& matrix = model_->output();
  size_t row_bytes = kernels::RowBytes(matrix.type, c.width);
  pool_.ParallelFor(ids.size(), ChunkRows(row_bytes, 1), [&](size_t begin, size_t end, size_t) {
    kernels::MatmulArgs args{.weights = matrix.data,
                             .type = matrix.type,
                             .columns = c.width,
                             .row_ids = ids.data(),
                             .first = begin,
                             .count = end - begin,
                             .x = in.x,
                             .x_q8 = in.q8,
                             .batch = 1,
                             .out = out,
                             .out_stride = ids.size()};
    if (UsesInt8(matrix)) {
      backend_->matmul_q8(args);
    } else {
      backend_->matmul(args);
    }
  });
  return Status::Ok();
}

}  // namespace maskloom
