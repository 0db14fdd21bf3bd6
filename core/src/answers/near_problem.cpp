#include "near_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "../verify/verifier.hpp"

namespace generative_ik::answers {
namespace {

// Solutions no further from the seed state, in the mean of the joints, are the nearest [rad or m].
constexpr double kNearest = 0.2;
// Errors of solutions [m and rad].
constexpr double kLargestError = 1e-8;
// Targets that a thread takes at a time.
constexpr std::int64_t kNearPiece = 32;

search::DescentMemory& descentMemory() {
  static thread_local search::DescentMemory memory;
  return memory;
}

}  // namespace

NearProblem::NearProblem(std::vector<double> floats, std::vector<std::int64_t> ints,
                         std::vector<double> box, std::vector<double> unit)
    : floats_(std::move(floats)),
      ints_(std::move(ints)),
      rows_(std::move(box)),
      unit_(std::move(unit)) {
  const Packed packed = {floats_.data(), floats_.size(), ints_.data(), ints_.size()};
  if (size() == 0 || std::ssize(rows_) != search::Box::kRows * size() ||
      !search::ChainProblem::takes(packed, size())) {
    throw std::invalid_argument("problem: not that of a chain of so many joints");
  }
  box_ = search::Box::of(rows_.data(), size());
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(ints_[0], size())));
  const search::ChainProblem unpacked(packed, nullptr, memory.data());
  options_ = unpacked.options();
  verifier_ = unpacked.verifier();
  position_tolerance_ = unpacked.positionTolerance();
  orientation_tolerance_ = unpacked.orientationTolerance();
  apart_ = search::apartFromSeed(unit_.data(), size());
}

bool NearProblem::contains(const double* seed) const {
  bool inside = true;
  for (std::int64_t v = 0; v < size(); ++v) {
    inside = inside && std::isfinite(seed[v]) && box_.soft_lower[v] <= seed[v] &&
             seed[v] <= box_.soft_upper[v];
  }
  return inside;
}

void NearProblem::answer(const double* weights, const Targets& targets, const double* seeds,
                         std::int64_t first, std::int64_t last,
                         search::DescentMemory& memory) const {
  memory.begin(last - first, size());
  double counted = 0.0;
  for (std::int64_t v = 0; v < size(); ++v) {
    counted += squared(weights[v]);
  }
  const double near = squared(kNearest) * counted;
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      const search::DescentStart start = {targets.tipPose(t), seeds + size() * t, near, t - first};
      memory.add(start, start.seed);
      search::addAbout(start, apart_, box_.soft_lower, box_.soft_upper, memory);
    }
  }
  const double exact = std::min({kLargestError, position_tolerance_, orientation_tolerance_});
  search::Descents({unpackChain(floats_.data(), ints_.data()), options_, box_.soft_lower,
                    box_.soft_upper, exact, weights},
                   memory)
      .run();
  for (std::int64_t t = first; t < last; ++t) {
    if (!targets.isUndone(t)) {
      continue;
    }
    const Answer out = targets.answer(t);
    out.note = {};
    out.note.setState(State::kLeft);
    if (memory.distance(t - first) <= near) {
      const double* q = memory.nearest(t - first);
      const PoseGap gap = verify::measureOne(verifier_, q, targets.tipPose(t));
      if (gap.distance <= position_tolerance_ && gap.angle <= orientation_tolerance_) {
        std::copy_n(q, size(), out.rows.positions);
        out.rows.gaps[0] = gap;
        out.note.count = out.note.distinct = 1;
        out.note.setState(State::kDone);
      }
    }
    out.leaveRest();
  }
}

void NearProblem::answerAll(const double* weights, const Targets& targets, const double* seeds,
                            std::int64_t count, const parallel::StopWhen& stop) const {
  parallel::forRanges(
      count, kNearPiece,
      [&](std::int64_t first, std::int64_t last) {
        answer(weights, targets, seeds, first, last, descentMemory());
      },
      stop);
}

}  // namespace generative_ik::answers
