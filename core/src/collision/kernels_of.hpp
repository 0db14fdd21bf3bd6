/// What is compiled for a set of instructions.
#pragma once

#include "approaches.hpp"
#include "check.hpp"
#include "shape_distance.hpp"

namespace generative_ik::collision {

template <class Number>
Kernels kernelsOf() {
  return {&check<Number>, &clearance<Number>, &distance<Number>, &contactDistance<Number>,
          &approaches<Number>};
}

}  // namespace generative_ik::collision
