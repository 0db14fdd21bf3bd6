/// All families for a number type.
#pragma once

#include "general.hpp"
#include "kernels.hpp"
#include "offset_wrist.hpp"
#include "prismatic_wrist.hpp"
#include "spherical_wrist.hpp"
#include "three_parallel.hpp"

namespace generative_ik {

template <class Number>
ClosedFormKernels closedFormKernelsOf() {
  return {closed_form::sphericalWrist<Number>, closed_form::sphericalWristCoupled<Number>,
          closed_form::threeParallel<Number>,  closed_form::threeParallelCoupled<Number>,
          closed_form::prismaticWrist<Number>, closed_form::offsetWrist<Number>,
          closed_form::generalArm<Number>};
}

}  // namespace generative_ik
