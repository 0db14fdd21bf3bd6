#include "arms.hpp"

#include <fstream>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

template <class Numbers>
void readAll(std::istream& in, Numbers& numbers) {
  for (double& value : numbers) {
    value = number(in);
  }
}

}  // namespace

std::vector<Arm> readArms() {
  const std::string file = environment("GENERATIVE_IK_CLOSED_FORMS_FILE");
  if (file.empty()) {
    return {};
  }
  std::ifstream in(file);
  std::vector<Arm> arms;
  for (Arm arm; in >> arm.family;) {
    std::size_t count = 0;
    in >> count;
    arm.parameters.resize(count);
    readAll(in, arm.parameters);
    in >> count;
    arm.poses.resize(count);
    for (Pose& pose : arm.poses) {
      readAll(in, pose.known);
      readAll(in, pose.tip);
    }
    arms.push_back(arm);
  }
  return arms;
}

}  // namespace generative_ik::test
