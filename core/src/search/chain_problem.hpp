/// The problem of one tip: a chain, its tolerances and targets.
#pragma once

#include "../local_solver/chain_solver.hpp"
#include "../verify/rodrigues.hpp"
#include "local_problem.hpp"
#include "problem.hpp"

namespace generative_ik::search {

/// The local solver of one tip, and independent forward kinematics; a `LocalProblem`.
class ChainProblem : public ChainSolver {
 public:
  /// How it is packed: the chain; rotations, sine_part, versine_part, shifts, axes and tip for the
  /// verification; options, tolerances, reach and whether it is redundant.
  ///
  /// Args: packed: for which `takes` holds. poses: (T, 4, 4) targets [m]. memory: `countRows`
  /// rows.
  ChainProblem(const Packed& packed, const double* poses, LaneRow* memory);
  /// The same with other options.
  ChainProblem(const Packed& packed, const double* poses, LaneRow* memory,
               const LaneOptions& options);

  /// Whether packed arrays are consistent, and those of a chain of so many variables.
  static bool takes(const Packed& packed, std::int64_t num_variables);

  /// The options of a packed problem.
  static LaneOptions optionsOf(const Packed& packed);
  /// The independent forward kinematics of a packed problem.
  static verify::RodriguesChain verifierOf(const Packed& packed);

  static constexpr bool kTraces = false;
  static constexpr bool kDescends = true;
  [[nodiscard]] bool redundant() const { return redundant_; }
  [[nodiscard]] std::int64_t freedom() const { return chain().num_variables - 6; }
  [[nodiscard]] bool outOfReach(std::int64_t target) const;
  /// The angle, as it is reported, takes the place of its chord, which the local solver minimises
  /// and which hardly differs where the orientation is far off.
  [[nodiscard]] double closeness(double position, double chord, double error) const;
  [[nodiscard]] Verification verify(const double* q, std::int64_t target) const;
  /// Moves a solution (variables) along its set to where it is nearest to the seed state; says
  /// whether steps lead to one.
  [[nodiscard]] bool descend(const Box& box, std::int64_t target, double* q) const;

  [[nodiscard]] const verify::RodriguesChain& verifier() const { return verifier_; }
  [[nodiscard]] double positionTolerance() const { return position_tolerance_; }
  [[nodiscard]] double orientationTolerance() const { return orientation_tolerance_; }

 private:
  ChainProblem(const LaneChain& chain, const double* rest, const double* poses, LaneRow* memory,
               const LaneOptions& options);

  verify::RodriguesChain verifier_;
  double position_tolerance_;     // largest accepted distance [m]
  double orientation_tolerance_;  // largest accepted angle [rad]
  double reach_;                  // no tip is further than this from the first joint [m]
  bool redundant_;                // more joints than the tolerances constrain
};

static_assert(LocalProblem<ChainProblem>);

}  // namespace generative_ik::search
