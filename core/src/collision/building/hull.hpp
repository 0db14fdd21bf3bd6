/// Corners of convex hulls.
#pragma once

#include <vector>

#include "triangles.hpp"

namespace generative_ik::collision::building {

/// Points whose hull is that of given ones, but for rounding: its corners, or all points where
/// they are flat or so few, or so nearly flat, that it would not help.
std::vector<Point> hullCorners(const std::vector<Point>& points);

}  // namespace generative_ik::collision::building
