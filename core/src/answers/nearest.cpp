#include "nearest.hpp"

#include <algorithm>

#include "../verify/verifier.hpp"
#include "nearest_starts.hpp"

namespace generative_ik::answers {
namespace {

// Targets that a thread takes at a time.
constexpr std::int64_t kNearestPiece = 32;

// Writes a solution if it is one.
void write(const ChainNumbers& chain, const double* tip_pose, const double* q, const Answer& out) {
  out.note = {};
  out.note.setState(State::kLeft);
  const PoseGap gap = verify::gapOf(chain.verifier(), q, tip_pose);
  if (gap.distance <= chain.positionTolerance() && gap.angle <= chain.orientationTolerance()) {
    std::copy_n(q, kCurveJoints, out.rows.positions);
    out.rows.gaps[0] = gap;
    out.note.count = out.note.distinct = 1;
    out.note.setState(State::kDone);
  }
  out.leaveRest();
}

}  // namespace

NearestMemory& nearestMemory() {
  static thread_local NearestMemory memory;
  return memory;
}

void answerNearest(const NearestQuestion& question, const Targets& targets, const double* seeds,
                   std::int64_t first, std::int64_t last, NearestMemory& memory) {
  const CurveProblem& problem = question.problem;
  search::DescentMemory& descents = memory.descents;
  descents.begin(last - first, kCurveJoints);
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      addStarts(question, {targets.tipPose(t), seeds + kCurveJoints * t, 0.0, t - first}, memory);
    }
  }
  search::Descents(descentOf(problem.chain, problem.bounds, problem.exact, question.weights),
                   descents)
      .run();
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      write(problem.chain, targets.tipPose(t), descents.nearest(t - first), targets.answer(t));
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
