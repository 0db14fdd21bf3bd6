/// What of the networks is compiled for a set of instructions.
#pragma once

#include "../simd/instruction_sets.hpp"
#include "arm_completion.hpp"
#include "chunk.hpp"
#include "spline_flow.hpp"

namespace generative_ik::learned {

struct NetworkKernels {
  DenseKernel dense;
  FlowKernel flow;
  CompletionKernel completion;
};

NetworkKernels networkKernels(simd::Baseline);
NetworkKernels networkKernels(simd::Avx2);
NetworkKernels networkKernels(simd::Avx512);

/// Those for this processor.
const NetworkKernels& networkKernels();

/// Memory of a thread whose rows begin where registers are read fastest.
struct alignas(64) MemoryLine {
  float numbers[16];  // NOLINT(*-avoid-c-arrays)
};

/// How many such lines hold so many rows of a chunk.
inline constexpr std::int64_t kLinesOfRow = kChunk / 16;

/// How many of `chunks` a thread takes at a time: enough pieces for many cores to end at about the
/// same time, none so long that an interrupt would wait for it.
std::int64_t chunksOfPiece(std::int64_t chunks);

}  // namespace generative_ik::learned
