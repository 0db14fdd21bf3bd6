/// The iterations of the local solvers that this processor can run.
#pragma once

#include <vector>

#include "lane_problem.hpp"

namespace generative_ik {

/// One for each set of instructions, the fastest first.
const std::vector<LaneKernel>& laneKernels();

/// The fastest.
const LaneKernel& laneKernel();

}  // namespace generative_ik
