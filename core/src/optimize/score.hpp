/// What null-space optimization makes large.
#pragma once

#include <cstdint>

namespace generative_ik::optimize {

enum class Score : std::int64_t {
  kManipulability = 0,
  kLimitMargin = 1,  ///< The distance to the nearest joint limit, as a share of the joint's range.
  kNearest = 2,      ///< The negative weighted distance from the seed state.
  kClearance = 3,    ///< From obstacles and other links: by spheres, or between shapes.
  kGiven = 4,        ///< The caller computes it.
};

}  // namespace generative_ik::optimize
