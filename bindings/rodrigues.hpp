// Chains and trees as independent forward kinematics takes them.
#pragma once

#include <cstdint>
#include <verify/rodrigues_tree.hpp>

#include "arrays.hpp"

namespace generative_ik::bindings {

/// The joints with which a RodriguesChain and a RodriguesTree begin.
inline verify::RodriguesChain jointsOf(const Arrays& arrays, std::int64_t num_variables) {
  const pybind11::array multiplier = arrays.at(7);
  const auto m = multiplier.ndim() == 1 ? multiplier.shape(0) : 0;
  verify::RodriguesChain chain = {
      m,
      readable<double>(arrays.at(0), "rotations", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(1), "sine_part", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(2), "versine_part", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(3), "shifts", Shape<2>{m, 3}),
      readable<double>(arrays.at(4), "axes", Shape<2>{m, 3}),
      readable<std::int64_t>(arrays.at(5), "prismatic", Shape<1>{m}),
      readable<std::int64_t>(arrays.at(6), "variable", Shape<1>{m}),
      readable<double>(multiplier, "multiplier", Shape<1>{m}),
      readable<double>(arrays.at(8), "offset", Shape<1>{m}),
      nullptr};
  checkIndices(chain.variable, m, num_variables, "variable");
  return chain;
}

/// The numbers of a RodriguesChain.
inline verify::RodriguesChain chainOf(const pybind11::tuple& tuple, std::int64_t num_variables) {
  const Arrays arrays(tuple, "chain", 10);
  verify::RodriguesChain chain = jointsOf(arrays, num_variables);
  chain.tip = readable<double>(arrays.at(9), "tip", Shape<2>{4, 4});
  return chain;
}

/// The numbers of a RodriguesTree.
inline verify::RodriguesTree treeOf(const pybind11::tuple& tuple, std::int64_t num_variables) {
  const Arrays arrays(tuple, "tree", 15);
  verify::RodriguesTree tree{};
  tree.joints = jointsOf(arrays, num_variables);
  const pybind11::ssize_t m = tree.joints.num_joints;
  const pybind11::array tip_slot = arrays.at(11);
  const pybind11::ssize_t goals = tip_slot.ndim() == 1 ? tip_slot.shape(0) : 0;
  tree.num_goals = goals;
  tree.begin = readable<std::int64_t>(arrays.at(9), "begin", Shape<1>{m});
  tree.slot = readable<std::int64_t>(arrays.at(10), "slot", Shape<1>{m});
  tree.tip_slot = readable<std::int64_t>(tip_slot, "tip_slot", Shape<1>{goals});
  tree.tip = readable<double>(arrays.at(12), "tip", Shape<3>{goals, 4, 4});
  tree.reference_slot = readable<std::int64_t>(arrays.at(13), "reference_slot", Shape<1>{goals});
  tree.reference = readable<double>(arrays.at(14), "reference", Shape<3>{goals, 4, 4});
  if (!verify::countSlots(tree)) {
    throw pybind11::value_error("tree: a slot is not that of a joint");
  }
  return tree;
}

}  // namespace generative_ik::bindings
