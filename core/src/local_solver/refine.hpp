/// Refinement of given seeds: Levenberg-Marquardt in eight lanes.
///
/// Each lane is at an iteration of its own: one whose seed has converged or stalled takes the next
/// seed at once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "local_solver.hpp"

namespace generative_ik {

/// Seeds, and where each of them ended; the arrays are the caller's.
struct Refinement {
  std::int64_t num_seeds;
  std::int64_t num_variables;
  /// Whether to follow a seed all the way to its local minimum: a step that makes the error worse
  /// is taken back and the damping raised (Marquardt's rule).
  bool thorough;
  const double* lower;                 ///< (variables) bounds; may be infinite.
  const double* upper;                 ///< (variables) likewise.
  const std::int64_t* target_of_seed;  ///< (seeds) index of each seed's target.
  /// (targets) once so many seeds of a target have converged, its other seeds are left out; null:
  /// none are.
  const std::int64_t* wanted;
  const double* seeds;        ///< (seeds, variables) inside the bounds; may be `positions`.
  double* positions;          ///< (seeds, variables) where each seed ended.
  double* position_error;     ///< (seeds) [m]
  double* orientation_error;  ///< (seeds) the chord 2 sin(angle / 2) [rad].
  bool* converged;            ///< (seeds) both errors within their tolerances.
  std::int64_t* iterations;   ///< (seeds) 0 marks a seed that was left out.

  [[nodiscard]] double* positionsOf(std::int64_t seed) const {
    return positions + seed * num_variables;
  }

  /// The same for the seeds from `first` to before `last`.
  [[nodiscard]] Refinement of(std::int64_t first, std::int64_t last) const {
    Refinement some = *this;
    some.num_seeds = last - first;
    some.target_of_seed += first;
    some.seeds += first * num_variables;
    some.positions += first * num_variables;
    some.position_error += first;
    some.orientation_error += first;
    some.converged += first;
    some.iterations += first;
    return some;
  }
};

/// How threads share seeds.
struct SeedShares {
  /// Seeds that a thread takes at a time, on which it depends which are left out.
  std::int64_t size = 0;
  parallel::StopWhen stop;
};

/// The seed in a lane.
struct RefinedSeed {
  std::int64_t seed = -1;  ///< -1 if the lane is free.
  std::int64_t iterations = 0;
  /// Squared error when progress was last checked; of a thorough seed, before its last step.
  double past_error = std::numeric_limits<double>::infinity();
  bool taken_back = false;  ///< Whether its last step was: it is measured a second time.
};

/// The parameters of a refinement: thorough seeds are iterated for longer.
inline LaneOptions optionsFor(const Refinement& task, LaneOptions options) {
  constexpr std::int64_t kMostIterations = 300;
  options.max_iterations = task.thorough ? kMostIterations : options.max_iterations;
  return options;
}

/// What becomes of a thorough seed after a step.
struct ThoroughStep {
  bool worse;    ///< The step is to be taken back.
  bool settled;  ///< No further one is worth a try.
};

/// Adapts a lane's damping to its last step by Marquardt's rule.
inline ThoroughStep adaptDamping(const LaneOptions& options, const SeedRows& rows, int lane,
                                 RefinedSeed& state, double error, bool done) {
  // Damping after a good and after a bad step, and when to stop.
  constexpr double kAfterGood = 0.2;
  constexpr double kAfterBad = 8.0;
  constexpr double kMost = 1e8;
  constexpr double kNoProgress = 1e-12;
  double& damping = rows.damping->lane[lane];
  if (state.taken_back) {
    state.taken_back = false;
    return {false, false};
  }
  if (!done && !(error < state.past_error)) {
    const bool settled = damping > kMost;
    state.taken_back = true;
    damping *= kAfterBad;
    rows.moving->lane[lane] = 0.0;
    return {true, settled};
  }
  const bool settled = state.past_error - error < kNoProgress * error;
  state.past_error = error;
  damping = std::max(damping * kAfterGood, options.damping);
  return {false, settled};
}

/// Moves each seed towards its target, and writes where it ended.
template <LocalSolver Solver>
class Refiner {
 public:
  Refiner(const Solver& solver, const Refinement& task) : solver_(solver), task_(task) {
    if (task.num_seeds > 0) {
      const auto [first, last] =
          std::minmax_element(task.target_of_seed, task.target_of_seed + task.num_seeds);
      first_target_ = *first;
      found_.resize(index(*last - *first + 1));
    }
  }

