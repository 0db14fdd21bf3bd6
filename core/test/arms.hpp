// Arms of all families that have a closed form, and arms with a joint to lock, with random
// configurations.
//
// They are in files written by the Python test that runs this program (test/cpp), words and
// numbers: for each, the family's name; the number of parameters and these; those of a chain as
// `ChainProblem` takes it, floats and whole numbers; lower(n) and upper(n) limits; whether each of
// n joints turns; the number of configurations, then for each q(n) and tip_in_base(4x4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../src/answers/branch_problem.hpp"
#include "../src/closed_form/kernels.hpp"
#include "../src/simd/constants.hpp"

namespace generative_ik::test {

constexpr std::size_t kJoints = 6;

template <std::size_t kSize>
struct PoseOf {
  double known[kSize];  // NOLINT(*-avoid-c-arrays)
  double tip[16];       // NOLINT(*-avoid-c-arrays)
};

template <std::size_t kSize>
struct ArmOf {
  std::string family;
  std::vector<double> parameters;
  std::vector<double> floats;
  std::vector<std::int64_t> ints;
  double lower[kSize];     // NOLINT(*-avoid-c-arrays)
  double upper[kSize];     // NOLINT(*-avoid-c-arrays)
  double periodic[kSize];  // NOLINT(*-avoid-c-arrays): 1 or 0
  std::vector<PoseOf<kSize>> poses;
};

using Pose = PoseOf<kJoints>;
using Arm = ArmOf<kJoints>;
using SevenJoints = ArmOf<kJoints + 1>;

template <std::size_t kSize>
const ClosedForm& formOf(const ArmOf<kSize>& arm) {
  const std::vector<ClosedForm>& all = closedForms();
  return *std::find_if(all.begin(), all.end(),
                       [&arm](const ClosedForm& one) { return one.name == arm.family; });
}

// For a problem with room for so many joints.
template <int kRoom, std::size_t kSize>
answers::BoundsOf<kRoom> boundsOf(const ArmOf<kSize>& arm) {
  answers::BoundsOf<kRoom> bounds{};
  for (std::size_t v = 0; v < kSize; ++v) {
    bounds.lower[v] = bounds.soft_lower[v] = bounds.lower_limit[v] = arm.lower[v];
    bounds.upper[v] = bounds.soft_upper[v] = bounds.upper_limit[v] = arm.upper[v];
    bounds.periodic[v] = arm.periodic[v] != 0.0;
    bounds.circular[v] = bounds.periodic[v] && arm.upper[v] - arm.lower[v] >= kTurn;
    bounds.unit[v] = 1.0;
  }
  return bounds;
}

// None if there is no file.
std::vector<Arm> readArms();

// Arms whose first or last joint is locked; their parameters begin with the locked joint's.
std::vector<SevenJoints> readLockedArms();

}  // namespace generative_ik::test
