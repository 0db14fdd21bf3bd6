#include "answer.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "../select/diverse_order.hpp"
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
  const Order order = putInOrder(tip_pose, count, out.rows);
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
  rows_.gap[0] = verify::gapOf(question_.problem.chain.verifier(), rows_.q[0], tip_pose);
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

double Answerer::squaredDistance(const double* q) const {
  double total = 0.0;
  for (int v = 0; v < kJoints; ++v) {
    const double gap = (q[v] - question_.problem.bounds.reference[v]) * question_.weights[v];
    total += gap * gap;
  }
  return total;
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
  const PoseGap gap = verify::gapOf(problem.chain.verifier(), nearest, tip_pose);
  if (count > 0 && descents_.distance(0) < squaredDistance(rows_.q[0]) &&
      gap.distance <= problem.accuracy.position_tolerance &&
      gap.angle <= problem.accuracy.orientation_tolerance) {
    std::copy_n(nearest, kJoints, rows_.q[0]);
    rows_.gap[0] = gap;
  }
}

Answerer::Order Answerer::putInOrder(const double* tip_pose, int count, const SolutionRows& out) {
  const BranchProblem& problem = question_.problem;
  const auto all = static_cast<std::int64_t>(problem.turned.size());
  TurningRows turning = {rows_.q[0],
                         count,
                         kJoints,
                         problem.bounds.reference,
                         problem.wide_lower,
                         problem.wide_upper,
                         problem.turned.data(),
                         all};
  if (count == 0) {
    return {0, 0.0, true};
  }
  const double total = all > 0 ? limitTurns(turning) : static_cast<double>(count);
  const std::int64_t written = question_.nearest
                                   ? putNearest(tip_pose, count, turning, out)
                                   : putDiverse(tip_pose, count, turning, total, out);
  return {written, total, turning.num_turned == all};
}

std::vector<double> Answerer::further(const TurningRows& turning, std::int64_t count) const {
  std::vector<double> more = otherTurns(turning, count);
  const JointBounds& bounds = question_.problem.bounds;
  for (std::size_t first = 0; first < more.size(); first += kJoints) {
    for (std::int64_t i = 0; i < turning.num_turned; ++i) {
      const std::int64_t v = turning.turned[i];
      double& q = more[first + static_cast<std::size_t>(v)];
      q = std::min(std::max(q, bounds.lower[v]), bounds.upper[v]);
    }
  }
  return more;
}

std::int64_t Answerer::putDiverse(const double* tip_pose, int count, const TurningRows& turning,
                                  double total, const SolutionRows& out) {
  const std::int64_t place = std::min<std::int64_t>(question_.wanted, count);
  std::array<std::int64_t, kMostRows> ranks{};
  if (count > 1) {
    const JointBounds& bounds = question_.problem.bounds;
    diverseOrder({rows_.q[0], count, kJoints, bounds.lower_limit, bounds.upper_limit,
                  bounds.periodic, bounds.unit},
                 place, kOrderWork, order_memory_, ranks.data());
  }
  for (std::int64_t k = 0; k < place; ++k) {
    const std::int64_t rank = ranks[static_cast<std::size_t>(k)];
    std::copy_n(rows_.q[rank], kJoints, out.positions + kJoints * k);
    out.gaps[k] = rows_.gap[rank];
  }
  if (place == question_.wanted || !(total > count)) {
    return place;
  }
  TurningRows written = turning;
  written.positions = out.positions;
  written.count = place;
  const std::vector<double> more = further(written, question_.wanted - place);
  double* behind = out.positions + kJoints * place;
  std::copy(more.begin(), more.end(), behind);
  return place +
         keepVerified(tip_pose, std::ssize(more) / kJoints, {behind, kJoints, out.gaps + place});
}

// Rows are at their nearest turn inside the bounds; one just outside may be moved onto them.
bool Answerer::anyTurnIsNearer(const TurningRows& turning) const {
  for (std::int64_t k = 0; k < turning.count; ++k) {
    for (std::int64_t i = 0; i < turning.num_turned; ++i) {
      const std::int64_t v = turning.turned[i];
      const double q = turning.positions[k * turning.size + v];
      const double away = turning.reference[v] - q;
      const double near = q + kTurn * simd::nearestInteger(away / kTurn);
      if (near != q && turning.lower[v] <= near && near <= turning.upper[v]) {
        return true;
      }
    }
  }
  return false;
}

std::int64_t Answerer::putNearest(const double* tip_pose, int count, const TurningRows& turning,
                                  const SolutionRows& out) {
  if (question_.wanted == 1 && !anyTurnIsNearer(turning)) {
    // The nearest row is the first.
    std::copy_n(rows_.q[0], kJoints, out.positions);
    out.gaps[0] = rows_.gap[0];
    return 1;
  }
  std::vector<double> rows(rows_.q[0], rows_.q[0] + kJoints * count);
  std::vector<PoseGap> row_gaps(rows_.gap, rows_.gap + count);
  if (turning.num_turned > 0) {
    const std::vector<double> more = further(turning, question_.wanted);
    const std::int64_t size = std::ssize(more) / kJoints;
    rows.insert(rows.end(), more.begin(), more.end());
    row_gaps.resize(static_cast<std::size_t>(count + size));
    const std::int64_t kept = keepVerified(
        tip_pose, size, {rows.data() + kJoints * count, kJoints, row_gaps.data() + count});
    row_gaps.resize(static_cast<std::size_t>(count + kept));
  }
  std::vector<double> distances(row_gaps.size());
  for (std::size_t k = 0; k < distances.size(); ++k) {
    distances[k] = squaredDistance(rows.data() + kJoints * k);
  }
  const std::vector<std::int64_t> order = leastOf(distances, question_.wanted);
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::copy_n(rows.data() + kJoints * order[k], kJoints, out.positions + kJoints * k);
    out.gaps[k] = row_gaps[static_cast<std::size_t>(order[k])];
  }
  return static_cast<std::int64_t>(order.size());
}

std::int64_t Answerer::keepVerified(const double* tip_pose, std::int64_t count,
                                    const SolutionRows& rows) {
  return answers::keepVerified(question_.problem.chain, {tip_pose}, count, false, rows,
                               row_memory_)
      .count;
}

}  // namespace generative_ik::answers
