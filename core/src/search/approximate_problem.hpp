/// The problem of one tip where one error of the pose is 0 and the other one as small as possible.
#pragma once

#include "../local_solver/least_error.hpp"
#include "chain_problem.hpp"

namespace generative_ik::search {

/// Damped least squares towards what is preferred; from there to the least other error. A
/// `LocalProblem` whose solutions are these minima, of which verification measures both errors.
class ApproximateProblem : public ChainProblem {
 public:
  static constexpr bool kDescends = false;

  /// How it is packed: as a `ChainProblem` that leaves the other error free; behind its floats the
  /// weight of that error, behind its whole numbers which one is preferred.
  ///
  /// Args: as of `ChainProblem`, with `isPacked`.
  ApproximateProblem(const Packed& packed, const double* poses, LaneRow* memory);

  /// Whether packed arrays, of which `ChainProblem::takes` holds, are those of such a problem.
  static bool isPacked(const Packed& packed);

  /// The other error of a configuration (variables) for a pose (4, 4), times its weight.
  static double otherError(const Packed& packed, const double* q, const double* pose);

  /// Options with the weights of both errors; those of a `ChainProblem` leave out the other one.
  [[nodiscard]] static LaneOptions weighted(LaneOptions options, const Packed& packed);

  /// Whether a lane has come to a minimum. A seed that is near the preferred goal goes on to one;
  /// one that comes to none has an infinite error.
  [[nodiscard]] bool converges(int lane, const double* lower, const double* upper) const;

 private:
  mutable LeastError least_error_;  // memory that a seed takes at a time
};

static_assert(LocalProblem<ApproximateProblem>);

}  // namespace generative_ik::search
