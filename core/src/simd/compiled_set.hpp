/// The set of instructions that a file `isa.cpp` is compiled for: once for each, see
/// core/CMakeLists.txt.
#pragma once

#include "float_lanes.hpp"
#include "instruction_sets.hpp"
#include "lanes.hpp"

namespace generative_ik::simd {

using CompiledSet = GENERATIVE_IK_INSTRUCTION_SET;
using CompiledLanes = Lanes<CompiledSet::kWidth>;
using CompiledFloats = FloatLanes<2 * CompiledSet::kWidth>;

}  // namespace generative_ik::simd
