/// Answers of the networks of distal teaching (learned/distal/net.py): one configuration for a
/// pose from each.
#pragma once

#include <cmath>
#include <cstdint>

#include "../parallel/checkpoint.hpp"
#include "chunk.hpp"
#include "pose_inputs.hpp"

namespace generative_ik::learned {

/// Networks of one shape, side by side: hidden layers with rectified linear units, then sine and
/// cosine of each joint's angle, up to a common factor.
struct MemberNetworks {
  PoseInputs inputs;
  std::int64_t members, hidden_layers, hidden, joints;
  const float* first;        // (members, inputs, hidden)
  const float* first_bias;   // (members, hidden)
  const float* middle;       // (members, hidden_layers - 1, hidden, hidden)
  const float* middle_bias;  // (members, hidden_layers - 1, hidden)
  const float* last;         // (members, hidden, outputs)
  const float* last_bias;    // (members, outputs)
  const bool* prismatic;     // (joints)
  const double* half_range;  // (joints) [rad or m]

  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t outputs() const { return 2 * joints; }

  /// A layer of a member; that after the hidden ones is the last.
  [[nodiscard]] GENERATIVE_IK_DEVICE DenseLayer layer(std::int64_t member, std::int64_t at) const {
    if (at == hidden_layers) {
      return {last + member * hidden * outputs(), last_bias + member * outputs(), hidden,
              outputs(), outputs()};
    }
    if (at == 0) {
      return {first + member * inputs.count * hidden, first_bias + member * hidden, inputs.count,
              hidden, hidden};
    }
    const std::int64_t inner = member * (hidden_layers - 1) + at - 1;
    return {middle + inner * hidden * hidden, middle_bias + inner * hidden, hidden, hidden,
            hidden};
  }
  /// What that layer makes of negative sums: their factor.
  [[nodiscard]] GENERATIVE_IK_DEVICE float slope(std::int64_t at) const {
    return at == hidden_layers ? 1.0F : 0.0F;
  }
};

/// The point of the joint box, [-1, 1] within the limits, for a joint's sine and cosine. A
/// prismatic joint is not on a circle: the sine keeps it within its limits.
GENERATIVE_IK_DEVICE inline double boxedAnswer(const MemberNetworks& networks, std::int64_t joint,
                                               const float* outputs) {
  const double angle = std::atan2(static_cast<double>(outputs[2 * joint]),
                                  static_cast<double>(outputs[2 * joint + 1]));
  return networks.prismatic[joint] ? std::sin(angle) : angle / networks.half_range[joint];
}

/// Poses (count, 4, 4), of the last joint frame in the first joint frame [m], and their answers
/// (count, members, joints), points of the joint box.
struct AnswerRequest {
  const double* poses;
  std::int64_t count;
  double* boxed;
};

/// Writes answers on the library's threads.
void answerPoses(const MemberNetworks& networks, const AnswerRequest& request,
                 const parallel::StopWhen& stop);

}  // namespace generative_ik::learned
