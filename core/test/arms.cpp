#include "arms.hpp"

#include <fstream>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

void readNumber(std::istream& in, double& value) {
  value = number(in);
}

void readNumber(std::istream& in, std::int64_t& value) {
  in >> value;
}

template <class Numbers>
void readAll(std::istream& in, Numbers& numbers) {
  for (auto& number : numbers) {
    readNumber(in, number);
  }
}

template <class Number>
void readVector(std::istream& in, std::vector<Number>& numbers) {
  std::size_t count = 0;
  in >> count;
  numbers.resize(count);
  readAll(in, numbers);
}

template <std::size_t kSize>
std::vector<ArmOf<kSize>> readFile(const char* name) {
  const std::string file = environment(name);
  if (file.empty()) {
    return {};
  }
  std::ifstream in(file);
  std::vector<ArmOf<kSize>> arms;
  for (ArmOf<kSize> arm{}; in >> arm.family;) {
    readVector(in, arm.parameters);
    readVector(in, arm.floats);
    readVector(in, arm.ints);
    readAll(in, arm.lower);
    readAll(in, arm.upper);
    readAll(in, arm.periodic);
    std::size_t count = 0;
    in >> count;
    arm.poses.resize(count);
    for (PoseOf<kSize>& pose : arm.poses) {
      readAll(in, pose.known);
      readAll(in, pose.tip);
    }
    arms.push_back(arm);
  }
  return arms;
}

}  // namespace

std::vector<Arm> readArms() {
  return readFile<kJoints>("GENERATIVE_IK_CLOSED_FORMS_FILE");
}

std::vector<SevenJoints> readLockedArms() {
  return readFile<kJoints + 1>("GENERATIVE_IK_LOCKED_JOINTS_FILE");
}

}  // namespace generative_ik::test
