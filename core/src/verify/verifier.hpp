/// Measures how far the tip is from its target, for many configurations at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "../simd/instruction_sets.hpp"
#include "rodrigues.hpp"

namespace generative_ik::verify {

/// Configurations and their targets.
struct Configurations {
  const double* positions;            // rows of variables [rad or m]
  std::int64_t stride;                // numbers from one row to the next
  std::int64_t count;                 // rows
  const double* targets;              // (T, 4, 4) tip in base [m]
  const std::int64_t* target_of_row;  // (count) which target is whose; null: all have the first
};

/// Writes distance and angle of each configuration; compiled for a set of instructions.
using MeasureKernel = void (*)(const RodriguesChain&, const Configurations&, PoseGap* gaps);

MeasureKernel measure(simd::Baseline);
MeasureKernel measure(simd::Avx2);
MeasureKernel measure(simd::Avx512);

/// Those that this processor can run, the fastest first.
const std::vector<MeasureKernel>& measureKernels();

/// The same for one configuration (n) and its target (4, 4), by arithmetic of one number at a
/// time.
using MeasureOneKernel = PoseGap (*)(const RodriguesChain&, const double* q, const double* target);

MeasureOneKernel measureOne(simd::Baseline);
MeasureOneKernel measureOne(simd::Avx2);
MeasureOneKernel measureOne(simd::Avx512);

const std::vector<MeasureOneKernel>& measureOneKernels();

/// Writes distance and angle of each configuration, by the fastest of them; of many by all
/// threads.
void measure(const RodriguesChain& chain, const Configurations& configurations, PoseGap* gaps,
             const parallel::StopWhen& stop = {});

/// Distance and angle of one configuration (n) from its target (4, 4).
PoseGap measureOne(const RodriguesChain& chain, const double* q, const double* target);

}  // namespace generative_ik::verify
