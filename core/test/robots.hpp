// Chains and random configurations shared by the tests.
#pragma once

#include <generative_ik/collision_world.hpp>
#include <generative_ik/solver.hpp>
#include <random>
#include <vector>

namespace generative_ik::test {

// A planar arm with two links of 1 m and joint limits of +-3 rad.
Chain twoLinks();

// The kinematics of the Franka Emika Panda from its data sheet (modified Denavit-Hartenberg).
Chain panda();

// A KUKA LBR iiwa 14: shoulder and wrist are spherical.
Chain iiwa();

// A UR10 whose joints turn once round.
Chain ur10();

// The same on a rail of 2 m.
Chain ur10OnRail();

// Two Pandas on one turning base, the right one 0.3 m beside the left: 13 variables.
std::vector<Chain> twoArms();

// A Panda and a UR10 on one base, which share no joint: 13 variables.
std::vector<Chain> twoLimbs();

// A prismatic joint of 1 m along x, a continuous joint about z, and a revolute elbow.
Chain railArm();

// A chain whose axes are no z axes, with a mimic joint.
Chain bentArm();

// A sphere at x as a tree whose root is its only leaf, a group of so many numbers.
constexpr std::size_t kGroup = 32;
std::vector<double> treeOf(double x, double radius);

// An arm that turns about z with a ball at its end, and a pillar that stands beside it at y = -1,
// whose radius is 0.2 m.
constexpr double kArm = 1.0;
constexpr double kBall = 0.1;
Chain arm();
CollisionWorldArrays armWithBall();
double gapOfPillar(double q);

Vector randomPosition(const Chain& chain, std::mt19937& random);

// The request for the tip pose of `goal`, starting from `seed`, with ten seconds.
IKRequest requestFor(const Chain& chain, const Vector& goal, const Vector& seed,
                     const ConsistencyLimits& limits = {});

}  // namespace generative_ik::test
