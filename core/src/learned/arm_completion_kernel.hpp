/// The completion of arms as one template over the lanes; the same as in PyTorch
/// (learned/ggik/autoregressive/generator.py), in single precision.
#pragma once

#include "../simd/constants.hpp"
#include "arm_completion.hpp"
#include "completion_state.hpp"
#include "known_distances.hpp"
#include "mixture.hpp"

namespace generative_ik::learned {

/// Weight of the goal's z in the direction of angle zero, for goals on the joint's axis.
inline constexpr float kAxisShare = 0.3F;
/// The range of a prismatic joint takes this share of the circle of predicted angles.
inline constexpr double kPrismaticArc = 0.8;
/// A seed that misses its goal by more is drawn again.
inline constexpr double kMissed = 0.01;

/// A thread's memory by what it holds: rows of a chunk.
struct CompletionRows {
  float *state, *features, *row, *other, *between, *outputs, *base_outputs, *chosen, *unit;
  double *variables, *configuration;

  GENERATIVE_IK_INLINE static CompletionRows of(const CompletionNetwork& network,
                                                std::int64_t num_variables,
                                                const CompletionMemory& memory) {
    const std::int64_t hidden = network.hidden() * kChunk;
    const std::int64_t outputs = network.head.outputs * kChunk;
    CompletionRows rows = {};
    rows.state = memory.single;
    rows.features = rows.state + kStateRows * kChunk;
    rows.row = rows.features + kGoalFeatures * kChunk;
    rows.other = rows.row + hidden;
    rows.between = rows.other + hidden;
    rows.outputs = rows.between + hidden;
    rows.base_outputs = rows.outputs + outputs;
    rows.chosen = rows.base_outputs + outputs;
    rows.unit = rows.chosen + kChosenRows * kChunk;
    rows.variables = memory.variable;
    rows.configuration = memory.variable + num_variables * kChunk;
    return rows;
  }
};

/// Calls a function with the first of the seeds of each register.
template <class Floats, class Function>
GENERATIVE_IK_INLINE void eachRegister(const Function& function) {
  for (int seed = 0; seed < kChunk; seed += Floats::kWidth) {
    function(seed);
  }
}

template <class Floats>
GENERATIVE_IK_INLINE Floats sigmoidLinear(const Floats& x) {
  return x / (1.0F + simd::exponential(-x));
}

template <class Floats>
GENERATIVE_IK_INLINE void activate(const float* rows, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count * kChunk; i += Floats::kWidth) {
    sigmoidLinear(Floats::load(rows + i)).store(out + i);
  }
}

/// Writes the network's outputs for a joint from the goal's features.
template <class Floats>
GENERATIVE_IK_INLINE void predict(const CompletionNetwork& network, std::int64_t joint,
                                  const CompletionRows& rows, float* outputs) {
  const std::int64_t hidden = network.hidden();
  const auto at = [](float* out, std::int64_t row, int seed) { return out + row * kChunk + seed; };
  multiply<Floats>(network.inputs.after(joint), rows.features,
                   [&](std::int64_t row, int seed, const Floats& sum) {
                     (sum + network.starts[joint * hidden + row]).store(at(rows.row, row, seed));
                   });
  for (std::int64_t layer = 0; layer < 2 * network.blocks; layer += 2) {
    const float* shifts = network.shifts + layer * hidden;
    activate<Floats>(rows.row, hidden, rows.other);
    multiply<Floats>(network.middle.after(layer), rows.other,
                     [&](std::int64_t row, int seed, const Floats& sum) {
                       sigmoidLinear(sum + shifts[row]).store(at(rows.between, row, seed));
                     });
    multiply<Floats>(network.middle.after(layer + 1), rows.between,
                     [&](std::int64_t row, int seed, const Floats& sum) {
                       float* out = at(rows.row, row, seed);
                       (sum + shifts[hidden + row] + Floats::load(out)).store(out);
                     });
  }
  activate<Floats>(rows.row, hidden, rows.other);
  multiply<Floats>(network.head, rows.other, [&](std::int64_t row, int seed, const Floats& sum) {
    (sum + network.head_shifts[row]).store(at(outputs, row, seed));
  });
}

/// Writes the axes of joint j.
template <class Floats>
GENERATIVE_IK_INLINE void writeJointAxes(const ArmLinks& links, std::int64_t joint, float* state) {
  const simd::Vector3<float> axis = vectorAt(links.axis + 3 * joint);
  const simd::Vector3<float> normal = vectorAt(links.mid_normal + 3 * joint);
  const simd::Vector3<Floats> row[] = {
      // NOLINT(*-avoid-c-arrays)
      loadVector<Floats>(state, kFrame), loadVector<Floats>(state, kFrame + 3),
      loadVector<Floats>(state, kFrame + 6)};
  const simd::Vector3<Floats> z = {dot(row[0], axis), dot(row[1], axis), dot(row[2], axis)};
  const simd::Vector3<Floats> x = {dot(row[0], normal), dot(row[1], normal), dot(row[2], normal)};
  storeVector(z, state, kZ);
  storeVector(x, state, kX);
  storeVector(cross(z, x), state, kY);
}

