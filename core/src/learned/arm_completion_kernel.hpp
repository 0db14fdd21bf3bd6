/// The completion of arms as one template over the lanes; the same as in PyTorch
/// (learned/ggik/autoregressive/generator.py), in single precision.
#pragma once

#include "../simd/constants.hpp"
#include "arm_completion.hpp"
#include "completion_state.hpp"
#include "known_distances.hpp"
#include "mixture.hpp"

namespace generative_ik::learned {

/// The range of a prismatic joint takes this share of the circle of predicted angles.
inline constexpr double kPrismaticArc = 0.8;
/// A seed that misses its goal by more is drawn again.
inline constexpr double kMissed = 0.01;

/// Memory by what it holds: rows, one number a seed.
struct CompletionRows {
  float *state, *features, *row, *activated, *between, *outputs, *base_outputs, *chosen, *unit;
  double *variables, *configuration;

  GENERATIVE_IK_INLINE static CompletionRows of(const CompletionNetwork& network,
                                                std::int64_t num_variables,
                                                const CompletionMemory& memory,
                                                std::int64_t stride) {
    const std::int64_t hidden = network.hidden() * stride;
    const std::int64_t outputs = network.head.outputs * stride;
    CompletionRows rows = {};
    rows.state = memory.single;
    rows.features = rows.state + kStateRows * stride;
    rows.row = rows.features + kGoalFeatures * stride;
    rows.activated = rows.row + hidden;
    rows.between = rows.activated + hidden;
    rows.outputs = rows.between + hidden;
    rows.base_outputs = rows.outputs + outputs;
    rows.chosen = rows.base_outputs + outputs;
    rows.unit = rows.chosen + kChosenRows * stride;
    rows.variables = memory.variable;
    rows.configuration = memory.variable + num_variables * stride;
    return rows;
  }
};

template <class Floats>
GENERATIVE_IK_INLINE Floats sigmoidLinear(const Floats& x) {
  return x / (1.0F + simd::exponential(-x));
}

/// Writes blocks of a layer of the network for a joint: `layer` 0 is the first one, which takes
/// the goal's features, then come two for each residual block, then the outputs.
template <class Seeds>
GENERATIVE_IK_INLINE void passLayer(const Seeds& seeds, const CompletionNetwork& network,
                                    std::int64_t joint, std::int64_t layer, const Blocks& blocks,
                                    const CompletionRows& rows, float* outputs) {
  using Floats = typename Seeds::Floats;
  const std::int64_t hidden = network.hidden();
  const auto at = [&seeds](float* out, std::int64_t row, int seed) {
    return out + row * seeds.stride + seed;
  };
  // Sums of residual blocks, and what the next layer takes of them.
  const auto keep = [&](std::int64_t row, int seed, const Floats& sum) {
    sum.store(at(rows.row, row, seed));
    sigmoidLinear(sum).store(at(rows.activated, row, seed));
  };
  const float* shifts = network.shifts + (layer - 1) * hidden;
  if (layer == 0) {
    multiply(seeds, network.inputs.after(joint), blocks, rows.features,
             [&](std::int64_t row, int seed, const Floats& sum) {
               keep(row, seed, sum + network.starts[joint * hidden + row]);
             });
  } else if (layer > 2 * network.blocks) {
    multiply(seeds, network.head, blocks, rows.activated,
             [&](std::int64_t row, int seed, const Floats& sum) {
               (sum + network.head_shifts[row]).store(at(outputs, row, seed));
             });
  } else if (layer % 2 == 1) {
    multiply(seeds, network.middle.after(layer - 1), blocks, rows.activated,
             [&](std::int64_t row, int seed, const Floats& sum) {
               sigmoidLinear(sum + shifts[row]).store(at(rows.between, row, seed));
             });
  } else {
    multiply(seeds, network.middle.after(layer - 1), blocks, rows.between,
             [&](std::int64_t row, int seed, const Floats& sum) {
               keep(row, seed, sum + shifts[row] + Floats::load(at(rows.row, row, seed)));
             });
  }
}

/// Writes the network's outputs for a joint from the goal's features.
template <class Seeds>
GENERATIVE_IK_INLINE void predict(const Seeds& seeds, const CompletionNetwork& network,
                                  std::int64_t joint, const CompletionRows& rows, float* outputs) {
  const auto pass = [&](std::int64_t layer, const BlockedMatrix& matrix) {
    passLayer(seeds, network, joint, layer, Blocks::all(matrix), rows, outputs);
  };
  pass(0, network.inputs);
  for (std::int64_t layer = 1; layer <= 2 * network.blocks; ++layer) {
    pass(layer, network.middle);
  }
  pass(2 * network.blocks + 1, network.head);
}

/// Writes the axes of joint j.
template <class Seeds>
GENERATIVE_IK_INLINE void writeJointAxes(const Seeds& seeds, const ArmLinks& links,
                                         std::int64_t joint, float* state) {
  using Floats = typename Seeds::Floats;
  const simd::Vector3<float> axis = vectorAt(links.axis + 3 * joint);
  const simd::Vector3<float> normal = vectorAt(links.mid_normal + 3 * joint);
  const simd::Vector3<Floats> row[] = {
      // NOLINT(*-avoid-c-arrays)
      loadVector(seeds, state, kFrame), loadVector(seeds, state, kFrame + 3),
      loadVector(seeds, state, kFrame + 6)};
  const simd::Vector3<Floats> z = {dot(row[0], axis), dot(row[1], axis), dot(row[2], axis)};
  const simd::Vector3<Floats> x = {dot(row[0], normal), dot(row[1], normal), dot(row[2], normal)};
  storeVector(seeds, z, state, kZ);
  storeVector(seeds, x, state, kX);
  storeVector(seeds, cross(z, x), state, kY);
}

/// Writes the features of the goal as seen from a joint.
template <class Seeds>
GENERATIVE_IK_INLINE void writeFeatures(const Seeds& seeds, const float* goal, const float* state,
                                        float* features) {
  using Floats = typename Seeds::Floats;
  constexpr float kLeastNorm = 1e-9F;
  // Weight of the goal's z in the direction of angle zero, for goals on the joint's axis.
  constexpr float kAxisShare = 0.3F;
  const simd::Vector3<Floats> axis = loadVector(seeds, state, kZ);
  const simd::Vector3<Floats> x = loadVector(seeds, state, kX);
  const simd::Vector3<Floats> y = loadVector(seeds, state, kY);
  const simd::Vector3<float> goal_z = vectorAt(goal + 3);
  const simd::Vector3<Floats> away = vectorAt(goal) - loadVector(seeds, state, kOrigin);
  const simd::Vector3<Floats> aim = away + kAxisShare * goal_z;
  // Perpendicular to the axis: by its components along x and y.
  const Floats along_x = dot(aim, x);
  const Floats along_y = dot(aim, y);
  const Floats norm =
      larger(simd::squareRoot(along_x * along_x + along_y * along_y), Floats(kLeastNorm));
  const Floats c = along_x / norm;
  const Floats s = along_y / norm;
  // A vector in the frame of x and y turned towards the goal, and of the axis.
  const auto turned = [&](const auto& v) {
    const Floats by_x = dot(x, v);
    const Floats by_y = dot(y, v);
    return simd::Vector3<Floats>{c * by_x + s * by_y, c * by_y - s * by_x, dot(axis, v)};
  };
  storeVector(seeds, turned(away), features, kAway);
  simd::squareRoot(dot(away, away)).store(features + kDistance * seeds.stride);
  storeVector(seeds, turned(goal_z), features, kGoalZ);
  c.store(features + kCosine * seeds.stride);
  (-s).store(features + kSine * seeds.stride);
}

/// Writes the displacement of one of the last two joints, which follow from the goal.
template <class Seeds>
GENERATIVE_IK_INLINE void writeClosedForm(const Seeds& seeds, const ArmLinks& links,
                                          std::int64_t joint, const float* goal, float* state) {
  using Floats = typename Seeds::Floats;
  const simd::Vector3<Floats> x = loadVector(seeds, state, kX);
  const simd::Vector3<Floats> y = loadVector(seeds, state, kY);
  const simd::Vector3<float> goal_z = vectorAt(goal + 3);
  const simd::Vector3<float> goal_x = vectorAt(goal + 6);
  const simd::Vector3<Floats> away = vectorAt(goal) - loadVector(seeds, state, kOrigin);
  Floats displacement = 0.0F;
  if (joint + 1 < links.num_joints) {
    const float* next = links.axis + 3 * (joint + 1);
    const float length = links.link_length[joint];
    const Floats along_x = dot(x, goal_z);
    const Floats along_y = dot(y, goal_z);
    const Floats even = length * dot(away, x) + next[0] * along_x + next[1] * along_y;
    const Floats odd = length * dot(away, y) + next[0] * along_y - next[1] * along_x;
    displacement = simd::arcTangent(odd, even);
  } else if (links.prismatic[joint]) {
    displacement = dot(away, loadVector(seeds, state, kZ)) - links.link_offset[joint];
  } else {
    displacement = simd::arcTangent(dot(y, goal_x), dot(x, goal_x));
  }
  displacement.store(state + kDisplacement * seeds.stride);
}

/// Goes on to frame j + 1.
template <class Seeds>
GENERATIVE_IK_INLINE void passJoint(const Seeds& seeds, const ArmLinks& links, std::int64_t joint,
                                    float* state) {
  using Floats = typename Seeds::Floats;
  const Floats displacement = Floats::load(state + kDisplacement * seeds.stride);
  const simd::Vector3<Floats> z = loadVector(seeds, state, kZ);
  simd::Vector3<Floats> x = loadVector(seeds, state, kX);
  simd::Vector3<Floats> y = loadVector(seeds, state, kY);
  Floats offset = links.link_offset[joint];
  if (links.prismatic[joint]) {
    offset = offset + displacement;
  } else {
    const Floats near = simd::halfTurnNearest(displacement);
    const Floats c = simd::cosineOf(near);
    const Floats s = simd::sineOf(near);
    const simd::Vector3<Floats> turned = c * x + s * y;
    y = c * y - s * x;
    x = turned;
  }
  const simd::Vector3<Floats> step = Floats(links.link_length[joint]) * x + offset * z;
  storeVector(seeds, loadVector(seeds, state, kOrigin) + step, state, kOrigin);
  storeVector(seeds, {x.x, y.x, z.x}, state, kFrame);
  storeVector(seeds, {x.y, y.y, z.y}, state, kFrame + 3);
  storeVector(seeds, {x.z, y.z, z.z}, state, kFrame + 6);
}

/// A value reflected at the ends of [-half, half].
GENERATIVE_IK_INLINE double reflected(double value, double half) {
  const double below = value > half ? 2.0 * half - value : value;
  const double above = below < -half ? -2.0 * half - below : below;
  return simd::clamp(above, -half, half);
}

/// Writes displacements for the components that were chosen.
template <class Seeds>
GENERATIVE_IK_INLINE void writeSampled(const Seeds& seeds, const Arm& arm, std::int64_t joint,
                                       const CompletionRows& rows) {
  const auto half = static_cast<double>(arm.links.half_range[joint]);
  for (int lane = 0; lane < Seeds::kCount; ++lane) {
    double angle = sampledAngle(seeds, arm.network, rows.chosen, lane);
    double displacement = angle / (kPrismaticArc * kPi) * half;
    if (!arm.links.prismatic[joint]) {
      if (arm.known.counts[joint] > 0) {
        angle = nearestKnown(seeds, arm.known, joint, rows.features, lane, half, angle);
      }
      const auto c = static_cast<double>(rows.features[kCosine * seeds.stride + lane]);
      const auto s = static_cast<double>(rows.features[kSine * seeds.stride + lane]);
      displacement = withinHalfTurn(angle - std::atan2(s, c));
    }
    rows.state[kDisplacement * seeds.stride + lane] =
        static_cast<float>(reflected(displacement, half));
  }
}

/// Writes the displacement that a joint's variable asks for, or the variable of a displacement.
template <class Seeds>
GENERATIVE_IK_INLINE void passVariable(const Seeds& seeds, const ArmLinks& links,
                                       std::int64_t joint, const CompletionRows& rows) {
  double* variable = rows.variables + links.variable[joint] * seeds.stride;
  float* displacement = rows.state + kDisplacement * seeds.stride;
  const auto slope = static_cast<double>(links.slope[joint]);
  const double middle = links.mid_value[joint];
  for (int lane = 0; lane < Seeds::kCount; ++lane) {
    if (links.decided_by[joint] == kMimic) {
      displacement[lane] = static_cast<float>((variable[lane] - middle) / slope);
    } else {
      variable[lane] = middle + slope * static_cast<double>(displacement[lane]);
    }
  }
}

/// Writes the frames before the first joint.
template <class Seeds>
GENERATIVE_IK_INLINE void writeBaseFrames(const Seeds& seeds, float* state) {
  for (int row = 0; row < kZ; ++row) {
    for (int lane = 0; lane < Seeds::kCount; ++lane) {
      const bool is_one = row == kFrame || row == kFrame + 4 || row == kFrame + 8;
      state[row * seeds.stride + lane] = is_one ? 1.0F : 0.0F;
    }
  }
}

/// Goes on from a joint to the next one that is sampled, and writes its features of the goal.
/// Returns it, or the number of joints if there is none.
template <class Seeds>
GENERATIVE_IK_INLINE std::int64_t passToSampled(const Seeds& seeds, const ArmLinks& links,
                                                std::int64_t joint, const float* goal,
                                                const CompletionRows& rows) {
  float* state = rows.state;
  for (; joint < links.num_joints; ++joint) {
    const std::int64_t kind = links.decided_by[joint];
    eachRegister<Seeds>([&](int seed) { writeJointAxes(seeds, links, joint, state + seed); });
    if (kind == kSampled) {
      eachRegister<Seeds>(
          [&](int seed) { writeFeatures(seeds, goal, state + seed, rows.features + seed); });
      return joint;
    }
    if (kind == kClosedForm) {
      eachRegister<Seeds>(
          [&](int seed) { writeClosedForm(seeds, links, joint, goal, state + seed); });
    }
    passVariable(seeds, links, joint, rows);
    eachRegister<Seeds>([&](int seed) { passJoint(seeds, links, joint, state + seed); });
  }
  return joint;
}

/// Moves a joint by what is sampled from the network's outputs.
template <class Seeds>
GENERATIVE_IK_INLINE void passSampled(const Seeds& seeds, const Arm& arm, std::int64_t joint,
                                      const float* outputs, const CompletionRows& rows) {
  const float* unit = rows.unit + arm.links.column[joint] * seeds.stride;
  eachRegister<Seeds>([&](int seed) {
    chooseComponent(seeds, outputs + seed, arm.network.components(),
                    Seeds::Floats::load(unit + seed), rows.chosen + seed);
  });
  writeSampled(seeds, arm, joint, rows);
  passVariable(seeds, arm.links, joint, rows);
  eachRegister<Seeds>([&](int seed) { passJoint(seeds, arm.links, joint, rows.state + seed); });
}

/// Draws a chunk: writes its variables, and the frames that they lead to.
///
/// Args: goal: (9) the last frame. base_is_known: whether the outputs of joint 0, those of all
/// seeds of a goal, are at hand.
template <class Seeds>
GENERATIVE_IK_INLINE void drawChunk(const Seeds& seeds, const Arm& arm, const float* goal,
                                    bool base_is_known, const CompletionRows& rows) {
  writeBaseFrames(seeds, rows.state);
  std::int64_t joint = passToSampled(seeds, arm.links, 0, goal, rows);
  while (joint < arm.links.num_joints) {
    float* outputs = joint == 0 ? rows.base_outputs : rows.outputs;
    if (joint > 0 || !base_is_known) {
      predict(seeds, arm.network, joint, rows, outputs);
    }
    passSampled(seeds, arm, joint, outputs, rows);
    joint = passToSampled(seeds, arm.links, joint + 1, goal, rows);
  }
}

/// By how much a lane's last frame misses the goal: the distance of the origins as a share of the
/// arm's length, and those of z and of x.
template <class Seeds>
GENERATIVE_IK_INLINE double missedBy(const Seeds& seeds, const float* goal, const float* state,
                                     int lane) {
  double total = 0.0;
  for (int part = 0; part < 3; ++part) {
    const int row = part == 0 ? kOrigin : part == 1 ? kFrame + 2 : kFrame;
    const int step = part == 0 ? 1 : 3;
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double gap = static_cast<double>(state[(row + step * i) * seeds.stride + lane]) -
                         static_cast<double>(goal[3 * part + i]);
      square += gap * gap;
    }
    total += std::sqrt(square);
  }
  return total;
}

