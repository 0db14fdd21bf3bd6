/// A thread's part of a search: one seed, from a random restart to where its descent ends, in
/// single precision.
#pragma once

#include "../src/local_solver/pose_numbers.hpp"
#include "random.hpp"
#include "search_task.hpp"
#include "thread_layout.hpp"

namespace generative_ik::cuda {

/// Writes a random configuration within the limits; the same for the same target and seed.
template <class Layout, class Number>
GENERATIVE_IK_INLINE void writeRestart(const SearchTask& task, std::int64_t target,
                                       std::int64_t seed, Number* q) {
  const SearchProblem& problem = task.problem;
  const std::int64_t index = task.targets.first + target;
  Words words{};
  simd::forEach(Layout::variables(problem.single_chain), [&](auto v) {
    if (v % 4 == 0) {
      words = philox({static_cast<std::uint32_t>(v / 4), static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)},
                     task.targets.random_seed);
    }
    const auto low = static_cast<float>(problem.lower[v]);
    q[v] = low + unitOf(words.a) * (static_cast<float>(problem.upper[v]) - low);
    words = {words.b, words.c, words.d, words.a};
  });
}

/// Whether iterations end at a solution; they are given up where the error hardly falls.
template <class Number, class Layout>
GENERATIVE_IK_INLINE bool descendFrom(const DampedStep<Number, Layout>& step,
                                      const StepOptions<Number>& options,
                                      const SeedRowsOf<Number>& rows, const Number* lower,
                                      const Number* upper) {
  Number past = static_cast<Number>(kInfinity);
  std::int64_t check = options.stall_window;
  for (std::int64_t iteration = 0;; ++iteration) {
    step.measure();
    if (isWithin(options, *rows.position_error, *rows.orientation_error)) {
      return true;
    }
    const Number error = squaredError(options, *rows.position_error, *rows.orientation_error);
    if (iteration >= options.max_iterations || !(error < static_cast<Number>(kInfinity))) {
      return false;
    }
    if (iteration == check) {  // a remainder would take as long as a sine
      if (error > options.stall_ratio * past) {
        return false;
      }
      past = error;
      check += options.stall_window;
    }
    step.advance(options, lower, upper);
  }
}

/// The kernel: thread `slot * seeds + seed`.
template <int kJoints>
GENERATIVE_IK_DEVICE inline void descend(const SearchTask& task, std::int64_t thread) {
  using Layout = InThread<float, kJoints>;
  const SearchProblem& problem = task.problem;
  const SearchRound& round = task.round;
  const std::int64_t slot = thread / round.seeds;
  const std::int64_t target = round.slots[slot];
  ThreadMemory<float, kJoints> memory(problem.single_options.damping);
  const StepRows<float> rows = memory.rows();
  poseNumbers(task.targets.poses + 16 * target, rows.target);
  writeRestart<Layout>(task, target, round.first_seed + (thread - slot * round.seeds),
                       rows.seeds.q);
  const DampedStep<float, Layout> step(problem.single_chain, rows, 0);
  round.converged[thread] = descendFrom(step, problem.single_options, rows.seeds,
                                        problem.single_lower, problem.single_upper)
                                ? 1
                                : 0;
  // Numbers of one variable side by side, as neighbouring threads write them at once.
  const std::int64_t threads = static_cast<std::int64_t>(round.num_slots) * round.seeds;
  simd::forEach(Layout::variables(problem.single_chain),
                [&](auto v) { round.descended[threads * v + thread] = rows.seeds.q[v]; });
}

}  // namespace generative_ik::cuda
