#include "curve_answer.hpp"

#include <algorithm>

namespace generative_ik::answers {
namespace {

// Targets that a thread takes at a time.
constexpr std::int64_t kCurvesPiece = 2;

}  // namespace

void CurveAnswerer::answer(const double* tip_pose, const Answer& out) {
  Note& note = out.note;
  const std::int64_t wanted = out.wanted;
  // The caller looks at turns where the coordinate is a region's, and asks for more.
  const std::int64_t looked_for = problem_.inRegion() ? wanted : std::max(wanted, kChoiceOnCurves);
  const OnCurves found =
      findOnCurves(problem_, tip_pose, looked_for, roomOnCurves(looked_for), memory_);
  note.branches = found.branches;
  note.distinct = found.count;
  note.setState(State::kLeft);
  // Where few are wanted and fewer found, each one counts; where full turns do, others list them.
  const bool doubtful = turns_ || (wanted < looked_for && found.count < kEachCounts);
  if (found.count == 0 || !found.settled || (found.count < wanted && doubtful)) {
    return;
  }
  note.count = choose(tip_pose, found.count, wanted, out.rows);
  if (note.count < std::min(wanted, found.count)) {
    // Some have met, or are none: all the others are made exact, too, to take their places.
    std::vector<double> positions(static_cast<std::size_t>(found.count * kCurveJoints));
    std::vector<PoseGap> gaps(static_cast<std::size_t>(found.count));
    const std::int64_t size =
        choose(tip_pose, found.count, found.count, {positions.data(), kCurveJoints, gaps.data()});
    note.count = std::min(wanted, size);
    std::copy_n(positions.data(), kCurveJoints * note.count, out.rows.positions);
    std::copy_n(gaps.data(), note.count, out.rows.gaps);
  }
  note.setState(note.count == 0 || (note.count < wanted && doubtful) ? State::kLeft
                                                                     : State::kDone);
  out.leaveRest();
}

std::int64_t CurveAnswerer::choose(const double* tip_pose, std::int64_t solutions,
                                   std::int64_t room, const SolutionRows& rows) {
  const std::int64_t count = std::min(room, solutions);
  rankOnCurves(problem_, solutions, count, memory_);
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t rank = memory_.ranks[static_cast<std::size_t>(k)];
    std::copy_n(memory_.rows.data() + rank * kCurveJoints, kCurveJoints,
                rows.positions + k * kCurveJoints);
  }
  return keepExactOnCurves(problem_, tip_pose, count, rows, memory_);
}

void answerAll(const CurveProblem& problem, const Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop) {
  const auto make = [&problem] { return CurveAnswerer(problem, curveMemory()); };
  answerInPieces(make, targets, count, {kCurvesPiece, true}, stop);
}

}  // namespace generative_ik::answers
