// Trained networks, and requests of them, from arrays: all are checked, and none is copied.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <learned/arm_completion.hpp>
#include <learned/distal.hpp>
#include <learned/spline_flow.hpp>
#include <vector>

namespace generative_ik::bindings {

learned::SplineFlow flowOf(const pybind11::tuple& pose, double position_scale,
                           const pybind11::tuple& layers, std::int64_t bins,
                           const pybind11::tuple& ends, const pybind11::tuple& box);

learned::FlowRequest flowRequestOf(const learned::SplineFlow& flow, const pybind11::array& poses,
                                   const pybind11::array& recurrence, double temperature,
                                   std::int64_t first, const pybind11::array& lower,
                                   const pybind11::array& upper, pybind11::array& positions);

learned::Arm armOf(const pybind11::tuple& network, const pybind11::tuple& links,
                   const pybind11::tuple& known);

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

learned::MemberNetworks membersOf(const pybind11::array& columns, double position_scale,
                                  const pybind11::tuple& layers, const pybind11::array& prismatic,
                                  const pybind11::array& half_range);

learned::AnswerRequest answerRequestOf(const learned::MemberNetworks& networks,
                                       const pybind11::array& poses, pybind11::array& boxed);

}  // namespace generative_ik::bindings
