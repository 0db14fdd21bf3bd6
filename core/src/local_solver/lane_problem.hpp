/// What an iteration of the local solver of one tip reads and writes.
///
/// Plain numbers without functions: both the code of a set of instructions and the rest include
/// it.
#pragma once

#include <cstdint>

#include "../simd/instruction_sets.hpp"
#include "options.hpp"

namespace generative_ik {

/// A chain of joints that turn about or slide along their z axes. Poses are seven numbers: x y z
/// [m], and a unit quaternion x y z w.
template <class Scalar>
struct StepChain {
  std::int64_t num_joints;
  std::int64_t num_variables;
  const Scalar* origins;          ///< (joints, 7) in the moved frame of the joint before.
  const std::int64_t* prismatic;  ///< (joints) 1 or 0.
  const std::int64_t* variable;   ///< (joints) that drives the joint.
  const Scalar* multiplier;       ///< (joints) joint position per variable.
  const Scalar* offset;           ///< (joints) joint position where the variable is 0.
  const Scalar* tip;              ///< (7) in the moved frame of the last joint.
  const Scalar* scale;            ///< (variables) comparable steps [rad or m].
};
using LaneChain = StepChain<double>;

/// Numbers of a pose.
constexpr int kPoseNumbers = 7;

template <class Row>
struct StepRows {
  SeedRowsOf<Row> seeds;
  Row* target;    ///< (7) pose of the tip in the base.
  Row* axes;      ///< (6 joints) axis and origin of each joint.
  Row* jacobian;  ///< (6 variables)
  Row* tip;       ///< (3) its position [m].
  Row* error;     ///< (6) position [m]; axis of rotation times chord [rad].
};
using LaneRows = StepRows<LaneRow>;

/// What steps towards the solution nearest to a reference have beside `LaneRows`. Joints count by
/// the chain's `scale`, a step of which has the length 1.
struct NearestRows {
  LaneRow* reference;    ///< (variables) [rad or m].
  LaneRow* way;          ///< (variables) to the reference, 0 where a limit holds.
  LaneRow* slide;        ///< (variables) the last step along the solution set, before its share.
  LaneRow* multipliers;  ///< (6) of the target in the last step.
  LaneRow* share;        ///< Of the last slide that was taken.
  LaneRow* slides;       ///< 1 where a step slides, 0 where it makes the errors vanish alone.
  LaneRow* left;         ///< Squared length of the slide that a step would have.
  LaneRow* distance;     ///< Squared distance from the reference, before the step.
  LaneRow* ahead;        ///< The same after a step without a slide, were errors linear.
  LaneRow* least;        ///< Likewise, after a step with all of the slide.
  LaneRow* steps;        ///< How many were taken.
  LaneRow* worst;        ///< The larger of both errors, as measured [m or rad].
  LaneRow* bound;        ///< Squared distance beyond which no solution is looked for.
  LaneRow* brief;        ///< 1 where the first steps decide whether more are taken, else 0.
  LaneRow* check_at;     ///< Number of steps after which the progress is checked next.
};

/// When steps towards the nearest solution end.
struct NearestRules {
  double exact;        ///< Errors of solutions are smaller [m and rad].
  double margin;       ///< A step is sure to make them so by this factor; infinite: none is.
  double almost;       ///< Errors below which the distance says what the solution's will be.
  double left_share;   ///< A configuration is the nearest on its curve where the last slide was so
  double error_share;  ///< small a share of its distance, and the error is so small a one,
  double tiny;         ///< or they were so small [rad].
  double known_share;  ///< Its distance is that of its solution where the error is this share.
  double far_error;    ///< A brief start is given up where the error is larger at the beginning,
  double near_error;   ///< or is larger than this one
  double first_steps;  ///< after so many steps [m and rad].
  double most_steps;   ///< Steps after which any is given up.
};

/// What is seen of lanes, a bit each.
struct NearestSigns {
  unsigned exact = 0;  ///< At a solution.
  unsigned sure = 0;   ///< Will be after another step.
  unsigned close = 0;  ///< The nearest on its curve, but for the errors,
  unsigned known = 0;  ///< and these are so small that its distance is known,
  unsigned soon = 0;   ///< or will be after another step.
  unsigned far = 0;    ///< Brief, and not near enough.
  unsigned due = 0;    ///< Its progress is to be checked.
  unsigned late = 0;   ///< Has taken all steps.
};

struct GoalTree;
struct GoalRows;

/// One iteration of all lanes, compiled for a set of instructions.
struct LaneKernel {
  /// "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
  const char* instruction_set;
  /// Computes tip and errors of q.
  void (*measure)(const LaneChain&, const LaneRows&);
  /// Moves q one step, after `measure`, inside bounds (variables) that may be infinite.
  void (*advance)(const LaneChain&, const LaneOptions&, const LaneRows&, const double* lower,
                  const double* upper);
  /// The same towards the solution that is nearest to a reference. Returns the lanes, a bit each,
  /// that come to one beyond the bound.
  unsigned (*advance_nearest)(const LaneChain&, const LaneOptions&, const LaneRows&,
                              const NearestRows&, const double* lower, const double* upper);
  /// Looks at lanes after `measure`, and counts their steps.
  NearestSigns (*look)(const LaneOptions&, const NearestRules&, const LaneRows&,
                       const NearestRows&);
  /// As `measure` and `advance`, towards several goals.
  void (*measure_goals)(const GoalTree&, const LaneOptions&, const GoalRows&);
  void (*advance_goals)(const GoalTree&, const LaneOptions&, const GoalRows&, const double* lower,
                        const double* upper);
};

/// Two numbers in a register: SSE2, which every x86-64 has, or NEON, which every AArch64 has.
LaneKernel laneKernel(simd::Baseline);
LaneKernel laneKernel(simd::Avx2);
LaneKernel laneKernel(simd::Avx512);

}  // namespace generative_ik
