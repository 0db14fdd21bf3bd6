// A hundred configurations that put the tip on one pose, the most diverse first.
#include <cstdio>
#include <generative_ik/solver.hpp>

#include "arm.hpp"

int main() {
  const generative_ik::IKSolver solver(arm());
  generative_ik::IKRequest request;
  request.target_in_base =
      Eigen::Translation3d(0.5, 0.1, 0.6) * Eigen::AngleAxisd(3.0, Eigen::Vector3d::UnitY());
  request.num_solutions = 100;
  request.deadline = generative_ik::Deadline(0.5);
  const generative_ik::IKSolutions found = solver.solve(request);
  for (const generative_ik::Solution& solution : found.solutions) {
    for (const double angle : solution.q) {
      std::printf("%7.3f", angle);
    }
    std::printf("   %.1e m, %.1e rad\n", solution.position_error, solution.orientation_error);
  }
  return found.solutions.size() == 100 ? 0 : 1;
}
