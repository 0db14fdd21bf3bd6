// Trained networks, and requests of them, from arrays: all are checked, and none is copied.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <learned/arm_completion.hpp>
#include <learned/distal.hpp>
#include <learned/spline_flow.hpp>
#include <tuple>
#include <vector>

namespace generative_ik::bindings {

/// Pose network, scale of positions, layers, bins, ends and box: those of NativeFlow.
using FlowArguments = std::tuple<pybind11::tuple, double, pybind11::tuple, std::int64_t,
                                 pybind11::tuple, pybind11::tuple>;
learned::SplineFlow flowOf(const FlowArguments& from);

learned::FlowRequest flowRequestOf(const learned::SplineFlow& flow, const pybind11::array& poses,
                                   const pybind11::array& recurrence, double temperature,
                                   std::int64_t first, const pybind11::array& lower,
                                   const pybind11::array& upper, pybind11::array& positions);

/// Network, links and known distances: those of NativeGenerator.
using ArmArguments = std::tuple<pybind11::tuple, pybind11::tuple, pybind11::tuple>;
learned::Arm armOf(const ArmArguments& from);

/// Which variables and uniform numbers the joints of an arm have.
class ArmIndices {
 public:
  explicit ArmIndices(const learned::ArmLinks& links);

  /// Throws ValueError unless there are as many.
  void check(std::int64_t width, std::int64_t variables) const;

 private:
  std::vector<std::int64_t> variable_;  // (num_joints)
  std::vector<std::int64_t> column_;    // of joints that are sampled
};

learned::CompletionRequest completionRequestOf(
    const ArmIndices& indices, const pybind11::array& goals, const pybind11::array& recurrence,
    std::int64_t first, const pybind11::array& shifts, const pybind11::array& periodic,
    const pybind11::array& lower, const pybind11::array& upper, pybind11::array& positions);

/// Columns, scale of positions, layers, prismatic joints and half ranges: those of NativeMembers.
using MembersArguments =
    std::tuple<pybind11::array, double, pybind11::tuple, pybind11::array, pybind11::array>;
learned::MemberNetworks membersOf(const MembersArguments& from);

learned::AnswerRequest answerRequestOf(const learned::MemberNetworks& networks,
                                       const pybind11::array& poses, pybind11::array& boxed);

}  // namespace generative_ik::bindings
