// Configurations whose links stay clear of a ball: any check of your own says which ones count.
#include <algorithm>
#include <cstdio>
#include <generative_ik/solver.hpp>
#include <limits>

#include "arm.hpp"

// The least distance of a point from the links, which are straight from joint to joint [m].
double clearance(const generative_ik::Chain& chain, const generative_ik::Vector& q,
                 const Eigen::Vector3d& point) {
  double least = std::numeric_limits<double>::infinity();
  Eigen::Vector3d before = Eigen::Vector3d::Zero();
  generative_ik::ChainFrame frame;
  while (frame.num_joints < static_cast<int>(chain.joints().size())) {
    ++frame.num_joints;
    const Eigen::Vector3d joint = chain.frameInBase(q, frame).translation();
    const Eigen::Vector3d link = joint - before;
    const double along = std::clamp((point - before).dot(link) / link.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (before + along * link - point).norm());
    before = joint;
  }
  return least;
}

int main() {
  const generative_ik::Chain chain = arm();
  const generative_ik::IKSolver solver(chain);
  const Eigen::Vector3d ball(0.25, 0.15, 0.5);
  const double distance = 0.2;  // its radius, and that of the links
  generative_ik::IKRequest request;
  request.target_in_base =
      Eigen::Translation3d(0.5, 0.1, 0.6) * Eigen::AngleAxisd(3.0, Eigen::Vector3d::UnitY());
  request.num_solutions = 20;
  int tried = 0;
  request.accept = [&](const generative_ik::Vector& q) {
    ++tried;
    return clearance(chain, q, ball) > distance;
  };
  const generative_ik::IKSolutions found = solver.solve(request);
  double least = std::numeric_limits<double>::infinity();
  for (const generative_ik::Solution& solution : found.solutions) {
    least = std::min(least, clearance(chain, solution.q, ball));
  }
  std::printf("%zu of %d configurations are clear of the ball, by %.3f m at least\n",
              found.solutions.size(), tried, least);
  return found.solutions.size() == 20 && least > distance ? 0 : 1;
}
