/// How many solutions a search looks for, how many seeds it begins with, and how far it steps.
///
/// Dimensions are those that the solutions within a region have: 1 where they form curves, 2 or
/// more where they form more, 0 of poses.
#pragma once

#include <cstdint>
#include <generative_ik/pose_error.hpp>

namespace generative_ik::search {

/// Most solutions that are looked for beyond those wanted, so that the most diverse can be chosen;
/// of a pose.
constexpr std::int64_t kMostExtra = 16;
/// Approximations that are looked for at least: the nearest may be the last one that is found.
constexpr std::int64_t kApproximations = 64;
/// Seeds that are driven to their local minima to come as close to a target as it goes, and of a
/// target that restarts came near.
constexpr std::int64_t kToMinima = 64;
constexpr std::int64_t kToMinimaNear = 16;
/// Seeds that cross the limits on their way, where those within them may be trapped.
constexpr std::int64_t kAcrossLimits = 64;

/// How many solutions are looked for beyond those wanted. Args: redundant: whether single poses
/// leave the arm redundant.
std::int64_t extraSolutions(std::int64_t wanted, std::int64_t dimensions, bool redundant);

/// First guess of how many seeds it takes to find one more distinct solution. Args: redundant:
/// whether null-space steps then fill the solution sets of poses.
double seedsPerSolution(std::int64_t dimensions, bool redundant);

/// Mean length of a null-space step in a known direction, of the joint that moves furthest
/// [rad or m].
double nullSpaceStep(std::int64_t dimensions);

/// Squared error below which local minima may be solutions that restarts stopped short of; errors
/// within the tolerances always are. Args: weights: 0 of what is free.
double nearError(const Tolerance& tolerance, double position_weight, double orientation_weight);

}  // namespace generative_ik::search
