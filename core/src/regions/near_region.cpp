#include "near_region.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "../search/chain_problem.hpp"
#include "../verify/placer.hpp"

namespace generative_ik::regions {
namespace {

using answers::Answer;
using answers::NearQuestion;
using answers::Note;
using answers::State;
using answers::Targets;
using verify::PoseGap;

// Targets that a thread takes at a time.
constexpr std::int64_t kNearRegionPiece = 32;
// Travel of a joint behind the tip that counts as 1 rad, where steps begin [m].
constexpr double kSlideUnit = 0.1;
// Solutions from which steps towards a nearer one begin.
constexpr std::int64_t kKnown = 8;
// By such a share less far from the seed state, a solution is nearer than another.
constexpr double kNearer = 1e-6;

using Row = Eigen::Map<const Eigen::ArrayXd>;
using RowMajor = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

Packed checked(const std::vector<double>& floats, const std::vector<std::int64_t>& ints,
               std::int64_t size) {
  const Packed packed = {floats.data(), floats.size(), ints.data(), ints.size()};
  if (size == 0 || !search::ChainProblem::takes(packed, size)) {
    throw std::invalid_argument("problem: not that of a chain of so many joints");
  }
  return packed;
}

Tolerance toleranceOf(const Packed& packed) {
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(packed.ints[0], packed.ints[1])));
  const search::ChainProblem problem(packed, nullptr, memory.data());
  return {problem.positionTolerance(), problem.orientationTolerance()};
}

// Rows of a box with those of joints behind the tip, of which the bounds are looked at.
std::vector<double> boxWith(const JointsAtTip& joints, const std::vector<double>& box) {
  const std::size_t size = box.size() / search::Box::kRows;
  std::vector<double> rows;
  for (std::size_t row = 0; row < search::Box::kRows; ++row) {
    const auto begin = box.begin() + static_cast<std::ptrdiff_t>(row * size);
    rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    for (std::int64_t k = 0; k < joints.size(); ++k) {
      const double bound = row % 2 == 0 ? joints.lower(k) : joints.upper(k);
      rows.push_back(row < 4 ? bound : 0.0);
    }
  }
  return rows;
}

std::vector<double> unitsWith(const JointsAtTip& joints, std::vector<double> unit) {
  for (std::int64_t k = 0; k < joints.size(); ++k) {
    unit.push_back(joints.slides(k) ? kSlideUnit : 1.0);
  }
  return unit;
}

// Puts a solution before all that are not duplicates of it; the last goes if there is no room.
void putFirst(const double* q, const PoseGap& gap, double distinct, const Answer& found) {
  std::vector<double> positions(q, q + found.rows.size);
  std::vector<PoseGap> gaps(1, gap);
  for (std::int64_t k = 0; k < found.note.count && std::ssize(gaps) < found.wanted; ++k) {
    const double* row = found.rows.positions + found.rows.size * k;
    const Row other(row, found.rows.size);
    if ((other - Row(q, found.rows.size)).abs().maxCoeff() > distinct) {
      positions.insert(positions.end(), row, row + found.rows.size);
      gaps.push_back(found.rows.gaps[k]);
    }
  }
  std::copy(positions.begin(), positions.end(), found.rows.positions);
  std::copy(gaps.begin(), gaps.end(), found.rows.gaps);
  found.note.count = std::ssize(gaps);
  found.leaveRest();
}

}  // namespace

NearRegion::NearRegion(std::vector<double> floats, std::vector<std::int64_t> ints,
                       const std::vector<double>& box, const std::vector<double>& unit,
                       const TaskSpaceRegion& region)
    : floats_(std::move(floats)),
      ints_(std::move(ints)),
      size_(std::ssize(unit)),
      verifier_(search::ChainProblem::verifierOf(checked(floats_, ints_, size_))),
      tolerance_(toleranceOf(checked(floats_, ints_, size_))),
      joints_(region, tolerance_),
      check_(checkNumbers(
          region.freed(std::isinf(tolerance_.position), std::isinf(tolerance_.orientation)))) {
  if (std::ssize(box) != search::Box::kRows * size_) {
    throw std::invalid_argument("box: not that of so many joints");
  }
  JointsAtTip::Numbers longer =
      joints_.behind({floats_.data(), floats_.size(), ints_.data(), ints_.size()});
  longer_ = std::make_unique<const answers::NearProblem>(
      std::move(longer.floats), std::move(longer.ints), boxWith(joints_, box),
      unitsWith(joints_, unit));
}

bool NearRegion::contains(const double* seed) const {
  return longer_->contains(seed, size_);
}

void NearRegion::append(const double* q, const double* target, std::vector<double>& rows) const {
  RowMajor tip;
  verify::placeTips(verifier_, {q, 1, size_}, tip.data());
  const Eigen::Isometry3d tip_in_base(tip);
  const Eigen::Isometry3d target_in_base(RowMajor{Eigen::Map<const RowMajor>(target)});
  rows.insert(rows.end(), q, q + size_);
  rows.resize(rows.size() + static_cast<std::size_t>(joints_.size()));
  joints_.writeNearest(target_in_base.inverse() * tip_in_base,
                       rows.data() + rows.size() - joints_.size());
}

