/// How much a search does for a target: solutions to look for, seeds, null-space steps, and how
/// long it goes on without a solution.
///
/// Dimensions are those that the solutions within a region have: 1 where they form curves, 2 or
/// more where they form more, 0 of poses.
#pragma once

#include <cstdint>
#include <generative_ik/pose_error.hpp>
#include <optional>

#include "records.hpp"
#include "stopping_policy.hpp"

namespace generative_ik::search {

/// Solutions that are looked for at most, however many are wanted, or few accepted.
inline constexpr std::int64_t kMostWanted = std::int64_t{1} << 20;
/// Seeds that are driven to their local minima to come as close to a target as it goes, and of a
/// target that restarts came near.
constexpr std::int64_t kToMinima = 64;
constexpr std::int64_t kToMinimaNear = 16;
/// Seeds that cross the limits on their way, where those within them may be trapped.
constexpr std::int64_t kAcrossLimits = 64;

/// How long a target without a solution is searched for.
struct Persistence {
  /// Random restarts, times the closest error [rad], after which it is given up; 0: that says
  /// nothing.
  double error;
  std::int64_t most_restarts;  ///< After which it is in any case, if none came very close.

  friend bool operator==(const Persistence&, const Persistence&) = default;
};

/// Where the closest error says nothing: all restarts are made.
constexpr Persistence kAllRestarts = {0.0, kGiveUp};

/// What a search is for.
struct Aim {
  std::int64_t wanted = 1;         ///< Solutions of each target.
  std::int64_t num_targets = 1;    ///< Those that memory is for.
  std::int64_t num_variables = 1;  ///< Of a configuration.
  std::int64_t num_tips = 1;
  std::int64_t dimensions = 0;
  /// How many times as many parts solution sets have as those of one tip on one pose.
  std::int64_t breadth = 1;
  bool redundant = false;    ///< Whether solutions form continuous sets.
  bool around = false;       ///< Whether there is a seed state.
  bool unmeasured = false;   ///< Whether limits are narrower than a chain's, or it has goals.
  bool deficient = false;    ///< Whether seeds cross the limits on their way (docs/search.md).
  bool approximate = false;  ///< Whether minima of the error that is not preferred are wanted.
  bool scored = false;       ///< Whether a score says which solutions are the best.
  bool optimized = false;    ///< Whether these are where an optimization begins.
  bool checked = false;      ///< Whether solutions have to be free of collisions.
  bool alone = false;        ///< Whether it is a `SingleSearch`.
  /// Seeds that it takes to find one more distinct solution, if the sampler knows.
  std::optional<double> seeds_per_solution = {};
  std::int64_t first_seeds = 0;  ///< With which a search for one solution begins; 0: any number.
};

/// What a search is told to do for each target.
struct Budget {
  std::int64_t wanted;
  std::int64_t looked_for;      ///< Solutions after which it ends: some to choose from.
  std::int64_t enough;          ///< After which it ends where more are hard to find.
  std::int64_t first_batch;     ///< Restarts before null-space steps are considered.
  std::int64_t least_restarts;  ///< Before it ends; above 0 about a seed state.
  std::int64_t spare;           ///< Solutions that there is room for beside those looked for.
  std::int64_t most_colliding;  ///< Solutions that are kept although they collide.
  std::int64_t steps_each;      ///< Null-space steps that there is room for, for each solution.
  double step;                  ///< Mean length of one in a known direction [rad or m].
  bool traced;                  ///< Whether curves of solutions are traced, see trace.hpp.
  Persistence persistence;

  [[nodiscard]] std::int64_t capacity() const { return looked_for + spare; }
  [[nodiscard]] bool around() const { return least_restarts > 0; }
  /// A search that has this to do, for targets up to before the last.
  [[nodiscard]] Run run(std::int64_t last) const;
};

/// The budget of a search.
Budget budgetOf(const Aim& aim);

/// Squared error below which local minima may be solutions that restarts stopped short of; errors
/// within the tolerances always are. Args: weights: 0 of what is free.
double nearError(const Tolerance& tolerance, double position_weight, double orientation_weight);

}  // namespace generative_ik::search
