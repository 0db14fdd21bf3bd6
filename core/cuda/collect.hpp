/// Threads' parts of a search: which solutions of a round are new, where they are put, and which
/// targets are still open.
///
/// All of it is the same whichever thread comes first: a thread reads what others wrote in kernels
/// before, and writes what is its own.
#pragma once

#include <cmath>

#include "../src/select/turn.hpp"
#include "search_task.hpp"

namespace generative_ik::cuda {

/// Whether no joint of two configurations is further apart than solutions that are the same.
GENERATIVE_IK_DEVICE inline bool areSame(const SearchProblem& problem, const double* a,
                                         const double* b) {
  for (std::int64_t v = 0; v < problem.chain.num_variables; ++v) {
    double apart = a[v] - b[v];
    if (problem.circular[v] != 0) {
      apart -= kTurn * simd::nearestInteger(apart / kTurn);
    }
    if (std::fabs(apart) >= problem.distance) {
      return false;
    }
  }
  return true;
}

/// Whether a configuration is the same as one of `count` others.
GENERATIVE_IK_DEVICE inline bool isKnown(const SearchProblem& problem, const double* others,
                                         std::int64_t count, const double* q) {
  for (std::int64_t k = 0; k < count; ++k) {
    if (areSame(problem, others + problem.chain.num_variables * k, q)) {
      return true;
    }
  }
  return false;
}

/// Finds what is new: thread `slot * seeds + seed`. A solution is new if no known one is the same,
/// and none that an earlier seed of the round has found.
GENERATIVE_IK_DEVICE inline void findNew(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  const std::int64_t n = task.problem.chain.num_variables;
  const std::int64_t first = thread / round.seeds * round.seeds;
  const std::int64_t target = round.slots[thread / round.seeds];
  round.kept[thread] = 0;
  if (round.verified[thread] == 0) {
    return;
  }
  const double* q = round.exact + n * thread;
  const double* known = task.targets.positions + n * task.targets.wanted * target;
  if (isKnown(task.problem, known, task.targets.counts[target], q)) {
    return;
  }
  for (std::int64_t k = first; k < thread; ++k) {
    if (round.verified[k] != 0 && areSame(task.problem, round.exact + n * k, q)) {
      return;
    }
  }
  round.kept[thread] = 1;
}

/// Puts what is new behind what is known, in the order of seeds, as far as there is room: thread
/// `slot * seeds + seed`.
GENERATIVE_IK_DEVICE inline void putNew(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  if (round.kept[thread] == 0) {
    return;
  }
  const std::int64_t first = thread / round.seeds * round.seeds;
  const std::int64_t target = round.slots[thread / round.seeds];
  std::int64_t place = task.targets.counts[target];
  for (std::int64_t k = first; k < thread; ++k) {
    place += round.kept[k];
  }
  if (place >= task.targets.wanted) {
    return;
  }
  const std::int64_t n = task.problem.chain.num_variables;
  const std::int64_t row = target * task.targets.wanted + place;
  for (std::int64_t v = 0; v < n; ++v) {
    task.targets.positions[n * row + v] = round.exact[n * thread + v];
  }
  task.targets.errors[2 * row] = round.gaps[2 * thread];
  task.targets.errors[2 * row + 1] = round.gaps[2 * thread + 1];
}

/// Counts the solutions of a slot's target: thread `slot`.
GENERATIVE_IK_DEVICE inline void count(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  std::int32_t& known = task.targets.counts[round.slots[thread]];
  std::int32_t all = known;
  for (std::int64_t k = 0; k < round.seeds; ++k) {
    all += round.kept[thread * round.seeds + k];
  }
  known = all < task.targets.wanted ? all : task.targets.wanted;
  round.open[thread] = known < task.targets.wanted ? 1 : 0;
}

/// Counts the open slots of a chunk: thread `chunk`.
GENERATIVE_IK_DEVICE inline void countOpen(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  std::int32_t open = 0;
  for (std::int64_t k = thread * kChunk; k < (thread + 1) * kChunk && k < round.num_slots; ++k) {
    open += round.open[k];
  }
  round.offsets[thread + 1] = open;
}

/// Adds the chunks' numbers up: one thread.
GENERATIVE_IK_DEVICE inline void addUp(const SearchTask& task, std::int64_t /*thread*/) {
  const SearchRound& round = task.round;
  const std::int64_t chunks = numChunks(round.num_slots);
  std::int32_t sum = 0;
  round.offsets[0] = 0;
  for (std::int64_t k = 1; k <= chunks; ++k) {
    sum += round.offsets[k];
    round.offsets[k] = sum;
  }
}

/// Lists the targets of a chunk's open slots: thread `chunk`.
GENERATIVE_IK_DEVICE inline void listOpen(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  std::int32_t place = round.offsets[thread];
  for (std::int64_t k = thread * kChunk; k < (thread + 1) * kChunk && k < round.num_slots; ++k) {
    if (round.open[k] != 0) {
      round.next_slots[place] = round.slots[k];
      ++place;
    }
  }
}

}  // namespace generative_ik::cuda
