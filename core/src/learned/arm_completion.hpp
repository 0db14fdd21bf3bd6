/// Samples of an autoregressive graph model (learned/ggik/autoregressive): arms that are
/// completed joint by joint, from the base to the goal.
#pragma once

#include <cstdint>

#include "../parallel/checkpoint.hpp"
#include "chunk.hpp"

namespace generative_ik::learned {

/// Numbers that describe the goal as seen from a joint.
inline constexpr int kGoalFeatures = 9;
/// Outputs of the network for a component of its mixture: logit, cosine and sine of the mean,
/// concentration.
inline constexpr int kParts = 4;
/// Numbers in which the conditions on a joint are linear, and the most conditions on one.
inline constexpr int kBasis = 16;
inline constexpr int kConditions = 5;

/// What decides a joint: the network, the goal, or a joint before it that drives it as well.
enum DecidedBy : std::int64_t { kSampled = 0, kClosedForm = 1, kMimic = 2 };

/// The network for one arm: for each joint a first layer of its own, then residual blocks of two
/// layers, then the mixture.
struct CompletionNetwork {
  std::int64_t blocks, cells;
  BlockedMatrix inputs, middle, head;  // one a joint of `inputs`, 2 blocks of `middle`
  const float* starts;                 // (num_joints, hidden) biases of `inputs`
  const float* shifts;                 // (2 blocks, hidden) of `middle`
  const float* head_shifts;            // (outputs)
  const float* spreads;                // (cells + 1) of a component by its concentration

  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t hidden() const { return inputs.outputs; }
  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t components() const {
    return head.outputs / kParts;
  }
  /// From the goal's features to the mixture's outputs.
  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t layers() const { return 2 * blocks + 2; }
};

/// The links of one arm (learned/graph/links.py); lengths are shares of the arm's.
struct ArmLinks {
  std::int64_t num_joints;
  const std::int64_t* decided_by;  // (num_joints) `DecidedBy`, as the next ones
  const bool* prismatic;
  const float* axis;        // (num_joints, 3)
  const float* mid_normal;  // (num_joints, 3)
  const float* link_length;
  const float* link_offset;  // with a prismatic joint at the middle of its range
  const float* half_range;   // [rad or share]
  const std::int64_t* variable;
  const float* slope;          // change of the variable with the displacement
  const double* mid_value;     // the variable at the middle of the joint's range [rad or m]
  const std::int64_t* column;  // of the uniform numbers
};

/// What known distances ask of the joints of one arm.
struct KnownDistances {
  const double* conditions;    // (num_joints, kConditions, 3, kBasis)
  const std::int64_t* counts;  // (num_joints) how many there are
  const bool* is_signed;       // (num_joints) whether their second part has two signs
};

struct Arm {
  CompletionNetwork network;
  ArmLinks links;
  KnownDistances known;
};

/// What is drawn: seeds `first` to before `first + count` of a quasi-random sequence for each
/// goal.
struct CompletionRequest {
  const float* goals;  // (num_goals, 9) origin, z and x of the last frame
  std::int64_t num_goals, count, num_variables;
  const double* recurrence;  // (2, width) shift and ratios of the sequence
  std::int64_t width, first;
  const float* shifts;  // (tries, width) what each try adds to a seed's numbers
  std::int64_t tries;
  const bool* periodic;  // (num_variables) which may be whole turns from the bounds
  const double* lower;   // (num_variables)
  const double* upper;   // (num_variables)
  double* positions;     // (num_goals, count, num_variables) written
};

/// Memory for rows of seeds.
struct CompletionMemory {
  float* single;     // `singleRows` rows
  double* variable;  // num_variables rows, then as many numbers for a configuration
};

std::int64_t singleRows(const CompletionNetwork& network, std::int64_t width);

/// Draws seeds `begin` to before `end` for a goal.
///
/// A seed that misses the goal is drawn again, with shifted numbers; its best try is kept. Lanes
/// do not depend on each other, so seeds take the next free one, again or for the first time.
using CompletionKernel = void (*)(const Arm& arm, const CompletionRequest& request,
                                  std::int64_t goal, std::int64_t begin, std::int64_t end,
                                  const CompletionMemory& memory);

/// Writes samples on the library's threads.
void completeArm(const Arm& arm, const CompletionRequest& request, const parallel::StopWhen& stop);

}  // namespace generative_ik::learned