/// Writes a lane's configuration, in the turn nearest to the bounds, reflected at them; its
/// numbers are `step` apart. Returns by how much that moves its variables, together.
template <class Seeds>
GENERATIVE_IK_INLINE double settle(const Seeds& seeds, const CompletionRequest& request,
                                   const double* variables, int lane, double* configuration,
                                   std::int64_t step) {
  double moved = 0.0;
  for (std::int64_t j = 0; j < request.num_variables; ++j) {
    const double lower = request.lower[j];
    const double upper = request.upper[j];
    const double centre = (lower + upper) / 2.0;
    double away = variables[j * seeds.stride + lane] - centre;
    if (request.periodic[j]) {
      away = withinHalfTurn(away);
    }
    const double inside =
        simd::clamp(centre + reflected(away, (upper - lower) / 2.0), lower, upper);
    configuration[j * step] = inside;
    moved += std::fabs(inside - centre - away);
  }
  return moved;
}

/// A seed that waits for a lane.
struct WaitingSeed {
  std::int64_t place, tries;
  double best;  // by how much its best try misses
};

/// Writes a lane's uniform numbers.
template <class Seeds>
GENERATIVE_IK_INLINE void writeNumbers(const Seeds& seeds, const CompletionRequest& request,
                                       const WaitingSeed& seed, int lane, float* unit) {
  for (std::int64_t f = 0; f < request.width; ++f) {
    const double number =
        request.recurrence[f] + request.recurrence[request.width + f] *
                                    static_cast<double>(request.first + seed.place + 1);
    const float shifted = static_cast<float>(number - __builtin_floor(number)) +
                          request.shifts[seed.tries * request.width + f];
    unit[f * seeds.stride + lane] = shifted < 1.0F ? shifted : shifted - 1.0F;
  }
}

