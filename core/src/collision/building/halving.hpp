/// Division of items into groups of neighbours, halving the groups again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "triangles.hpp"

namespace generative_ik::collision::building {

/// The group of each item, from 0 to 2^times - 1; groups 2k and 2k + 1 were one.
///
/// Each group is cut across its longest direction into halves of about the same weight, neither of
/// them empty unless it has a single item. Weights are above 0.
std::vector<std::int64_t> halved(const std::vector<Point>& places,
                                 const std::vector<double>& weights, int times);

}  // namespace generative_ik::collision::building
