// Configurations that follow a line and come back, each next to the one before.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <generative_ik/path.hpp>

#include "arm.hpp"

int main() {
  const generative_ik::IKSolver solver(arm());
  generative_ik::Vector q(7);
  q << 0.0, 0.6, 0.0, 1.4, 0.0, 0.9, 0.0;
  const Eigen::Isometry3d start = solver.chain().tipInBase(q);
  generative_ik::PathRequest request;
  for (int k = 0; k <= 100; ++k) {
    request.targets_in_base.push_back(
        Eigen::Translation3d(0.0, 0.3 * std::sin(0.0314159265 * k), 0.0) * start);
  }
  request.seed_state = q;
  request.objective = generative_ik::PathObjective::kLength;
  request.deadline = generative_ik::Deadline(0.5);
  int paths = 0;
  request.on_path = [&paths](const std::vector<generative_ik::Vector>&, double length) {
    std::printf("path %d: %.3f rad long\n", ++paths, length);
    return true;
  };
  const generative_ik::IKPath path = solver.solvePath(request);
  double largest_step = 0.0;
  for (std::size_t k = 1; k < path.solutions.size(); ++k) {
    const generative_ik::Vector step = path.solutions[k].q - path.solutions[k - 1].q;
    largest_step = std::max(largest_step, step.cwiseAbs().maxCoeff());
  }
  std::printf("%zu of %zu poses, steps of at most %.3f rad\n", path.solutions.size(),
              request.targets_in_base.size(), largest_step);
  return path.status == generative_ik::PathStatus::kComplete ? 0 : 1;
}
