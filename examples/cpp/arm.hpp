// An arm like KUKA's LBR iiwa 14: seven joints, about z and y in turns.
#pragma once

#include <generative_ik/chain.hpp>
#include <string>
#include <vector>

inline generative_ik::Chain arm() {
  const double heights[] = {0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081};
  std::vector<generative_ik::Variable> variables;
  std::vector<generative_ik::Joint> joints;
  for (int i = 0; i < 7; ++i) {
    const double limit = i % 2 ? 2.09 : 2.96;
    variables.push_back({"joint" + std::to_string(i + 1), -limit, limit});
    generative_ik::Joint joint;
    joint.joint_in_parent = Eigen::Translation3d(0.0, 0.0, heights[i]);
    joint.axis = i % 2 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
    joint.variable = i;
    joints.push_back(joint);
  }
  return {variables, joints, Eigen::Isometry3d(Eigen::Translation3d(0.0, 0.0, 0.045))};
}