/// Writes the features of the goal as seen from a joint.
template <class Floats>
GENERATIVE_IK_INLINE void writeFeatures(const float* goal, const float* state, float* features) {
  constexpr float kLeastNorm = 1e-9F;
  const simd::Vector3<Floats> axis = loadVector<Floats>(state, kZ);
  const simd::Vector3<Floats> x = loadVector<Floats>(state, kX);
  const simd::Vector3<Floats> y = loadVector<Floats>(state, kY);
  const simd::Vector3<float> goal_z = vectorAt(goal + 3);
  const simd::Vector3<Floats> away = vectorAt(goal) - loadVector<Floats>(state, kOrigin);
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
  storeVector(turned(away), features, kAway);
  simd::squareRoot(dot(away, away)).store(features + kDistance * kChunk);
  storeVector(turned(goal_z), features, kGoalZ);
  c.store(features + kCosine * kChunk);
  (-s).store(features + kSine * kChunk);
}

/// Writes the displacement of one of the last two joints, which follow from the goal.
template <class Floats>
GENERATIVE_IK_INLINE void writeClosedForm(const ArmLinks& links, std::int64_t joint,
                                          const float* goal, float* state) {
  const simd::Vector3<Floats> x = loadVector<Floats>(state, kX);
  const simd::Vector3<Floats> y = loadVector<Floats>(state, kY);
  const simd::Vector3<float> goal_z = vectorAt(goal + 3);
  const simd::Vector3<float> goal_x = vectorAt(goal + 6);
  const simd::Vector3<Floats> away = vectorAt(goal) - loadVector<Floats>(state, kOrigin);
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
    displacement = dot(away, loadVector<Floats>(state, kZ)) - links.link_offset[joint];
  } else {
    displacement = simd::arcTangent(dot(y, goal_x), dot(x, goal_x));
  }
  displacement.store(state + kDisplacement * kChunk);
}

/// Goes on to frame j + 1.
template <class Floats>
GENERATIVE_IK_INLINE void passJoint(const ArmLinks& links, std::int64_t joint, float* state) {
  const Floats displacement = Floats::load(state + kDisplacement * kChunk);
  const simd::Vector3<Floats> z = loadVector<Floats>(state, kZ);
  simd::Vector3<Floats> x = loadVector<Floats>(state, kX);
  simd::Vector3<Floats> y = loadVector<Floats>(state, kY);
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
  storeVector(loadVector<Floats>(state, kOrigin) + step, state, kOrigin);
  storeVector<Floats>({x.x, y.x, z.x}, state, kFrame);
  storeVector<Floats>({x.y, y.y, z.y}, state, kFrame + 3);
  storeVector<Floats>({x.z, y.z, z.z}, state, kFrame + 6);
}

/// A value reflected at the ends of [-half, half].
GENERATIVE_IK_INLINE double reflected(double value, double half) {
  const double below = value > half ? 2.0 * half - value : value;
  const double above = below < -half ? -2.0 * half - below : below;
  return simd::clamp(above, -half, half);
}

/// Writes displacements for the components that were chosen.
template <class Floats>
GENERATIVE_IK_INLINE void writeSampled(const Arm& arm, std::int64_t joint,
                                       const CompletionRows& rows) {
  const auto half = static_cast<double>(arm.links.half_range[joint]);
  for (int lane = 0; lane < kChunk; ++lane) {
    double angle = sampledAngle(arm.network, rows.chosen, lane);
    double displacement = angle / (kPrismaticArc * kPi) * half;
    if (!arm.links.prismatic[joint]) {
      if (arm.known.counts[joint] > 0) {
        angle = nearestKnown(arm.known, joint, rows.features, lane, half, angle);
      }
      const auto c = static_cast<double>(rows.features[kCosine * kChunk + lane]);
      const auto s = static_cast<double>(rows.features[kSine * kChunk + lane]);
      displacement = withinHalfTurn(angle - std::atan2(s, c));
    }
    rows.state[kDisplacement * kChunk + lane] = static_cast<float>(reflected(displacement, half));
  }
}

/// Writes the displacement that a joint's variable asks for, or the variable of a displacement.
template <class Floats>
GENERATIVE_IK_INLINE void passVariable(const ArmLinks& links, std::int64_t joint,
                                       const CompletionRows& rows) {
  double* variable = rows.variables + links.variable[joint] * kChunk;
  float* displacement = rows.state + kDisplacement * kChunk;
  const auto slope = static_cast<double>(links.slope[joint]);
  const double middle = links.mid_value[joint];
  for (int lane = 0; lane < kChunk; ++lane) {
    if (links.decided_by[joint] == kMimic) {
      displacement[lane] = static_cast<float>((variable[lane] - middle) / slope);
    } else {
      variable[lane] = middle + slope * static_cast<double>(displacement[lane]);
    }
  }
}

