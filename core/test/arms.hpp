// Arms of all families that have a closed form, with random configurations.
//
// They are in a file written by the Python test that runs this program (test/cpp), words and
// numbers: for each, the family's name; the number of parameters and these; the number of
// configurations, then for each q(6) and tip_in_base(4x4).
#pragma once

#include <cstddef>
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
  std::vector<Pose> poses;
};

// None if there is no file.
std::vector<Arm> readArms();

}  // namespace generative_ik::test