bool NearRegion::isInside(const double* q, const double* target, PoseGap& gap) const {
  RowMajor tip;
  verify::placeTips(verifier_, {q, 1, size_}, tip.data());
  const verify::GoalGap found = verify::measureTip(
      {check_.data()}, {tolerance_.position, tolerance_.orientation}, tip.data(), target);
  gap = found.gap;
  return found.inside && gap.distance <= tolerance_.position &&
         gap.angle <= tolerance_.orientation;
}

void NearRegion::answer(const NearQuestion& question, const Targets& targets, std::int64_t first,
                        std::int64_t last) const {
  const auto count = static_cast<std::size_t>(last - first);
  const std::int64_t all = longer_->size();
  std::vector<double> weights(static_cast<std::size_t>(all), 0.0);
  std::copy_n(question.weights, size_, weights.begin());
  std::vector<double> seeds;
  std::vector<double> known;
  for (std::int64_t t = first; t < last; ++t) {
    append(question.seeds + size_ * t, targets.tipPose(t), seeds);
    for (std::int64_t k = 0; k < question.num_known; ++k) {
      append(question.known + size_ * (question.num_known * t + k), targets.tipPose(t), known);
    }
  }
  std::vector<double> found(count * static_cast<std::size_t>(all));
  std::vector<Note> notes(targets.notes + first, targets.notes + last);
  std::vector<PoseGap> gaps(count);
  const Targets longer = {
      targets.tipPose(first), notes.data(), found.data(), gaps.data(), 1, all, targets.tips};
  longer_->answerSome({weights.data(), seeds.data(), known.data(), question.num_known}, longer,
                      last - first);
  for (std::int64_t t = first; t < last; ++t) {
    if (!targets.isUndone(t)) {
      continue;
    }
    const Answer out = targets.answer(t);
    const Note& note = notes[static_cast<std::size_t>(t - first)];
    const double* q = found.data() + all * (t - first);
    out.note = {};
    out.note.setState(State::kLeft);
    PoseGap gap{};
    if (note.count > 0 && isInside(q, targets.tipPose(t), gap)) {
      out.note = note;
      std::copy_n(q, size_, out.rows.positions);
      out.rows.gaps[0] = gap;
    }
    out.leaveRest();
  }
}

void NearRegion::answerAll(const NearQuestion& question, const Targets& targets,
                           std::int64_t count, const parallel::StopWhen& stop) const {
  parallel::forRanges(
      count, kNearRegionPiece,
      [&](std::int64_t first, std::int64_t last) { answer(question, targets, first, last); },
      stop);
}

void NearRegion::comeNearer(const NearerQuestion& question, const Targets& found,
                            std::int64_t count, const parallel::StopWhen& stop) const {
  const std::int64_t num_known = std::min(found.wanted, kKnown);
  const auto rows = static_cast<std::size_t>(count);
  std::vector<Note> notes(rows);
  std::vector<double> seeds;
  std::vector<double> known;
  for (std::int64_t t = 0; t < count; ++t) {
    const Answer of_target = found.answer(t);
    notes[static_cast<std::size_t>(t)].setState(of_target.note.count > 0 ? State::kUndone
                                                                         : State::kLeft);
    seeds.insert(seeds.end(), question.seed, question.seed + size_);
    const double* first = of_target.rows.positions;
    known.insert(known.end(), first, first + num_known * size_);
  }
  std::vector<double> nearer(rows * static_cast<std::size_t>(size_));
  std::vector<PoseGap> gaps(rows);
  answerAll({question.weights, seeds.data(), known.data(), num_known},
            {found.tip_poses, notes.data(), nearer.data(), gaps.data(), 1, size_, found.tips},
            count, stop);
  const auto distance = [&](const double* q) {
    return ((Row(q, size_) - Row(question.seed, size_)) * Row(question.weights, size_))
        .matrix()
        .norm();
  };
  const auto counts = std::make_unique<bool[]>(rows);  // NOLINT(*-avoid-c-arrays)
  for (std::int64_t t = 0; t < count; ++t) {
    const auto row = static_cast<std::size_t>(t);
    counts[row] =
        notes[row].count > 0 && distance(nearer.data() + size_ * t) <
                                    (1.0 - kNearer) * distance(found.answer(t).rows.positions);
  }
  if (question.keep &&
      std::any_of(counts.get(), counts.get() + rows, [](bool it) { return it; })) {
    question.keep(nearer.data(), counts.get());
  }
  for (std::int64_t t = 0; t < count; ++t) {
    const auto row = static_cast<std::size_t>(t);
    if (counts[row]) {
      putFirst(nearer.data() + size_ * t, gaps[row], question.distinct, found.answer(t));
    }
  }
}

}  // namespace generative_ik::regions