  void run() {
    solver_.clear();
    bool active = true;
    while (active) {
      solver_.measure();
      active = false;
      for (int lane = 0; lane < kLanes; ++lane) {
        solver_.rows().moving->lane[lane] = 1.0;
        const bool goes_on = lanes_.at(index(lane)).seed >= 0 && !ends(lane);
        active = goes_on || begins(lane) || active;
      }
      if (active) {
        solver_.advance(task_.lower, task_.upper);
      }
    }
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] bool hasEnough(std::int64_t seed) const {
    const std::int64_t target = task_.target_of_seed[seed];
    return task_.wanted != nullptr &&
           found_[index(target - first_target_)] >= task_.wanted[target];
  }

  // The angle that a lane's chord is of: the rotation vector's square has the gradient J^T e.
  [[nodiscard]] double stretched(int lane, double chord) const {
    constexpr double kSmall = 1e-12;
    const double angle = 2.0 * std::asin(std::min(1.0, 0.5 * chord));
    solver_.rows().stretch->lane[lane] = chord > kSmall ? angle / chord : 1.0;
    return angle;
  }

  // Checks the seed in a lane after an iteration; says whether it has ended.
  bool ends(int lane) {
    const LaneOptions& options = solver_.options();
    const SeedRows& rows = solver_.rows();
    RefinedSeed& state = lanes_.at(index(lane));
    const std::int64_t seed = state.seed;
    // It may go on to where it is to be, so errors are read afterwards.
    const bool done = solver_.converges(lane, task_.lower, task_.upper);
    const double position = rows.position_error->lane[lane];
    const double chord = rows.orientation_error->lane[lane];
    const double orientation = task_.thorough ? stretched(lane, chord) : chord;
    const double error = solver_.laneError(lane, position, orientation);
    ++state.iterations;
    bool given_up = state.iterations >= options.max_iterations ||
                    !(error < std::numeric_limits<double>::infinity()) || hasEnough(seed);
    bool worse = false;
    if (task_.thorough) {
      const ThoroughStep step = adaptDamping(options, rows, lane, state, error, done);
      worse = step.worse;
      given_up = given_up || step.settled;
    } else if (state.iterations % options.stall_window == 0) {
      given_up = given_up || error > options.stall_ratio * state.past_error;
      state.past_error = error;
    }
    double* q = task_.positionsOf(seed);
    if (worse) {
      for (std::int64_t v = 0; v < task_.num_variables; ++v) {
        rows.q[v].lane[lane] = q[v];
      }
    } else if (task_.thorough || done || given_up) {
      for (std::int64_t v = 0; v < task_.num_variables; ++v) {
        q[v] = rows.q[v].lane[lane];
      }
      task_.position_error[seed] = position;
      task_.orientation_error[seed] = chord;
    }
    if (!(done || given_up)) {
      return false;
    }
    task_.converged[seed] = done;
    task_.iterations[seed] = state.iterations;
    found_[index(task_.target_of_seed[seed] - first_target_)] += done ? 1 : 0;
    state.seed = -1;
    return true;
  }

  // Gives a free lane the next seed; says whether there was one.
  bool begins(int lane) {
    const SeedRows& rows = solver_.rows();
    // The errors at hand are the last seed's: the new one must not move by them.
    rows.moving->lane[lane] = 0.0;
    while (next_ < task_.num_seeds && hasEnough(next_)) {
      ++next_;
    }
    if (next_ == task_.num_seeds) {
      return false;
    }
    for (std::int64_t v = 0; v < task_.num_variables; ++v) {
      rows.q[v].lane[lane] = task_.seeds[next_ * task_.num_variables + v];
    }
    solver_.load(lane, task_.target_of_seed[next_]);
    rows.damping->lane[lane] = solver_.options().damping;
    lanes_.at(index(lane)) = {next_};
    ++next_;
    return true;
  }

  const Solver& solver_;
  const Refinement& task_;
  std::array<RefinedSeed, kLanes> lanes_{};
  // Seeds that have converged of each target from the first to the last that seeds have: of many
  // targets a call has a few.
  std::int64_t first_target_ = 0;
  std::vector<std::int64_t> found_;
  std::int64_t next_ = 0;
};

}  // namespace generative_ik
