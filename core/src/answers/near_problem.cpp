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

bool NearProblem::contains(const double* seed, std::int64_t count) const {
  bool inside = true;
  for (std::int64_t v = 0; v < count; ++v) {
    inside = inside && std::isfinite(seed[v]) && box_.soft_lower[v] <= seed[v] &&
             seed[v] <= box_.soft_upper[v];
  }
  return inside;
}

double NearProblem::squaredDistance(const NearQuestion& question, const double* q,
                                    const double* seed) const {
  double distance = 0.0;
  for (std::int64_t v = 0; v < size(); ++v) {
    distance += squared(question.weights[v] * (q[v] - seed[v]));
  }
  return distance;
}

void NearProblem::answer(const NearQuestion& question, const Targets& targets, std::int64_t first,
                         std::int64_t last, search::DescentMemory& memory) const {
  memory.begin(last - first, size());
  double counted = 0.0;
  for (std::int64_t v = 0; v < size(); ++v) {
    counted += squared(question.weights[v]);
  }
  // Squared distance up to which what steps come to is an answer.
  const auto bound_of = [&](std::int64_t t) {
    const double* known = question.knownOf(t, size());
    const double near = squared(kNearest) * counted;
    return known == nullptr
               ? near
               : std::max(near, squaredDistance(question, known, question.seeds + size() * t));
  };
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      const search::DescentStart start = {targets.tipPose(t), question.seeds + size() * t,
                                          bound_of(t), t - first};
      memory.add(start, start.seed);
      search::addAbout(start, apart_, box_.soft_lower, box_.soft_upper, memory);
      const double* known = question.knownOf(t, size());
      for (std::int64_t k = 0; known != nullptr && k < question.num_known; ++k) {
        const double* row = known + size() * k;
        if (!std::isnan(*row)) {
          memory.add(start, row);
        }
      }
    }
  }
  const double exact = std::min({kLargestError, position_tolerance_, orientation_tolerance_});
  const search::DescentProblem steps = {.chain = unpackChain(floats_.data(), ints_.data()),
                                        .options = options_,
                                        .soft_lower = box_.soft_lower,
                                        .soft_upper = box_.soft_upper,
                                        .exact = exact,
                                        .weights = question.weights,
                                        .spares = true};
  search::Descents(steps, memory).run();
  for (std::int64_t t = first; t < last; ++t) {
    if (!targets.isUndone(t)) {
      continue;
    }
    const Answer out = targets.answer(t);
    out.note = {};
    out.note.setState(State::kLeft);
    if (memory.distance(t - first) <= bound_of(t)) {
      double* q = out.rows.positions;
      std::copy_n(memory.nearest(t - first), size(), q);
      const PoseGap gap = search::measureNearest(steps, verifier_, targets.tipPose(t),
                                                 question.seeds + size() * t, q);
      if (gap.distance <= position_tolerance_ && gap.angle <= orientation_tolerance_) {
        out.rows.gaps[0] = gap;
        out.note.count = out.note.distinct = 1;
        out.note.setState(State::kDone);
      }
    }
    out.leaveRest();
  }
}

void NearProblem::answerSome(const NearQuestion& question, const Targets& targets,
                             std::int64_t count) const {
  answer(question, targets, 0, count, descentMemory());
}

void NearProblem::answerAll(const NearQuestion& question, const Targets& targets,
                            std::int64_t count, const parallel::StopWhen& stop) const {
  parallel::forRanges(
      count, kNearPiece,
      [&](std::int64_t first, std::int64_t last) {
        answer(question, targets, first, last, descentMemory());
      },
      stop);
}

}  // namespace generative_ik::answers