/// Draws a chunk: writes its variables, and the frames that they lead to.
///
/// Args: goal: (9) the last frame. base_is_known: whether the outputs of joint 0, those of all
/// seeds of a goal, are at hand.
template <class Floats>
GENERATIVE_IK_INLINE void drawChunk(const Arm& arm, const float* goal, bool base_is_known,
                                    const CompletionRows& rows) {
  float* state = rows.state;
  for (int i = 0; i < kZ * kChunk; ++i) {
    const int row = i / kChunk;
    state[i] = row == kFrame || row == kFrame + 4 || row == kFrame + 8 ? 1.0F : 0.0F;
  }
  for (std::int64_t joint = 0; joint < arm.links.num_joints; ++joint) {
    const std::int64_t kind = arm.links.decided_by[joint];
    eachRegister<Floats>(
        [&](int seed) { writeJointAxes<Floats>(arm.links, joint, state + seed); });
    if (kind == kMimic) {
      passVariable<Floats>(arm.links, joint, rows);
    } else if (kind == kClosedForm) {
      eachRegister<Floats>(
          [&](int seed) { writeClosedForm<Floats>(arm.links, joint, goal, state + seed); });
    } else {
      eachRegister<Floats>(
          [&](int seed) { writeFeatures<Floats>(goal, state + seed, rows.features + seed); });
      float* outputs = joint == 0 ? rows.base_outputs : rows.outputs;
      if (joint > 0 || !base_is_known) {
        predict<Floats>(arm.network, joint, rows, outputs);
      }
      const float* unit = rows.unit + arm.links.column[joint] * kChunk;
      eachRegister<Floats>([&](int seed) {
        chooseComponent(outputs + seed, arm.network.components(), Floats::load(unit + seed),
                        rows.chosen + seed);
      });
      writeSampled<Floats>(arm, joint, rows);
    }
    if (kind != kMimic) {
      passVariable<Floats>(arm.links, joint, rows);
    }
    eachRegister<Floats>([&](int seed) { passJoint<Floats>(arm.links, joint, state + seed); });
  }
}

/// By how much a lane's last frame misses the goal: the distance of the origins as a share of the
/// arm's length, and those of z and of x.
GENERATIVE_IK_INLINE double missedBy(const float* goal, const float* state, int lane) {
  double total = 0.0;
  for (int part = 0; part < 3; ++part) {
    const int row = part == 0 ? kOrigin : part == 1 ? kFrame + 2 : kFrame;
    const int step = part == 0 ? 1 : 3;
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double gap = static_cast<double>(state[(row + step * i) * kChunk + lane]) -
                         static_cast<double>(goal[3 * part + i]);
      square += gap * gap;
    }
    total += std::sqrt(square);
  }
  return total;
}

/// Writes a lane's configuration, in the turn nearest to the bounds, reflected at them. Returns by
/// how much that moves its variables, together.
GENERATIVE_IK_INLINE double settle(const CompletionRequest& request, const double* variables,
                                   int lane, double* configuration) {
  double moved = 0.0;
  for (std::int64_t j = 0; j < request.num_variables; ++j) {
    const double lower = request.lower[j];
    const double upper = request.upper[j];
    const double centre = (lower + upper) / 2.0;
    double away = variables[j * kChunk + lane] - centre;
    if (request.periodic[j]) {
      away = withinHalfTurn(away);
    }
    configuration[j] = simd::clamp(centre + reflected(away, (upper - lower) / 2.0), lower, upper);
    moved += std::fabs(configuration[j] - centre - away);
  }
  return moved;
}

/// A seed that waits for a lane.
struct WaitingSeed {
  std::int64_t place, tries;
  double best;  // by how much its best try misses
};

/// Writes a lane's uniform numbers.
GENERATIVE_IK_INLINE void writeNumbers(const CompletionRequest& request, const WaitingSeed& seed,
                                       int lane, float* unit) {
  for (std::int64_t f = 0; f < request.width; ++f) {
    const double number =
        request.recurrence[f] + request.recurrence[request.width + f] *
                                    static_cast<double>(request.first + seed.place + 1);
    const float shifted = static_cast<float>(number - __builtin_floor(number)) +
                          request.shifts[seed.tries * request.width + f];
    unit[f * kChunk + lane] = shifted < 1.0F ? shifted : shifted - 1.0F;
  }
}

template <class Floats>
void completeArms(const Arm& arm, const CompletionRequest& request, std::int64_t goal,
                  std::int64_t begin, std::int64_t end, const CompletionMemory& memory) {
  const std::int64_t n = request.num_variables;
  const CompletionRows rows = CompletionRows::of(arm.network, n, memory);
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
      writeNumbers(request, seeds[lane < waiting ? lane : waiting - 1], lane, rows.unit);
    }
    drawChunk<Floats>(arm, wanted, base_is_known, rows);
    base_is_known = true;
    const int drawn = waiting;
    waiting = 0;
    for (int lane = 0; lane < drawn; ++lane) {
      WaitingSeed seed = seeds[lane];
      const double missed = missedBy(wanted, rows.state, lane) +
                            settle(request, rows.variables, lane, rows.configuration);
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
