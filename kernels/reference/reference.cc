// Every operation in the plainest form; the other backends are held against it.
//
// Sums run in float32 (a few in double where that is the natural judge) in index order, so results
// differ from those of the vector backends by rounding only.
#include "kernels/reference/reference.h"

#include <cmath>
#include <cstring>

#include "kernels/half.h"

namespace maskloom::kernels {
namespace {

uint16_t LoadU16(const uint8_t* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, 2);
  return value;
}

// Value `e` of a row.
float Element(WeightType type, const void* row, size_t e) {
  const auto* bytes = static_cast<const uint8_t*>(row);
  switch (type) {
    case WeightType::kF32: {
      float value;
      std::memcpy(&value, bytes + 4 * e, 4);
      return value;
    }
    case WeightType::kF16:
      return HalfToFloat(LoadU16(bytes + 2 * e));
    case WeightType::kQ4_1: {
      const uint8_t* block = bytes + e / 32 * 20;
      size_t i = e % 32;
      int nibble = i < 16 ? block[4 + i] & 15 : block[4 + i - 16] >> 4;
      return HalfToFloat(LoadU16(block)) * static_cast<float>(nibble) +
             HalfToFloat(LoadU16(block + 2));
    }
    case WeightType::kQ8_0: {
      const uint8_t* block = bytes + e / 32 * 34;
      return HalfToFloat(LoadU16(block)) *
             static_cast<float>(static_cast<int8_t>(block[2 + e % 32]));
    }
  }
  return 0;
}

const uint8_t* Row(const MatmulArgs& args, size_t i) {
  size_t row = args.row_ids != nullptr ? static_cast<size_t>(args.row_ids[i]) : i;
  return static_cast<const uint8_t*>(args.weights) + row * RowBytes(args.type, args.columns);
}

void DequantizeRow(WeightType type, const void* row, size_t columns, float* out) {
  for (size_t e = 0; e < columns; ++e) out[e] = Element(type, row, e);
}

void QuantizeQ8(const float* x, size_t columns, Q8Block* out) {
  for (size_t b = 0; b < columns / 32; ++b) {
    float largest = 0;
    for (size_t i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[32 * b + i]));
    float scale = largest / 127;
    float inverse = largest > 0 ? 127 / largest : 0;
    int sum = 0;
    for (size_t i = 0; i < 32; ++i) {
      int value = static_cast<int>(std::nearbyint(x[32 * b + i] * inverse));
      out[b].values[i] = static_cast<int8_t>(value);
      sum += value;
    }
    out[b].scale = scale;
    out[b].sum = scale * static_cast<float>(sum);
  }
}

void Matmul(const MatmulArgs& args) {
  for (size_t i = args.first; i < args.first + args.count; ++i) {
    const uint8_t* row = Row(args, i);
    for (size_t b = 0; b < args.batch; ++b) {
      float sum = 0;
      for (size_t e = 0; e < args.columns; ++e) {
        sum += Element(args.type, row, e) * args.x[b * args.columns + e];
      }
      args.out[b * args.out_stride + i] = sum;
    }
  }
}

// Product of one block of weights with one block of activations.
float DotBlock(WeightType type, const uint8_t* block, const Q8Block& x) {
  int dot = 0;
  float scale = HalfToFloat(LoadU16(block)) * x.scale;
  if (type == WeightType::kQ8_0) {
    for (size_t i = 0; i < 32; ++i) dot += static_cast<int8_t>(block[2 + i]) * x.values[i];
    return scale * static_cast<float>(dot);
  }
  for (size_t i = 0; i < 16; ++i) {
    dot += (block[4 + i] & 15) * x.values[i] + (block[4 + i] >> 4) * x.values[16 + i];
  }
  return scale * static_cast<float>(dot) + HalfToFloat(LoadU16(block + 2)) * x.sum;
}

void MatmulQ8(const MatmulArgs& args) {
  size_t blocks = args.columns / 32;
  size_t block_bytes = RowBytes(args.type, 32);
  for (size_t i = args.first; i < args.first + args.count; ++i) {
    const uint8_t* row = Row(args, i);
    for (size_t b = 0; b < args.batch; ++b) {
      float sum = 0;
      for (size_t k = 0; k < blocks; ++k) {
        sum += DotBlock(args.type, row + k * block_bytes, args.x_q8[b * blocks + k]);
      }
      args.out[b * args.out_stride + i] = sum;
    }
  }
}

void RmsNorm(const float* x, const float* weight, size_t count, float epsilon, float* out) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
  float factor = 1.0f / std::sqrt(static_cast<float>(sum / static_cast<double>(count)) + epsilon);
  for (size_t i = 0; i < count; ++i) out[i] = x[i] * factor * weight[i];
}

void Rope(float* x, size_t heads, size_t stride, size_t pairs, const float* cos_sin) {
  for (size_t h = 0; h < heads; ++h) {
    for (size_t i = 0; i < pairs; ++i) {
      float* pair = x + h * stride + 2 * i;
      float a = pair[0], b = pair[1], c = cos_sin[2 * i], s = cos_sin[2 * i + 1];
      pair[0] = a * c - b * s;
      pair[1] = a * s + b * c;
    }
  }
}

void SiluGate(const float* gate, const float* up, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
}

void Add(float* x, const float* y, size_t count) {
  for (size_t i = 0; i < count; ++i) x[i] += y[i];
}

void Softmax(float* x, size_t count) {
  float largest = x[0];
  for (size_t i = 1; i < count; ++i) largest = std::fmax(largest, x[i]);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    x[i] = std::exp(x[i] - largest);
    sum += x[i];
  }
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(x[i] / sum);
}

float KvElement(const KvRun& run, size_t index) {
  if (run.type == KvType::kF32) return static_cast<const float*>(run.data)[index];
  return HalfToFloat(static_cast<const uint16_t*>(run.data)[index]);
}

void AttentionScores(const AttentionArgs& args, const float* queries, float scale) {
  for (size_t g = 0; g < args.group; ++g) {
    for (size_t p = 0; p < args.run.count; ++p) {
      float dot = 0;
      for (size_t d = 0; d < args.head_dim; ++d) {
        dot += queries[g * args.head_dim + d] * KvElement(args.run, p * args.run.stride + d);
      }
      args.scores[g * args.score_stride + p] = dot * scale;
    }
  }
}

void AttentionMix(const AttentionArgs& args, float* out) {
  for (size_t g = 0; g < args.group; ++g) {
    for (size_t p = 0; p < args.run.count; ++p) {
      for (size_t d = 0; d < args.head_dim; ++d) {
        out[g * args.head_dim + d] +=
            args.scores[g * args.score_stride + p] * KvElement(args.run, p * args.run.stride + d);
      }
    }
  }
}

void ToHalf(const float* x, size_t count, uint16_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = FloatToHalf(x[i]);
}

}  // namespace

const Backend& ReferenceBackend() {
  static constexpr Backend kBackend = {
      .name = "reference",
      .dequantize_row = DequantizeRow,
      .quantize_q8 = QuantizeQ8,
      .matmul = Matmul,
      .matmul_q8 = MatmulQ8,
      .rms_norm = RmsNorm,
      .rope = Rope,
      .silu_gate = SiluGate,
      .add = Add,
      .softmax = Softmax,
      .attention_scores = AttentionScores,
      .attention_mix = AttentionMix,
      .to_half = ToHalf,
  };
  return kBackend;
}

}  // namespace maskloom::kernels
