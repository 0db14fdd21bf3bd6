/// The records in which a search keeps its state: one for each target, lane and run.
///
/// Those of targets are numpy structured arrays in Python (generative_ik_ros/search/search.py),
/// which both read and write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace generative_ik::search {

/// Where a seed comes from; below 0, why a target gets none.
enum class SeedKind : std::int64_t {
  kRestart = 0,           ///< A random restart: drawn without regard to what was found.
  kNullSpace = 1,         ///< Beside a known solution, along the solution set.
  kTowardsSeedState = 2,  ///< Between the nearest solution and the seed state.
  kNoneLeft = -1,         ///< All that the sampler gave are used up.
  kNoneNeeded = -2,       ///< Those under way suffice.
};

/// How a call ended.
enum class RunStatus : std::int64_t {
  kOver = 0,        ///< All targets are closed.
  kOutOfSteps = 1,  ///< The next call goes on where this one stopped.
  kOutOfSeeds = 2,  ///< Some targets need more seeds from the sampler.
};

/// What is known of a target.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the documentation
struct Target {
  // Random restarts.
  std::int64_t restarts;            ///< Begun.
  std::int64_t restarts_left;       ///< In this batch, before null-space steps are considered.
  std::int64_t restarts_ended;      ///< Ended.
  std::int64_t restarts_converged;  ///< Those of them that converged.
  // How much of the solution set is still unknown: what share of the restarts that converged did
  // so to a new solution.
  std::int64_t sample;      ///< Restarts that converged since the last estimate.
  std::int64_t sample_new;  ///< Those of them that found a new solution.
  bool saturated;           ///< At the last estimate hardly any solution was new.
  // Likewise of the restarts whose solutions are traced, see trace.hpp.
  std::int64_t window;       ///< Restarts that converged since the last estimate.
  std::int64_t window_away;  ///< Those of them that ended away from what is known.
  bool traced_all;           ///< At the last estimate these were few.
  // Null-space steps, in rounds.
  bool null_space_pays;               ///< Another round is worth a try.
  std::int64_t null_space_seeds;      ///< Begun, in all rounds.
  std::int64_t null_space_converged;  ///< In all rounds.
  std::int64_t round_size;
  std::int64_t round_left;   ///< Seeds to begin.
  std::int64_t round_ended;  ///< Seeds that have ended.
  std::int64_t round_new;    ///< New solutions.
  std::int64_t queue_end;    ///< Steps put into the target's queue.
  std::int64_t queue_begin;  ///< Steps taken out of it.
  // Refinement towards the seed state, once nothing else is left to do.
  bool near;  ///< A solution near the seed state was found.
  bool towards_seed;
  std::int64_t towards_seed_begun;
  std::int64_t towards_seed_ended;
  std::int64_t nearest;  ///< Index of the solution that is refined.
  bool moved;            ///< A nearer one was found.
  std::int64_t usable;   ///< Solutions that are not known to collide.
  std::int64_t free;     ///< Solutions that are known not to collide.
  bool doubled;          ///< Of some that are the same, collisions will tell which is kept.
  // All seeds.
  std::int64_t iterations;  ///< Of all seeds that have ended.
  std::int64_t seed_row;    ///< Which of the given seeds are the target's.
  bool needs_seeds;         ///< The given ones are used up.
  bool closed;              ///< The search for the target is over.
  bool complete;            ///< A closed form has said that no solution is missing.
  /// Of the configuration kept as closest: its weighted squared error while there is no solution,
  /// its squared distance from the seed state during the refinement towards it.
  double closest_error;
};

/// What is under way in a vector lane.
struct Lane {
  std::int64_t target;  ///< Of the seed under way; -1 if the lane is free.
  std::int64_t pose;    ///< That the seed is for: the target's, or one of its alternatives.
  SeedKind kind;
  std::int64_t base;  ///< What `nextStep` returned.
  std::int64_t iterations;
  double past_error;    ///< Squared error when progress was last checked.
  std::int64_t loaded;  ///< Pose that is in the lane's rows, or -1.
  std::int64_t bound;   ///< Target that the lane works for, or -1.
  std::int64_t pushes;  ///< Steps out of collisions that the seed has taken.
};

/// The search for some targets, in one call or several.
struct Run {
  bool begun;
  std::int64_t first;          ///< Target of the run.
  std::int64_t last;           ///< One beyond its last target.
  std::int64_t next_target;    ///< The first one that no lane has worked for yet.
  std::int64_t num_solutions;  ///< See StoppingCriteria.
  std::int64_t wanted;
  std::int64_t min_restarts;
  std::int64_t seeds_before;  ///< See Seeds.
  bool endless;
  std::int64_t alternatives;  ///< Poses of which the one target is any; 0: one for each target.
  double step;  ///< Mean length of a null-space step in a known direction [rad or m].
  std::int64_t most_colliding;  ///< Solutions of a target that are kept although they collide.
  double persistence;
  std::int64_t most_restarts;
  bool traced;  ///< See StoppingCriteria.
  bool checks;  ///< Seeds are not iterated: those that are solutions are kept.
};

static_assert(sizeof(Target) == 240 && offsetof(Target, closest_error) == 232);
static_assert(sizeof(Lane) == 72 && offsetof(Lane, pushes) == 64);

}  // namespace generative_ik::search
