/// The local solvers for a number type.
#pragma once

#include "damped_step.hpp"
#include "goals/goal_step.hpp"
#include "nearest_signs.hpp"
#include "nearest_step.hpp"

namespace generative_ik {

/// The iteration of all lanes, with as many at a time as a `Number` holds.
template <class Number>
LaneKernel laneKernelOf(const char* instruction_set) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  return {instruction_set,
          [](const LaneChain& chain, const LaneRows& rows) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              DampedStep<Number>(chain, rows, first).measure();
            }
          },
          [](const LaneChain& chain, const LaneOptions& options, const LaneRows& rows,
             const double* lower, const double* upper) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              DampedStep<Number>(chain, rows, first).advance(options, lower, upper);
            }
          },
          [](const LaneChain& chain, const LaneOptions& options, const LaneRows& rows,
             const NearestRows& nearest, const double* lower, const double* upper) {
            unsigned beyond = 0;
            for (int first = 0; first < kLanes; first += kAtOnce) {
              const NearestStep<Number> step(chain, rows, nearest, first);
              beyond |= step.advance(options, lower, upper) << static_cast<unsigned>(first);
            }
            return beyond;
          },
          [](const LaneOptions& options, const NearestRules& rules, const LaneRows& rows,
             const NearestRows& nearest) {
            NearestSigns all;
            for (int first = 0; first < kLanes; first += kAtOnce) {
              const auto shift = static_cast<unsigned>(first);
              const NearestSigns some = signsOf<Number>(options, rules, rows, nearest, first);
              all.exact |= some.exact << shift;
              all.sure |= some.sure << shift;
              all.close |= some.close << shift;
              all.known |= some.known << shift;
              all.soon |= some.soon << shift;
              all.far |= some.far << shift;
              all.due |= some.due << shift;
              all.late |= some.late << shift;
            }
            return all;
          },
          [](const GoalTree& tree, const LaneOptions& options, const GoalRows& rows) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              GoalErrors<Number>(tree, options, rows, first).measure();
            }
          },
          [](const GoalTree& tree, const LaneOptions& options, const GoalRows& rows,
             const double* lower, const double* upper) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              GoalStep<Number>(tree, options, lower, upper, rows, first).advance();
            }
          }};
}

}  // namespace generative_ik
