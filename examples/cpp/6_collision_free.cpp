// Configurations that are clear of a ball, of a table and of the arm itself.
#include <algorithm>
#include <cstdio>
#include <generative_ik/collision_model.hpp>
#include <generative_ik/solver.hpp>
#include <limits>

#include "arm.hpp"

// The arm's links: capsules from joint to joint. Meshes are written likewise, as vertices and
// faces; what a URDF says of links readUrdfCollisions reads.
std::vector<generative_ik::CollisionLink> links(const generative_ik::Chain& chain) {
  std::vector<generative_ik::CollisionLink> made;
  for (std::size_t k = 0; k < chain.joints().size(); ++k) {
    const bool last = k + 1 == chain.joints().size();
    const Eigen::Vector3d next = last ? chain.tipInLastJoint().translation()
                                      : chain.joints()[k + 1].joint_in_parent.translation();
    generative_ik::Shape shape{generative_ik::Capsule{0.035, next.norm()}};
    shape.pose.translation() = next / 2.0;  // this arm's links lie along z
    generative_ik::CollisionLink link;
    link.name = "link" + std::to_string(k + 1);
    link.frame.num_joints = static_cast<int>(k) + 1;
    link.shapes = {shape};
    made.push_back(link);
  }
  return made;
}

int main() {
  const generative_ik::Chain chain = arm();
  // Neighbours touch where a joint joins them: unless told otherwise, they are not checked.
  const generative_ik::CollisionModel model(chain, links(chain));
  generative_ik::CollisionScene scene;
  scene.objects = {{"ball", {generative_ik::Sphere{0.15}}},
                   {"table", {generative_ik::Box{{1.0, 1.0, 0.05}}}}};
  scene.objects[0].shape.pose.translation() = Eigen::Vector3d(0.25, 0.15, 0.5);
  scene.objects[1].shape.pose.translation() = Eigen::Vector3d(0.6, 0.0, 0.2);
  scene.padding = 0.01;
  const generative_ik::CollisionChecker checker = model.among(scene);

  const generative_ik::IKSolver solver(chain);
  generative_ik::IKRequest request;
  request.target_in_base =
      Eigen::Translation3d(0.5, 0.1, 0.6) * Eigen::AngleAxisd(3.0, Eigen::Vector3d::UnitY());
  request.num_solutions = 20;
  std::size_t colliding = 0;
  for (const generative_ik::Solution& solution : solver.solve(request).solutions) {
    colliding += checker.collides(solution.q) ? 1 : 0;
  }
  checker.applyTo(request);
  const generative_ik::IKSolutions found = solver.solve(request);
  double least = std::numeric_limits<double>::infinity();
  for (const generative_ik::Solution& solution : found.solutions) {
    least = std::min(least, checker.distance(solution.q));
  }
  std::printf("%zu configurations, free by %.4f m at least; unchecked, %zu of 20 collide\n",
              found.solutions.size(), least, colliding);
  return found.solutions.size() == 20 && least > 0.0 ? 0 : 1;
}
