/// Seeds that go through a network together, and the products of matrices with them.
///
/// Chunks are aligned to the sequence of random numbers, so a seed has the same place in its
/// chunk, and the same bits, in every request. They are independent, so threads can share them.
#pragma once

#include <cstdint>
#include <type_traits>
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

/// The seeds that a call computes, of a CPU: a chunk, one register after the other. Numbers of
/// seeds are rows in memory, `stride` apart.
template <class FloatsType>
struct SeedsInLanes {
  using Floats = FloatsType;
  static constexpr int kCount = kChunk;
  static constexpr std::integral_constant<std::int64_t, kChunk> stride = {};

  GENERATIVE_IK_INLINE static const float* weightsAt(const float* block) { return block; }
};

/// The weights of a block for an input, which a thread reads at once: in a device's memory arrays
/// begin at multiples of their size.
struct alignas(kBlock * sizeof(float)) WeightsOfBlock {
  float numbers[kBlock];  // NOLINT(*-avoid-c-arrays)

  GENERATIVE_IK_INLINE float operator[](int k) const { return numbers[k]; }
};

/// The same of a thread of a GPU: one seed. The next seed's numbers are those of the next thread.
struct SeedOfThread {
  using Floats = simd::FloatLanes<1>;
  static constexpr int kCount = 1;
  std::int64_t stride;

  GENERATIVE_IK_INLINE static WeightsOfBlock weightsAt(const float* block) {
    WeightsOfBlock weights;
    __builtin_memcpy(&weights, __builtin_assume_aligned(block, sizeof weights), sizeof weights);
    return weights;
  }
};

/// Calls a function with the first of the seeds of each register.
template <class Seeds, class Function>
GENERATIVE_IK_INLINE void eachRegister(const Function& function) {
  for (int seed = 0; seed < Seeds::kCount; seed += Seeds::Floats::kWidth) {
    function(seed);
  }
}

/// A matrix (inputs, outputs) as (blocks, inputs, kBlock), padded with zeros: in the order of use.
struct BlockedMatrix {
  const float* numbers;
  std::int64_t inputs, outputs;

  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t blocks() const {
    return (outputs + kBlock - 1) / kBlock;
  }
  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t size() const {
    return blocks() * inputs * kBlock;
  }
  /// The matrix after so many of the same shape.
  [[nodiscard]] GENERATIVE_IK_DEVICE BlockedMatrix after(std::int64_t matrices) const {
    return {numbers + matrices * size(), inputs, outputs};
  }
};

/// Blocks of a layer's outputs that a call computes.
struct Blocks {
  std::int64_t begin, end;

  GENERATIVE_IK_INLINE static Blocks all(const BlockedMatrix& matrix) {
    return {0, matrix.blocks()};
  }
};

/// Multiplies rows, one an input, by blocks of a matrix; `finish(output, first_seed, sums)` takes
/// what each output is for some of the seeds.
template <class Seeds, class Finish>
GENERATIVE_IK_INLINE void multiply(const Seeds& seeds, const BlockedMatrix& matrix,
                                   const Blocks& blocks, const float* rows, const Finish& finish) {
  using Floats = typename Seeds::Floats;
  constexpr int kWidth = Floats::kWidth;
  // Each weight that is read serves two registers, if there are as many.
  constexpr int kRegisters = Seeds::kCount > kWidth ? 2 : 1;
  const float* block = matrix.numbers + blocks.begin * matrix.inputs * kBlock;
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    const std::int64_t first = b * kBlock;
    for (int seed = 0; seed < Seeds::kCount; seed += kRegisters * kWidth) {
      Floats sums[kBlock][kRegisters];          // NOLINT(*-avoid-c-arrays)
      simd::unrolled<kBlock>([&sums](auto k) {  // NOLINT(*-avoid-c-arrays)
        simd::unrolled<kRegisters>([&sums, k](auto r) { sums[k][r] = 0.0F; });
      });
      for (std::int64_t i = 0; i < matrix.inputs; ++i) {
        Floats row[kRegisters];  // NOLINT(*-avoid-c-arrays)
        simd::unrolled<kRegisters>(
            [&](auto r) { row[r] = Floats::load(rows + i * seeds.stride + seed + r * kWidth); });
        const auto weights = Seeds::weightsAt(block + i * kBlock);
        simd::unrolled<kBlock>([&](auto k) {
          const Floats weight = weights[k];
          simd::unrolled<kRegisters>([&](auto r) { sums[k][r] = sums[k][r] + weight * row[r]; });
        });
      }
      simd::unrolled<kBlock>([&](auto k) {
        if (first + k < matrix.outputs) {
          simd::unrolled<kRegisters>(
              [&](auto r) { finish(first + k, seed + r * kWidth, sums[k][r]); });
        }
      });
    }
    block += matrix.inputs * kBlock;
  }
}

/// A layer of a network that multiplies one row: a matrix (inputs, outputs), whose rows are
/// `stride` apart, and a bias.
struct DenseLayer {
  const float* matrix;
  const float* bias;
  std::int64_t inputs, outputs, stride;

  /// The layer of one of its outputs.
  [[nodiscard]] GENERATIVE_IK_DEVICE DenseLayer only(std::int64_t output) const {
    return {matrix + output, bias + output, inputs, 1, stride};
  }
};

/// Writes `row @ matrix + bias`, after a leaky rectified linear unit of this slope.
using DenseKernel = void (*)(const DenseLayer& layer, const float* row, float slope, float* out);

template <class Floats>
GENERATIVE_IK_DEVICE void denseLayer(const DenseLayer& layer, const float* row, float slope,
                                     float* out) {
  constexpr int kWidth = Floats::kWidth;
  constexpr int kRows = 4;  // of the matrix: sums are read and written that much less often
  const std::int64_t outputs = layer.outputs;
  for (std::int64_t o = 0; o < outputs; ++o) {
    out[o] = layer.bias[o];
  }
  const auto add = [&](std::int64_t first, auto rows) {
    const float* matrix = layer.matrix + first * layer.stride;
    std::int64_t o = 0;
    for (; o + kWidth <= outputs; o += kWidth) {
      Floats sum = Floats::load(out + o);
      simd::unrolled<decltype(rows)::value>([&](auto r) {
        sum = sum + Floats(row[first + r]) * Floats::load(matrix + r * layer.stride + o);
      });
      sum.store(out + o);
    }
    for (; o < outputs; ++o) {
      for (int r = 0; r < rows; ++r) {
        out[o] += row[first + r] * matrix[r * layer.stride + o];
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
