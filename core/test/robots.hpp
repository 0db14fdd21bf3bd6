// Chains and random configurations shared by the tests.
#pragma once

#include <generative_ik/solver.hpp>
#include <random>

namespace generative_ik::test {

// A planar arm with two links of 1 m and joint limits of +-3 rad.
Chain twoLinks();

// The kinematics of the Franka Emika Panda from its data sheet (modified Denavit-Hartenberg).
Chain panda();

// A UR10 whose joints turn once round.
Chain ur10();

// A prismatic joint of 1 m along x, a continuous joint about z, and a revolute elbow.
Chain railArm();

Vector randomPosition(const Chain& chain, std::mt19937& random);

// The request for the tip pose of `goal`, starting from `seed`, with ten seconds.
IKRequest requestFor(const Chain& chain, const Vector& goal, const Vector& seed,
                     const ConsistencyLimits& limits = {});

}  // namespace generative_ik::test
