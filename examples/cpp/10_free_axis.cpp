// A tool that may spin: the tip within a region about a pose, as evenly all over it as can be.
#include <cmath>
#include <cstdio>
#include <generative_ik/solver.hpp>

#include "arm.hpp"

int main() {
  const generative_ik::IKSolver solver(arm());
  generative_ik::IKRequest request;
  request.target_in_base =
      Eigen::Translation3d(0.5, 0.1, 0.4) * Eigen::AngleAxisd(3.0, Eigen::Vector3d::UnitY());
  // TaskSpaceRegion::cone(axis, half_angle), positionOnly(), or bounds of each coordinate.
  request.regions = {generative_ik::TaskSpaceRegion::freeAxis()};
  request.num_solutions = 20;
  const generative_ik::IKSolutions found = solver.solve(request);
  double most_tilted = 0.0;
  for (const generative_ik::Solution& solution : found.solutions) {
    const Eigen::Isometry3d tip_in_target =
        request.target_in_base.inverse() * solver.chain().tipInBase(solution.q);
    const Eigen::Matrix3d turned = tip_in_target.linear();
    std::printf("%7.3f rad about z, %.1e m outside\n", std::atan2(turned(1, 0), turned(0, 0)),
                solution.position_error);
    most_tilted = std::fmax(most_tilted, std::hypot(turned(0, 2), turned(1, 2)));
  }
  std::printf("%zu configurations, z at most %.1e rad off\n", found.solutions.size(), most_tilted);
  return found.solutions.size() == 20 && most_tilted < 1.1e-5 ? 0 : 1;
}
