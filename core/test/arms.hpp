// Arms of all families that have a closed form, with random configurations.
//
// They are in a file written by the Python test that runs this program (test/cpp), words and
// numbers: for each, the family's name; the number of parameters and these; those of a chain as
// `ChainProblem` takes it, floats and whole numbers; lower(6) and upper(6) limits; whether each of
// six joints turns; the number of configurations, then for each q(6) and tip_in_base(4x4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace generative_ik::test {

constexpr std::size_t kJoints = 6;

struct Pose {
  double known[kJoints];  // NOLINT(*-avoid-c-arrays)
  double tip[16];         // NOLINT(*-avoid-c-arrays)
};

struct Arm {
  std::string family;
  std::vector<double> parameters;
  std::vector<double> floats;
  std::vector<std::int64_t> ints;
  double lower[kJoints];     // NOLINT(*-avoid-c-arrays)
  double upper[kJoints];     // NOLINT(*-avoid-c-arrays)
  double periodic[kJoints];  // NOLINT(*-avoid-c-arrays): 1 or 0
  std::vector<Pose> poses;
};

// None if there is no file.
std::vector<Arm> readArms();

}  // namespace generative_ik::test
