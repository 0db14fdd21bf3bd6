// Chains and trees of joints, of which kernels read what they need.
#pragma once

#include <pybind11/numpy.h>

#include <solver/joint_tree.hpp>

namespace generative_ik::bindings {

/// The forward kinematics of a chain of so many variables; throws ValueError if it is none.
verify::RodriguesChain verifierOfChain(const JointTree& joints, pybind11::ssize_t num_variables);

/// Likewise of a tree.
verify::RodriguesTree verifierOfTree(const JointTree& joints, pybind11::ssize_t num_variables);

}  // namespace generative_ik::bindings
