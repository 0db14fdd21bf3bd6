/// Seeds that go through a network together, and the products of matrices with them.
///
/// Chunks are aligned to the sequence of random numbers, so a seed has the same place in its
/// chunk, and the same bits, in every request. They are independent, so threads can share them.
#pragma once

#include <cstdint>
#include <utility>

#include "../simd/float_lanes.hpp"
#include "../simd/unrolled.hpp"

namespace generative_ik::learned {

/// Seeds of a chunk. Numbers of seeds are rows of so many, one a seed.
inline constexpr int kChunk = 32;
/// Outputs of a matrix that are accumulated together, in registers.
inline constexpr int kBlock = 4;
/// Slope of the leaky rectified linear unit below 0.
inline constexpr float kLeak = 0.01F;

/// A matrix (inputs, outputs) as (blocks, inputs, kBlock), padded with zeros: in the order of use.
struct BlockedMatrix {
  const float* numbers;
  std::int64_t inputs, outputs;

  [[nodiscard]] std::int64_t blocks() const { return (outputs + kBlock - 1) / kBlock; }
  [[nodiscard]] std::int64_t size() const { return blocks() * inputs * kBlock; }
  /// The matrix after so many of the same shape.
  [[nodiscard]] BlockedMatrix after(std::int64_t matrices) const {
    return {numbers + matrices * size(), inputs, outputs};
  }
};

/// Multiplies rows (inputs, kChunk) by a matrix; `finish(output, first_seed, sums)` takes what
/// each output is for some of the seeds.
template <class Floats, class Finish>
GENERATIVE_IK_INLINE void multiply(const BlockedMatrix& matrix, const float* rows,
                                   const Finish& finish) {
  constexpr int kWidth = Floats::kWidth;
  constexpr int kAtOnce = 2 * kWidth;  // each weight that is read serves two registers
  const float* block = matrix.numbers;
  for (std::int64_t first = 0; first < matrix.outputs; first += kBlock) {
    for (int seed = 0; seed < kChunk; seed += kAtOnce) {
      Floats sums[kBlock][2];  // NOLINT(*-avoid-c-arrays)
      // NOLINTNEXTLINE(*-avoid-c-arrays)
      simd::unrolled<kBlock>([&sums](auto k) { sums[k][0] = sums[k][1] = 0.0F; });
      for (std::int64_t i = 0; i < matrix.inputs; ++i) {
        const Floats one = Floats::load(rows + i * kChunk + seed);
        const Floats two = Floats::load(rows + i * kChunk + seed + kWidth);
        simd::unrolled<kBlock>([&](auto k) {
          const Floats weight = block[i * kBlock + k];
          sums[k][0] = sums[k][0] + weight * one;
          sums[k][1] = sums[k][1] + weight * two;
        });
      }
      simd::unrolled<kBlock>([&](auto k) {
        if (first + k < matrix.outputs) {
          finish(first + k, seed, sums[k][0]);
          finish(first + k, seed + kWidth, sums[k][1]);
        }
      });
    }
    block += matrix.inputs * kBlock;
  }
}

/// A layer of a network that multiplies one row: a matrix (inputs, outputs) and a bias.
struct DenseLayer {
  const float* matrix;
  const float* bias;
  std::int64_t inputs, outputs;
};

/// Writes `row @ matrix + bias`, after a leaky rectified linear unit of this slope.
using DenseKernel = void (*)(const DenseLayer& layer, const float* row, float slope, float* out);

template <class Floats>
void denseLayer(const DenseLayer& layer, const float* row, float slope, float* out) {
  constexpr int kWidth = Floats::kWidth;
  constexpr int kRows = 4;  // of the matrix: sums are read and written that much less often
  const std::int64_t outputs = layer.outputs;
  for (std::int64_t o = 0; o < outputs; ++o) {
    out[o] = layer.bias[o];
  }
  const auto add = [&](std::int64_t first, auto rows) {
    const float* matrix = layer.matrix + first * outputs;
    std::int64_t o = 0;
    for (; o + kWidth <= outputs; o += kWidth) {
      Floats sum = Floats::load(out + o);
      simd::unrolled<decltype(rows)::value>([&](auto r) {
        sum = sum + Floats(row[first + r]) * Floats::load(matrix + r * outputs + o);
      });
      sum.store(out + o);
    }
    for (; o < outputs; ++o) {
      for (int r = 0; r < rows; ++r) {
        out[o] += row[first + r] * matrix[r * outputs + o];
      }
    }
  };
  std::int64_t i = 0;
  for (; i + kRows <= layer.inputs; i += kRows) {
    add(i, std::integral_constant<int, kRows>());
  }
  for (; i < layer.inputs; ++i) {
    add(i, std::integral_constant<int, 1>());
  }
  for (std::int64_t o = 0; o < outputs; ++o) {
    out[o] = out[o] < slope * out[o] ? slope * out[o] : out[o];
  }
}

}  // namespace generative_ik::learned
