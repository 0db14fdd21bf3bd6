// Task space regions for tests: kinds of them, poses inside, and how far tips are outside, by a
// measurement that the core has no part in.
#pragma once

#include <array>
#include <generative_ik/solver.hpp>
#include <random>
#include <string>
#include <vector>

namespace generative_ik::test {

constexpr double kHalfCircle = 3.141592653589793;  // [rad]

TaskSpaceRegion::Bounds sixBounds(double x, double y, double z, double roll, double pitch,
                                  double yaw);

struct NamedRegion {
  std::string name;
  TaskSpaceRegion region;
};

std::vector<NamedRegion> kindsOfRegions();

// A pose somewhere inside a region, in the target's frame.
Eigen::Isometry3d somewhereIn(const TaskSpaceRegion& region, std::mt19937& random);

// How far a tip is outside the region about a target [m, rad].
std::array<double, 2> measureOutside(const TaskSpaceRegion& region,
                                     const Eigen::Isometry3d& target,
                                     const Eigen::Isometry3d& tip);

// Tolerances of a solver, and what measuring rounds [m or rad].
constexpr double kInsideRegion = 1.01e-5;

// What a solver promises of solutions about the target of one tip.
void expectInside(const Chain& chain, const IKRequest& request, const IKSolutions& found);

// About a target from which a configuration has its tip somewhere in a region.
IKRequest requestWithin(const TaskSpaceRegion& region, const Chain& chain, std::mt19937& random,
                        std::size_t num_solutions);

}  // namespace generative_ik::test
