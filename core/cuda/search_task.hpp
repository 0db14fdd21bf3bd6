/// What the kernels of a search read and write: plain numbers and addresses of device memory.
#pragma once

#include <cstdint>

#include "../src/collision/world.hpp"
#include "../src/local_solver/lane_problem.hpp"
#include "../src/verify/rodrigues.hpp"

namespace generative_ik::cuda {

/// Most joints, and most variables, of a chain that threads take.
inline constexpr int kMostJoints = 16;

/// Most frames that move, a multiple of eight, and most bodies of a world among which threads
/// check.
inline constexpr int kMostFrames = 24;
inline constexpr int kMostBodies = 64;

/// A chain, and what makes a configuration a solution.
struct SearchProblem {
  StepChain<float> single_chain;
  StepChain<double> chain;
  verify::RodriguesChain read;  ///< The chain as it was read, by which results are verified.
  StepOptions<float> single_options;
  StepOptions<double> options;
  double position_tolerance;     ///< Of verified results [m].
  double orientation_tolerance;  ///< Likewise [rad].
  double distance;               ///< Solutions with no joint further apart are the same.
  const double* lower;           ///< (n) of solutions [rad or m].
  const double* upper;           ///< (n)
  const double* step_lower;      ///< (n) bounds of the local solver, which may be infinite.
  const double* step_upper;      ///< (n)
  const float* single_lower;     ///< (n) the same in single precision.
  const float* single_upper;     ///< (n)
  const double* reference;       ///< (n) from which full turns are counted.
  const std::int64_t* circular;  ///< (n) joints on which a full turn makes no difference.
  const double* family;          ///< What the chain's closed form takes; null: it has none.
  collision::WorldView world;    ///< Of which solutions are clear, if there is one.
  double sure;                   ///< What is this far from everything is free [m].
};

/// The targets of a piece of a call, and what was found for them.
struct SearchTargets {
  const double* poses;  ///< (T, 4, 4) tip in base [m].
  std::int64_t first;   ///< Index of the first among those of the call.
  std::uint64_t random_seed;
  std::int32_t wanted;   ///< W, solutions of each.
  double* positions;     ///< (T, W, n) solutions [rad or m].
  double* errors;        ///< (T, W, 2) their distances [m] and angles [rad].
  std::int32_t* counts;  ///< (T)
};

/// A round: so many seeds for each target that is open, each of which has a slot.
struct SearchRound {
  std::int32_t num_slots;
  std::int32_t seeds;         ///< S of each slot.
  std::int32_t first_seed;    ///< Index of the first among those of all rounds.
  const std::int32_t* slots;  ///< (slots) target of each.
  float* descended;           ///< (n, slots, S) where descents ended.
  double* exact;              ///< (slots, S, n) the same made exact.
  double* gaps;               ///< (slots, S, 2) distances [m] and angles [rad] of these.
  std::uint8_t* converged;    ///< (slots, S) whether the descent has come to the target.
  std::uint8_t* verified;     ///< (slots, S) whether it is a solution.
  std::uint8_t* kept;         ///< (slots, S) whether it is a new one.
  std::uint8_t* open;         ///< (slots) whether more are wanted after the round.
  std::int32_t* offsets;      ///< (chunks + 1) of open slots before each chunk, and of all.
  std::int32_t* next_slots;   ///< (slots) targets that are open after the round.
};

/// What every kernel of a search takes.
struct SearchTask {
  SearchProblem problem;
  SearchTargets targets;
  SearchRound round;
};

// Parameters of a kernel.
static_assert(sizeof(SearchTask) <= 4000);

/// Slots that a thread lists when those that are open are put together.
inline constexpr std::int32_t kChunk = 256;

GENERATIVE_IK_DEVICE inline std::int64_t numChunks(std::int64_t slots) {
  return (slots + kChunk - 1) / kChunk;
}

}  // namespace generative_ik::cuda
