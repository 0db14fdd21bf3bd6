#include "answer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "../verify/verifier.hpp"
#include "branches.hpp"

namespace generative_ik::answers {

namespace {

// Where a closed form may have missed branches, those that steps from a seed state come to are the
// nearest up to this distance [rad].
constexpr double kNearSeed = 0.5;

}  // namespace

void Answerer::answer(const double* tip_pose, const Answer& out) {
  Note& note = out.note;
  const BranchProblem& problem = question_.problem;
  const bool nearest = question_.nearest;
  const std::int64_t wanted = question_.wanted;
  const Accuracy& accuracy = problem.accuracy;
  const auto checks = static_cast<bool>(question_.check);
  const bool any_one = question_.anyOne();
  Found found = findBranches(problem, accuracy.slack, tip_pose, any_one && !checks, rows_);
  note.branches = found.branches;
  note.setState(State::kLeft);
  if (!found.measured) {
    keepInmost(tip_pose, found.count);
    found = {1, 0, Others::kFew, found.branches, true};
  }
  int count = found.count;
  bool proved = found.others == Others::kNone && accuracy.certain;
  const bool rough = largestError(rows_, count - found.beside) > accuracy.exact;
  const bool few = found.others == Others::kFew && accuracy.certain && !nearest;
  // Steps from the seed state and from these come to the nearest, which may be another.
  const bool near_one = nearest && wanted == 1 && !checks && accuracy.certain && count > 0;
  const bool known = proved || near_one || (count > 0 && (few || any_one));
  const bool missing = nearest || checks || rough || count < wanted;
  if (rough && near_one && found.beside < count) {
    count -= found.beside;
    found.beside = 0;
  }
  // Steps to make them exact would lead what lies beside branches to these.
  if ((missing && !known) || (rough && found.beside > 0)) {
    return;
  }
  const int there = count;
  if (rough) {
    makeExact(problem, tip_pose, count, rows_, row_memory_);
    count = static_cast<int>(keepVerified(tip_pose, count, {rows_.q[0], kJoints, rows_.gap}));
  }
  if (checks && count > 0) {
    const bool decided = keepFree(count);
    proved = proved && decided;
    if (!decided && !any_one) {
      count = 0;
    }
  }
  if (nearest) {
    sortByDistance(count);
    if (near_one && !proved) {
      comeNearer(tip_pose, count);
      if (count == 0 ||
          (found.others == Others::kOpen && squaredDistance(rows_.q[0]) > squared(kNearSeed))) {
        return;
      }
    }
  }
  count = dropDuplicates(problem, count, rows_);
  const bool none_left = there > 0 && count == 0 && (any_one || checks);
  if (none_left || (count < wanted && !known)) {
    // To be tried again, with whatever else the search can do.
    return;
  }
  const Order order = putInOrder(
      orderBounds(), {nearest, wanted}, {rows_.q[0], kJoints, rows_.gap}, count,
      [this, tip_pose](std::int64_t turns, const SolutionRows& rows) {
        return keepVerified(tip_pose, turns, rows);
      },
      order_memory_, out.rows);
  note.count = order.written;
  // A turn outside the limits that is none on them may be one if other joints move, too.
  const auto written = static_cast<double>(order.written);
  const bool fewer = written < std::min(order.total, static_cast<double>(wanted));
  note.setState(fewer ? State::kLeft : State::kDone);
  note.complete = proved && order.every && written == order.total ? 1 : 0;
  note.distinct = count;
  out.leaveRest();
}

void Answerer::keepInmost(const double* tip_pose, int count) {
  const JointBounds& bounds = question_.problem.bounds;
  int best = 0;
  double widest = -1.0;
  for (int k = 0; k < count; ++k) {
    double margin = std::numeric_limits<double>::infinity();
    for (int v = 0; v < kJoints; ++v) {
      const double q = rows_.q[k][v];
      const double inside = std::min(q - bounds.lower_limit[v], bounds.upper_limit[v] - q);
      margin = std::min(margin, inside / bounds.unit[v]);
    }
    if (margin > widest) {
      best = k;
      widest = margin;
    }
  }
  rows_.copy(best, 0);
  rows_.gap[0] = verify::measureOne(question_.problem.chain.verifier(), rows_.q[0], tip_pose);
}

bool Answerer::keepFree(int& count) {
  int kept = 0;
  bool decided = true;
  for (int k = 0; k < count; ++k) {
    if (question_.anyOne() && kept > 0) {
      // The first that is free will do.
      decided = false;
      break;
    }
    const Verdict verdict = search::verdictOf(&question_.check, rows_.q[k]);
    decided = decided && verdict != Verdict::kUndecided;
    if (verdict == Verdict::kFree) {
      rows_.copy(k, kept);
      ++kept;
    }
  }
  count = kept;
  return decided;
}

OrderBounds Answerer::orderBounds() const {
  static const std::vector<std::int64_t> none;
  const BranchProblem& problem = question_.problem;
  const JointBounds& bounds = problem.bounds;
  return {kJoints,
          bounds.lower,
          bounds.upper,
          problem.wide_lower,
          problem.wide_upper,
          bounds.reference,
          bounds.lower_limit,
          bounds.upper_limit,
          bounds.periodic,
          bounds.unit,
          question_.weights,
          question_.turns ? problem.turned : none};
}

double Answerer::squaredDistance(const double* q) const {
  return answers::squaredDistance(orderBounds(), q);
}

void Answerer::sortByDistance(int count) {
  std::array<double, kMostRows> distances{};
  for (int k = 0; k < count; ++k) {
    distances[static_cast<std::size_t>(k)] = squaredDistance(rows_.q[k]);
    for (auto i = static_cast<std::size_t>(k); i > 0 && distances[i] < distances[i - 1]; --i) {
      std::swap(rows_.q[i], rows_.q[i - 1]);
      std::swap(rows_.gap[i], rows_.gap[i - 1]);
      std::swap(distances[i], distances[i - 1]);
    }
  }
}

void Answerer::comeNearer(const double* tip_pose, int count) {
  const BranchProblem& problem = question_.problem;
  const double* reference = problem.bounds.reference;
  const search::DescentStart start = {tip_pose, reference, std::numeric_limits<double>::infinity(),
                                      0};
  descents_.begin(1, kJoints);
  descents_.add(start, reference);
  for (int k = 0; k < std::min(count, kLanes - 1); ++k) {
    descents_.add(start, rows_.q[k]);
  }
  search::Descents(
      descentOf(problem.chain, problem.bounds, problem.accuracy.exact, question_.weights),
      descents_)
      .run();
  const double* nearest = descents_.nearest(0);
  const PoseGap gap = verify::measureOne(problem.chain.verifier(), nearest, tip_pose);
  if (count > 0 && descents_.distance(0) < squaredDistance(rows_.q[0]) &&
      gap.distance <= problem.accuracy.position_tolerance &&
      gap.angle <= problem.accuracy.orientation_tolerance) {
    std::copy_n(nearest, kJoints, rows_.q[0]);
    rows_.gap[0] = gap;
  }
}

std::int64_t Answerer::keepVerified(const double* tip_pose, std::int64_t count,
                                    const SolutionRows& rows) {
  return answers::keepVerified(question_.problem.chain, {tip_pose}, count, false, rows,
                               row_memory_)
      .count;
}

}  // namespace generative_ik::answers
