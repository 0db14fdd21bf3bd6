// Two arms on a turning waist: configurations that put both hands on their poses at once.
#include <algorithm>
#include <cstdio>
#include <generative_ik/solver.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arm.hpp"

// An arm beside the waist's axis. Variables of the same name, as the waist, are shared.
generative_ik::Chain armOnWaist(const std::string& side, double y) {
  const generative_ik::Chain alone = arm();
  std::vector<generative_ik::Variable> variables = {{"waist", -1.5, 1.5}};
  std::vector<generative_ik::Joint> joints(1);  // about z
  for (generative_ik::Variable variable : alone.variables()) {
    variable.name = side + "_" + variable.name;
    variables.push_back(variable);
  }
  for (generative_ik::Joint joint : alone.joints()) {
    ++joint.variable;
    joints.push_back(joint);
  }
  joints[1].joint_in_parent.pretranslate(Eigen::Vector3d(0.0, y, 0.0));
  return {std::move(variables), std::move(joints), alone.tipInLastJoint()};
}

int main() {
  const generative_ik::IKSolver solver({armOnWaist("left", 0.3), armOnWaist("right", -0.3)});
  std::printf("%zu joints\n", solver.variables().size());
  const Eigen::AngleAxisd down(3.0, Eigen::Vector3d::UnitY());
  generative_ik::IKRequest request;
  request.targets_in_base = {Eigen::Translation3d(0.5, 0.2, 0.6) * down,
                             Eigen::Translation3d(0.5, -0.2, 0.6) * down};
  request.num_solutions = 10;
  const generative_ik::IKSolutions found = solver.solve(request);
  double worst = 0.0;
  for (const generative_ik::Solution& solution : found.solutions) {
    worst = std::max(worst, solution.position_error);
    std::printf("waist at %6.3f rad\n", solution.q[0]);
  }
  std::printf("%zu configurations, at most %.1e m off\n", found.solutions.size(), worst);
  return found.solutions.size() == 10 && worst < 1e-5 ? 0 : 1;
}
