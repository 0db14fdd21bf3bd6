#include "curve_answer.hpp"

#include <algorithm>
#include <span>

namespace generative_ik::answers {
namespace {

// Targets that a thread takes at a time.
constexpr std::int64_t kCurvesPiece = 2;
// How many times as many solutions as are wanted are looked at first where some may collide, in
// halves, and then.
constexpr std::int64_t kHalvesFirst = 3;
constexpr std::int64_t kTimesThen = 4;

}  // namespace

void CurveAnswerer::answer(const double* tip_pose, const Answer& out) {
  if (check_) {
    answerFree(tip_pose, out);
    return;
  }
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
    note.count = std::min(wanted, makeExact(tip_pose, found.count));
    std::copy_n(positions_.data(), kCurveJoints * note.count, out.rows.positions);
    std::copy_n(gaps_.data(), note.count, out.rows.gaps);
  }
  note.setState(note.count == 0 || (note.count < wanted && doubtful) ? State::kLeft
                                                                     : State::kDone);
  out.leaveRest();
}

void CurveAnswerer::answerFree(const double* tip_pose, const Answer& out) {
  Note& note = out.note;
  note.setState(State::kLeft);
  const std::int64_t first = std::max(kHalvesFirst * out.wanted / 2, kChoiceOnCurves);
  for (const std::int64_t looked_for : {first, kTimesThen * first}) {
    const OnCurves found =
        findOnCurves(problem_, tip_pose, looked_for, roomOnCurves(looked_for), memory_);
    note.branches = found.branches;
    note.distinct = found.count;
    if (!found.settled) {
      return;
    }
    if (areEnoughFree(makeExact(tip_pose, found.count), out.wanted)) {
      for (std::size_t k = 0; note.count < out.wanted; ++k) {
        if (verdicts_[k] == Verdict::kFree) {
          std::copy_n(positions_.data() + kCurveJoints * k, kCurveJoints,
                      out.rows.positions + kCurveJoints * note.count);
          out.rows.gaps[note.count] = gaps_[k];
          ++note.count;
        }
      }
      note.setState(State::kDone);
      return;
    }
    const auto free = std::count(verdicts_.begin(), verdicts_.end(), Verdict::kFree);
    // Of so many more as there are, too few would be free.
    if (found.count < looked_for || kTimesThen * free < out.wanted) {
      return;
    }
  }
}

bool CurveAnswerer::areEnoughFree(std::int64_t count, std::int64_t wanted) {
  verdicts_.clear();
  std::int64_t free = 0;
  std::int64_t undecided = 0;
  for (std::int64_t k = 0; k < count && free < wanted; ++k) {
    verdicts_.push_back(check_(positions_.data() + kCurveJoints * k));
    free += verdicts_.back() == Verdict::kFree ? 1 : 0;
    undecided += verdicts_.back() == Verdict::kUndecided ? 1 : 0;
  }
  // That takes longest: the shapes themselves are asked if it may be of use.
  if (free < wanted && collides_ && free + undecided >= wanted) {
    for (std::size_t k = 0; k < verdicts_.size() && free < wanted; ++k) {
      const std::span<const double> q(positions_.data() + kCurveJoints * k, kCurveJoints);
      if (verdicts_[k] == Verdict::kUndecided && !collides_(q)) {
        verdicts_[k] = Verdict::kFree;
        ++free;
      }
    }
  }
  return free == wanted;
}

std::int64_t CurveAnswerer::makeExact(const double* tip_pose, std::int64_t solutions) {
  positions_.resize(static_cast<std::size_t>(solutions * kCurveJoints));
  gaps_.resize(static_cast<std::size_t>(solutions));
  return choose(tip_pose, solutions, solutions, {positions_.data(), kCurveJoints, gaps_.data()});
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

void answerAll(const CurveProblem& problem, const CollisionCheck& check, const Targets& targets,
               std::int64_t count, const parallel::StopWhen& stop) {
  const auto make = [&] { return CurveAnswerer(problem, curveMemory(), check); };
  answerInPieces(make, targets, count, {kCurvesPiece, true}, stop);
}

}  // namespace generative_ik::answers
