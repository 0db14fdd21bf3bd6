/// What is asked of a chain's closed form in all calls: the form, the chain, where solutions lie.
#pragma once

#include <cmath>
#include <cstdint>
#include <generative_ik/closed_form.hpp>
#include <vector>

#include "../closed_form/branches.hpp"
#include "../closed_form/newton.hpp"
#include "../search/descents.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "chain_numbers.hpp"

namespace generative_ik::answers {

using closed_form::kJoints;

/// Most solutions beside branches; where there are more of them, a search has to choose.
inline constexpr int kMostBeside = 24;
/// Rows that there is memory for: branches of a pose, and solutions beside them.
inline constexpr int kMostRows = closed_form::kMostBranches + kMostBeside;

/// Joints, and where they may be. Plain numbers: the code of all sets of instructions reads them.
template <int kSize>
struct BoundsOf {
  // NOLINTBEGIN(*-avoid-c-arrays)
  double lower[kSize];        ///< Bounds of solutions, finite [rad or m].
  double upper[kSize];        ///< Likewise.
  double soft_lower[kSize];   ///< Bounds of the local solver: infinite for continuous joints.
  double soft_upper[kSize];   ///< Likewise.
  double reference[kSize];    ///< From which turns are counted: the seed state, if there is one.
  bool circular[kSize];       ///< Whether there is room for a full turn.
  double lower_limit[kSize];  ///< Of the joint; infinite if it is continuous.
  double upper_limit[kSize];  ///< Likewise.
  bool periodic[kSize];       ///< Whether a full turn of the joint changes nothing.
  double unit[kSize];         ///< Travel of a prismatic joint that counts as much as 1 rad [m].
  // NOLINTEND(*-avoid-c-arrays)

  /// Counts turns from a seed state, about which joints without limits have half a turn to both
  /// sides; of the first joints only, if there is room for more than there are.
  void countFrom(const double* seed, int joints = kSize) {
    for (int v = 0; v < joints; ++v) {
      reference[v] = seed[v];
      if (isEndless(v)) {
        lower[v] = seed[v] - kTurn / 2.0;
        upper[v] = seed[v] + kTurn / 2.0;
      }
    }
  }
  /// Whether a configuration has so many finite numbers, which are inside the limits.
  [[nodiscard]] bool contains(const double* q, std::int64_t size,
                              std::int64_t joints = kSize) const {
    bool inside = size == joints;
    for (int v = 0; inside && v < joints; ++v) {
      inside = std::isfinite(q[v]) && (isEndless(v) || (lower[v] <= q[v] && q[v] <= upper[v]));
    }
    return inside;
  }
  /// Whether a joint has no limits.
  [[nodiscard]] bool isEndless(int v) const { return std::isinf(soft_lower[v]); }
};

using JointBounds = BoundsOf<kJoints>;

/// The same with room for other joints behind them.
template <int kMore, int kSize>
BoundsOf<kMore> widened(const BoundsOf<kSize>& bounds) {
  BoundsOf<kMore> more{};
  for (int v = 0; v < kSize; ++v) {
    more.lower[v] = bounds.lower[v];
    more.upper[v] = bounds.upper[v];
    more.soft_lower[v] = bounds.soft_lower[v];
    more.soft_upper[v] = bounds.soft_upper[v];
    more.reference[v] = bounds.reference[v];
    more.circular[v] = bounds.circular[v];
    more.lower_limit[v] = bounds.lower_limit[v];
    more.upper_limit[v] = bounds.upper_limit[v];
    more.periodic[v] = bounds.periodic[v];
    more.unit[v] = bounds.unit[v];
  }
  return more;
}

/// What steps towards the nearest solution take of a chain.
template <int kSize>
search::DescentProblem descentOf(const ChainNumbers& chain, const BoundsOf<kSize>& bounds,
                                 double exact, const double* weights) {
  return {chain.lanes(), chain.options(), bounds.soft_lower, bounds.soft_upper, exact, weights};
}

/// Whether a family is that of all arms that have no better one: branches take long.
inline bool isGeneral(const ClosedForm& form) {
  return form.name == closed_form::kGeneralArm;
}

/// Whether there is a formula for the branches of a family, which takes few microseconds.
inline bool isSpecial(const ClosedForm& form) {
  return form.max_branches <= closed_form::kBranches;
}

/// What solutions have to be.
struct Accuracy {
  double position_tolerance;     ///< [m]
  double orientation_tolerance;  ///< [rad]
  double exact;                  ///< Error above which a branch is made exact [m and rad].
  double distance;  ///< Solutions with no joint further apart are the same [rad or m].
  double slack;  ///< Turns outside the limits by no more than this may be solutions on them [rad].
  /// Whether a pose has no solutions within the tolerances but the branches, unless a call finds
  /// that it may.
  bool certain;

  /// What the tolerances of a chain ask for. Args: same_below: see `distance`.
  static Accuracy of(const ChainNumbers& chain, double same_below);
};

/// A chain of six joints that has a closed form.
struct BranchProblem {
  ClosedForm form;
  std::vector<double> parameters;
  Accuracy accuracy{};
  JointBounds bounds;
  /// Limits further apart by the slack, and the joints that have room for several turns in them.
  double wide_lower[kJoints]{};  // NOLINT(*-avoid-c-arrays)
  double wide_upper[kJoints]{};  // NOLINT(*-avoid-c-arrays)
  std::vector<std::int64_t> turned;
  ChainNumbers chain;

  /// Args: same_below: see `Accuracy::distance`. Throws std::invalid_argument if
  /// numbers are not what the form or a chain takes.
  BranchProblem(const ClosedForm& form_used, std::vector<double> form_parameters,
                std::vector<double> chain_floats, std::vector<std::int64_t> chain_ints,
                const JointBounds& where, double same_below);

  /// Has solutions be within other bounds.
  void placeIn(const JointBounds& where);
  /// Counts turns from a seed state (6), see `BoundsOf::countFrom`.
  void countFrom(const double* seed);

  /// Rows that branches of a pose and solutions beside them take.
  [[nodiscard]] int mostRows() const { return form.max_branches + kMostBeside; }

 private:
  // Writes the wide limits.
  void widen();
};

/// The branches of a pose, and solutions beside them.
struct BranchRows {
  // NOLINTBEGIN(*-avoid-c-arrays)
  double q[kMostRows][kJoints];  ///< [rad or m]
  PoseGap gap[kMostRows];        ///< Their errors.
  double outside[kMostRows];     ///< By how much they were outside the bounds [rad or m].
  /// The error, in tolerances, that a joint makes which moves by the distance at which solutions
  /// are told apart, whatever the others do; or less.
  double least[kMostRows];
  int loosest[kMostRows];  ///< Which joint that is, where the error is small.
  // NOLINTEND(*-avoid-c-arrays)

  /// Copies row k, with all that is known of it.
  void copy(int k, int to) {
    if (k != to) {
      for (int v = 0; v < kJoints; ++v) {
        q[to][v] = q[k][v];
      }
      gap[to] = gap[k];
      outside[to] = outside[k];
      least[to] = least[k];
      loosest[to] = loosest[k];
    }
  }
};

}  // namespace generative_ik::answers