template <class Floats>
void completeArms(const Arm& arm, const CompletionRequest& request, std::int64_t goal,
                  std::int64_t begin, std::int64_t end, const CompletionMemory& memory) {
  const std::int64_t n = request.num_variables;
  constexpr SeedsInLanes<Floats> kSeeds = {};
  const CompletionRows rows = CompletionRows::of(arm.network, n, memory, kSeeds.stride);
  const float* wanted = request.goals + 9 * goal;
  double* positions = request.positions + goal * request.count * n;
  WaitingSeed seeds[kChunk];  // NOLINT(*-avoid-c-arrays)
  int waiting = 0;
  bool base_is_known = false;
  while (begin < end || waiting > 0) {
    while (waiting < kChunk && begin < end) {
      seeds[waiting++] = {begin++, 0, kInfinity};
    }
    for (int lane = 0; lane < kChunk; ++lane) {
      // The last one fills the lanes behind it.
      writeNumbers(kSeeds, request, seeds[lane < waiting ? lane : waiting - 1], lane, rows.unit);
    }
    drawChunk(kSeeds, arm, wanted, base_is_known, rows);
    base_is_known = true;
    const int drawn = waiting;
    waiting = 0;
    for (int lane = 0; lane < drawn; ++lane) {
      WaitingSeed seed = seeds[lane];
      const double missed = missedBy(kSeeds, wanted, rows.state, lane) +
                            settle(kSeeds, request, rows.variables, lane, rows.configuration, 1);
      if (missed < seed.best || seed.tries == 0) {
        seed.best = missed;
        for (std::int64_t j = 0; j < n; ++j) {
          positions[seed.place * n + j] = rows.configuration[j];
        }
      }
      if (missed > kMissed && seed.tries + 1 < request.tries) {
        seeds[waiting++] = {seed.place, seed.tries + 1, seed.best};
      }
    }
  }
}

}  // namespace generative_ik::learned
