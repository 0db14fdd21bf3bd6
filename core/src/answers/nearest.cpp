#include "nearest.hpp"

#include <algorithm>

#include "../simd/constants.hpp"
#include "../verify/verifier.hpp"
#include "nearest_starts.hpp"

namespace generative_ik::answers {
namespace {

// Targets that a thread takes at a time.
constexpr std::int64_t kNearestPiece = 32;
// The nearest of what steps from the seed state, and from configurations about it, come to is the
// nearest of all up to this distance, in the mean of the joints; and what those from the seed
// state alone come to up to this one [rad or m].
constexpr double kNear = 0.2;
constexpr double kSettled = 0.04;
// After so many calls for one target in a row that these settled, the next one most likely is as
// well: nothing else is begun with unless it is not.
constexpr int kInARow = 4;

// What steps take, whose solutions are measured when they are written.
search::DescentProblem stepsOf(const NearestQuestion& question) {
  const CurveProblem& problem = question.problem;
  search::DescentProblem steps =
      descentOf(problem.chain, problem.bounds, problem.exact, question.weights);
  steps.spares = true;
  return steps;
}

// Writes a solution if it is one.
void write(const NearestQuestion& question, const double* tip_pose, const double* seed,
           const double* nearest, const Answer& out) {
  const ChainNumbers& chain = question.problem.chain;
  double* q = out.rows.positions;
  std::copy_n(nearest, kCurveJoints, q);
  out.note = {};
  out.note.setState(State::kLeft);
  const PoseGap gap =
      search::measureNearest(stepsOf(question), chain.verifier(), tip_pose, seed, q);
  if (gap.distance <= chain.positionTolerance() && gap.angle <= chain.orientationTolerance()) {
    out.rows.gaps[0] = gap;
    out.note.count = out.note.distinct = 1;
    out.note.setState(State::kDone);
  }
  out.leaveRest();
}

// Whether a joint is at a limit, where there may be a nearer one along another.
bool isAtLimit(const CurveBounds& bounds, const double* q) {
  bool at_limit = false;
  for (int v = 0; v < kCurveJoints; ++v) {
    at_limit = at_limit || q[v] <= bounds.soft_lower[v] || bounds.soft_upper[v] <= q[v];
  }
  return at_limit;
}

// Takes steps from all starts, which are none then.
void takeSteps(const NearestQuestion& question, search::DescentMemory& descents) {
  if (descents.numStarts() > 0) {
    search::Descents(stepsOf(question), descents).run();
  }
  descents.clearStarts();
}

}  // namespace

NearestMemory& nearestMemory() {
  static thread_local NearestMemory memory;
  return memory;
}

void answerNearest(const NearestQuestion& question, const Targets& targets, const double* seeds,
                   std::int64_t first, std::int64_t last, NearestMemory& memory) {
  const CurveProblem& problem = question.problem;
  const CurveBounds& bounds = problem.bounds;
  search::DescentMemory& descents = memory.descents;
  double counted = 0.0;
  for (int v = 0; v < kCurveJoints; ++v) {
    counted += squared(question.weights[v]);
  }
  const auto start_of = [&](std::int64_t t) {
    return search::DescentStart{targets.tipPose(t), seeds + kCurveJoints * t, kInfinity, t - first,
                                true};
  };
  const auto each = [&](const auto& add) {
    for (std::int64_t t = first; t < last; ++t) {
      if (targets.isUndone(t) && !descents.isSettled(t - first)) {
        add(t);
      }
    }
  };
  const auto add_seed = [&](std::int64_t t, double bound) {
    search::DescentStart start = start_of(t);
    start.bound = bound;
    start.settles = squared(kSettled) * counted;
    descents.add(start, start.seed);
  };
  descents.begin(last - first, kCurveJoints);
  if (last - first > 1 || memory.settled == kInARow) {
    each([&](std::int64_t t) { add_seed(t, 0.0); });
    takeSteps(question, descents);
  }
  each([&](std::int64_t t) {
    descents.forget(t - first);
    add_seed(t, kInfinity);
    search::addAbout(start_of(t), problem.apart, bounds.soft_lower, bounds.soft_upper, descents);
  });
  takeSteps(question, descents);
  const bool settled = last - first == 1 && descents.isSettled(0);
  memory.settled = settled ? std::min(memory.settled + 1, kInARow) : 0;
  each([&](std::int64_t t) {
    const bool near = descents.distance(t - first) <= squared(kNear) * counted;
    if (!near || isAtLimit(bounds, descents.nearest(t - first))) {
      search::DescentStart start = start_of(t);
      start.brief = false;
      addStarts(question, start, memory);
    }
  });
  takeSteps(question, descents);
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      write(question, targets.tipPose(t), seeds + kCurveJoints * t, descents.nearest(t - first),
            targets.answer(t));
    }
  }
}

void answerAllNearest(const NearestQuestion& question, const Targets& targets, const double* seeds,
                      std::int64_t count, const parallel::StopWhen& stop) {
  parallel::forRanges(
      count, kNearestPiece,
      [&](std::int64_t first, std::int64_t last) {
        answerNearest(question, targets, seeds, first, last, nearestMemory());
      },
      stop);
}

}  // namespace generative_ik::answers
