/// The inside of meshes that are not watertight, on a grid.
#pragma once

#include <vector>

#include "depths.hpp"

namespace generative_ik::collision::building {

/// Which cells cannot be reached from outside, with small holes stopped.
std::vector<bool> enclosedCells(const std::vector<Triangle>& triangles, const Depths& grid);

}  // namespace generative_ik::collision::building
