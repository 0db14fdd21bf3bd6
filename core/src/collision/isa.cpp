// Collision checks and distances, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "approaches.hpp"
#include "check.hpp"
#include "shape_distance.hpp"

namespace generative_ik::collision {

Kernels kernels(simd::CompiledSet) {
  using Number = simd::CompiledLanes;
  return {&check<Number>, &clearance<Number>, &distance<Number>, &contactDistance<Number>,
          &approaches<Number>};
}

}  // namespace generative_ik::collision
