#include "answer_limbs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../select/full_turns.hpp"

namespace generative_ik::limbs {
namespace {

using answers::Answer;
using answers::Note;
using answers::SolutionRows;
using answers::State;
using answers::Targets;

// Combinations for each solution that is wanted, where limbs have any number of solutions: the
// most diverse are chosen, and some may collide.
constexpr double kRich = 4.0;
constexpr double kRichAmongObstacles = 8.0;
// Of more solutions than these, as many as are wanted are enough.
constexpr std::int64_t kMany = 500;
// Solutions of a limb on curves, where a few are asked for, where some are, and at the most.
constexpr std::int64_t kFew = 4;
constexpr std::int64_t kLeast = 6;
constexpr std::int64_t kMost = 256;
// Combinations that are looked at, at the least and at the most, and for each solution that is
// wanted among obstacles.
constexpr std::int64_t kMostChecked = 256;
constexpr std::int64_t kMostCombined = 8192;
constexpr std::int64_t kCheckedForEach = 8;
// Where spheres do not decide on more combinations than they prove free, and these, who decides on
// them looks at all.
constexpr std::int64_t kMostUndecided = 4;
// Targets that a thread takes at a time, with one solution each that is not checked, and others.
constexpr std::int64_t kPiece = 32;
constexpr std::int64_t kPieceOfMany = 4;

answers::OrderBounds withoutTurns(const answers::OrderBounds& bounds) {
  static const std::vector<std::int64_t> none;
  const answers::OrderBounds& b = bounds;
  return {b.size,        b.lower,       b.upper,    b.wide_lower, b.wide_upper, b.reference,
          b.lower_limit, b.upper_limit, b.periodic, b.unit,       b.weights,    none};
}

}  // namespace

LimbsAnswerer::LimbsAnswerer(const LimbsQuestion& question)
    : question_(question),
      bounds_(question.problem.orderBounds(question.weights)),
      limbs_(question.problem.limbs.size()),
      used_(question.problem.limbs.size()),
      combination_(static_cast<std::size_t>(question.problem.size)),
      slots_(static_cast<std::size_t>(question.problem.tree().verifier.num_slots)) {}

void LimbsAnswerer::answer(const double* poses, const Answer& out) {
  Note& note = out.note;
  note.setState(State::kLeft);
  const auto checks = static_cast<bool>(question_.check);
  const bool one_nearest =
      question_.nearest && question_.wanted == 1 && !checks && !question_.begins;
  if (question_.nearest && !one_nearest && !question_.problem.hasBranches()) {
    return;
  }
  RowsWanted wanted = firstWanted();
  Checked checked = {true, true};
  do {
    const Limbs known = findAll(poses, wanted, note);
    if (known == Limbs::kUnreachable) {
      note.setState(State::kDone);
      note.complete = 1;
      out.leaveRest();
    }
    if (known != Limbs::kKnown) {
      return;
    }
    combine();
    if (question_.nearest) {
      sortByDistance();
    }
    if (checks) {
      checked = keepFree();
    }
  } while (count_ < question_.wanted && asksForMore(wanted));
  const bool every = whole_ && checked.every && checked.decided && !haveMore(wanted);
  const bool proved =
      every && std::ranges::all_of(limbs_, [](const LimbRows& rows) { return rows.complete(); });
  const bool enough = count_ >= question_.wanted || every || question_.begins;
  // The nearest may be among those of which it is not known whether they are free.
  if (count_ == 0 || !enough || (question_.nearest && !checked.decided)) {
    return;
  }
  putInOrder(poses, proved, out);
}

RowsWanted LimbsAnswerer::firstWanted() const {
  if (question_.wanted == 1 && !question_.check && !question_.begins) {
    return {question_.nearest ? Which::kNearest : Which::kAny, 1, question_.weights,
            question_.random_seed};
  }
  if (question_.anyOne() && !question_.begins) {
    return {Which::kFew, kFew, question_.weights, question_.random_seed};
  }
  return {question_.begins ? Which::kToBegin : Which::kAll, 0, question_.weights,
          question_.random_seed};
}

std::int64_t LimbsAnswerer::wantedOnCurves() const {
  const double rich = question_.wanted > kMany ? 1.0
                      : question_.check        ? kRichAmongObstacles
                                               : kRich;
  double combined = rich * static_cast<double>(question_.wanted);
  double on_curves = 0.0;
  for (std::size_t k = 0; k < limbs_.size(); ++k) {
    if (question_.problem.limbs[k].hasBranches()) {
      combined /= static_cast<double>(std::max<std::int64_t>(limbs_[k].count(), 1));
    } else {
      on_curves += 1.0;
    }
  }
  const double each = std::pow(std::max(combined, 1.0), 1.0 / on_curves);
  return std::max(kLeast, static_cast<std::int64_t>(std::ceil(std::min<double>(each, kMost))));
}

bool LimbsAnswerer::haveMore(const RowsWanted& wanted) const {
  bool more = false;
  for (std::size_t k = 0; k < limbs_.size(); ++k) {
    more =
        more || (!question_.problem.limbs[k].hasBranches() && limbs_[k].count() == wanted.count);
  }
  return more;
}

bool LimbsAnswerer::asksForMore(RowsWanted& wanted) const {
  const std::int64_t most = std::min(question_.wanted, kMost);
  const bool some = wanted.which == Which::kAll || wanted.which == Which::kToBegin;
  if (!some || wanted.count >= most || !haveMore(wanted)) {
    return false;
  }
  wanted.count = most;
  return true;
}

LimbsAnswerer::Limbs LimbsAnswerer::findAll(const double* poses, RowsWanted& wanted, Note& note) {
  Limbs known = Limbs::kKnown;
  note.branches = 0;
  // How many solutions on curves it takes is known when all branches are.
  for (const bool branches : {true, false}) {
    if (!branches && wanted.count == 0) {
      wanted.count = wantedOnCurves();
    }
    for (std::size_t k = 0; k < limbs_.size(); ++k) {
      const Limb& limb = question_.problem.limbs[k];
      if (limb.hasBranches() != branches) {
        continue;
      }
      LimbRows& rows = limbs_[k];
      findRows(limb, poses + answers::kOfPose * static_cast<std::int64_t>(k), wanted, rows);
      note.branches += rows.note.branches;
      if (rows.known() && rows.count() == 0 && rows.complete()) {
        return Limbs::kUnreachable;
      }
      if (rows.count() == 0 || !(rows.known() || question_.begins)) {
        known = Limbs::kOpen;
      }
    }
    if (known == Limbs::kOpen && branches) {
      // A limb that is out of reach may follow only if it has branches.
      return known;
    }
  }
  return known;
}

void LimbsAnswerer::combine() {
  const auto checks = static_cast<bool>(question_.check);
  const std::int64_t most =
      checks ? std::clamp(kCheckedForEach * question_.wanted, kMostChecked, kMostCombined)
             : kMostCombined;
  double total = 1.0;
  std::int64_t ranks = 0;
  for (std::size_t k = 0; k < limbs_.size(); ++k) {
    used_[k] = limbs_[k].count();
    total *= static_cast<double>(used_[k]);
  }
  whole_ = total <= static_cast<double>(most);
  while (total > static_cast<double>(most)) {
    std::int64_t& largest = *std::ranges::max_element(used_);
    total *= static_cast<double>(largest - 1) / static_cast<double>(largest);
    --largest;
  }
  for (const std::int64_t used : used_) {
    ranks += used - 1;
  }
  rows_.clear();
  for (std::int64_t sum = 0; sum <= ranks; ++sum) {
    append(0, sum);
  }
  count_ = std::ssize(rows_) / question_.problem.size;
}

void LimbsAnswerer::append(std::size_t limb, std::int64_t ranks) {
  if (limb == limbs_.size()) {
    rows_.insert(rows_.end(), combination_.begin(), combination_.end());
    return;
  }
  const bool last = limb + 1 == limbs_.size();
  const std::int64_t most = std::min(ranks, used_[limb] - 1);
  for (std::int64_t rank = last ? ranks : 0; rank <= most; ++rank) {
    question_.problem.limbs[limb].scatter(limbs_[limb].row(rank), combination_.data());
    append(limb + 1, ranks - rank);
  }
}

void LimbsAnswerer::sortByDistance() {
  const std::int64_t n = question_.problem.size;
  std::vector<double> distances(static_cast<std::size_t>(count_));
  for (std::int64_t k = 0; k < count_; ++k) {
    distances[static_cast<std::size_t>(k)] =
        answers::leastSquaredDistance(bounds_, rows_.data() + n * k);
  }
  std::vector<double> sorted;
  sorted.reserve(rows_.size());
  for (const std::int64_t k : leastOf(distances, count_)) {
    sorted.insert(sorted.end(), rows_.begin() + n * k, rows_.begin() + n * (k + 1));
  }
  rows_ = std::move(sorted);
}

LimbsAnswerer::Checked LimbsAnswerer::keepFree() {
  const std::int64_t n = question_.problem.size;
  // What follows these is further, or as good.
  const bool some = question_.nearest || question_.anyOne();
  const std::int64_t enough = some ? question_.wanted : count_;
  std::int64_t kept = 0;
  std::int64_t undecided = 0;
  std::int64_t k = 0;
  const auto may_do = [&] {
    return undecided == 0 || (!question_.nearest && undecided <= kept + kMostUndecided);
  };
  for (; k < count_ && kept < enough && may_do(); ++k) {
    const double* row = rows_.data() + n * k;
    const Verdict verdict = search::verdictOf(&question_.check, row);
    undecided += verdict == Verdict::kUndecided ? 1 : 0;
    if (verdict == Verdict::kFree) {
      if (kept < k) {
        std::copy_n(row, n, rows_.data() + n * kept);
      }
      ++kept;
    }
  }
  const bool every = k == count_;
  count_ = kept;
  return {every, undecided == 0};
}

void LimbsAnswerer::putInOrder(const double* poses, bool proved, const Answer& out) {
  gaps_.assign(static_cast<std::size_t>(count_), {});
  const std::int64_t wanted = question_.wanted;
  const answers::Order order = answers::putInOrder(
      question_.begins ? withoutTurns(bounds_) : bounds_, {question_.nearest, wanted},
      {rows_.data(), question_.problem.size, gaps_.data()}, count_,
      [this, poses](std::int64_t turns, const SolutionRows& rows) {
        return keepVerified(poses, turns, rows);
      },
      order_memory_, out.rows);
  Note& note = out.note;
  note.count = keepVerified(poses, order.written, out.rows);
  note.distinct = count_;
  const auto written = static_cast<double>(note.count);
  const bool fewer = written < std::min(order.total, static_cast<double>(wanted));
  note.setState(fewer ? State::kLeft : State::kDone);
  note.complete = proved && order.every && written == order.total ? 1 : 0;
  out.leaveRest();
}

std::int64_t LimbsAnswerer::keepVerified(const double* poses, std::int64_t count,
                                         const SolutionRows& rows) {
  const search::GoalNumbers& tree = question_.problem.tree();
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double* row = rows.positions + k * rows.size;
    const verify::GoalGap found = verify::measureGoals(tree.verifier, tree.checks, tree.tolerances,
                                                       row, poses, 0, slots_.data());
    if (found.inside && found.gap.distance <= tree.tolerances.position &&
        found.gap.angle <= tree.tolerances.orientation) {
      if (kept < k) {
        std::copy_n(row, rows.size, rows.positions + kept * rows.size);
      }
      rows.gaps[kept] = found.gap;
      ++kept;
    }
  }
  return kept;
}

void answerSome(const LimbsQuestion& question, const double* seeds, const Targets& targets,
                std::int64_t first, std::int64_t last) {
  if (seeds == nullptr) {
    LimbsAnswerer answerer(question);
    answers::answerSome(answerer, targets, first, last);
    return;
  }
  LimbsProblem about = question.problem;
  LimbsAnswerer answerer({about, question.weights, question.nearest, question.wanted,
                          question.check, question.begins, question.random_seed});
  for (std::int64_t t = first; t < last; ++t) {
    about.countFrom(seeds + about.size * t);
    answers::answerSome(answerer, targets, t, t + 1);
  }
}

void answerAll(const LimbsQuestion& question, const double* seeds, const Targets& targets,
               std::int64_t count, const parallel::StopWhen& stop) {
  const bool many = question.wanted > 1 || question.check;
  parallel::forRanges(
      count, many ? kPieceOfMany : kPiece,
      [&](std::int64_t first, std::int64_t last) {
        answerSome(question, seeds, targets, first, last);
      },
      stop);
}

}  // namespace generative_ik::limbs
