// Chains that several tests use, and random configurations for them.
#pragma once

#include <generative_ik_core/candidates.hpp>
#include <random>

namespace generative_ik::test {

// Two links of 1 m in a plane, hinged about z at the base and at the elbow; both turn +-3 rad.
Chain twoLinks();

// The kinematics of the Franka Emika Panda from its data sheet (modified Denavit-Hartenberg).
Chain panda();

// A rail of 1 m along x, an endless turn about z, and an elbow: every kind of variable at once.
Chain railArm();

Vector randomPosition(const Chain& chain, std::mt19937& random);

// To reach the tip of goal from seed.
Query queryFor(const Chain& chain, const Vector& goal, const Vector& seed,
               const ConsistencyLimits& limits = {});

}  // namespace generative_ik::test
