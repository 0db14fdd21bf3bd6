// An arm of five joints: the position exactly, the orientation as nearly as possible.
#include <algorithm>
#include <cstdio>
#include <generative_ik/solver.hpp>
#include <vector>

#include "arm.hpp"

int main() {
  const generative_ik::Chain seven = arm();
  const std::vector<generative_ik::Variable> variables(seven.variables().begin(),
                                                       seven.variables().begin() + 5);
  const std::vector<generative_ik::Joint> joints(seven.joints().begin(),
                                                 seven.joints().begin() + 5);
  const generative_ik::Chain five(variables, joints,
                                  Eigen::Isometry3d(Eigen::Translation3d(0.0, 0.0, 0.2)));
  generative_ik::SolverOptions options;
  options.prefer = generative_ik::Preference::kPosition;
  const generative_ik::IKSolver solver(five, options);
  generative_ik::IKRequest request;
  generative_ik::Vector q(5);
  q << 0.3, 0.6, -0.2, 1.2, 0.4;
  request.target_in_base = five.tipInBase(q) * Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX());
  request.num_solutions = 4;
  const generative_ik::IKSolutions found = solver.solve(request);
  if (found.status != generative_ik::SolveStatus::kApproximate) {
    std::printf("not approximate\n");
    return 1;
  }
  double worst = 0.0;
  for (const generative_ik::Solution& solution : found.solutions) {
    std::printf("%.1e m and %.3f rad off\n", solution.position_error, solution.orientation_error);
    worst = std::max(worst, solution.position_error);
  }
  return worst < 1e-5 ? 0 : 1;
}
