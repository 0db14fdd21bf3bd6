#include "trial_lanes.hpp"

#include <algorithm>
#include <cmath>

#include "../model/null_basis.hpp"
#include "../select/full_turns.hpp"
#include "../select/manipulability.hpp"
#include "../simd/row_vectors.hpp"

namespace generative_ik::optimize {
namespace {

// What is left of a direction of this length or less, once it is turned into the null space, is
// none.
constexpr double kLeast = 0.01;

// One number of the normal of the reflection that turns a basis so often.
double normalOf(std::int64_t rotations, std::int64_t b) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr double kPlastic = 0.7548776662466927;
  constexpr double kSquaredPlastic = 0.5698402909980532;
  const auto turn = static_cast<double>(rotations);
  const auto place = static_cast<double>(b + 1);
  const double unit = turn * kGolden + place * kPlastic + turn * place * kSquaredPlastic;
  return 2.0 * (unit - std::floor(unit)) - 1.0 + 1e-3;
}

// Writes direction a of a basis (count, size) that is turned `rotations` times: its image under a
// reflection, whose normal changes with every turn.
void writePolled(const std::vector<double>& basis, std::int64_t a, std::int64_t rotations,
                 std::int64_t size, double* heading) {
  std::copy_n(basis.data() + a * size, size, heading);
  const std::int64_t count = static_cast<std::int64_t>(basis.size()) / size;
  if (count == 1 || rotations == 0) {
    return;
  }
  double squared = 0.0;
  for (std::int64_t b = 0; b < count; ++b) {
    squared += normalOf(rotations, b) * normalOf(rotations, b);
  }
  for (std::int64_t b = 0; b < count; ++b) {
    const double share = 2.0 * normalOf(rotations, a) * normalOf(rotations, b) / squared;
    for (std::int64_t v = 0; v < size; ++v) {
      heading[v] -= share * basis[static_cast<std::size_t>(b * size + v)];
    }
  }
}

}  // namespace

template <class Space>
TrialLanes<Space>::TrialLanes(const NullSpaceOptimizer& optimizer, const Space& space)
    : setting_(optimizer.setting_),
      space_(space),
      size_(setting_.box.size),
      jacobian_(static_cast<std::size_t>(space.rows() * size_)),
      volume_(jacobian_.size()),
      basis_(static_cast<std::size_t>(setting_.dimension * size_)) {
  space.problem().clear();
}

template <class Space>
double TrialLanes<Space>::manipulabilityIn(int lane) {
  space_.writeVelocities(lane, jacobian_.data());
  if (size_ >= space_.rows()) {
    return volumeOf(jacobian_.data(), space_.rows(), size_);
  }
  for (std::int64_t r = 0; r < space_.rows(); ++r) {
    for (std::int64_t v = 0; v < size_; ++v) {
      volume_[static_cast<std::size_t>(v * space_.rows() + r)] =
          jacobian_[static_cast<std::size_t>(r * size_ + v)];
    }
  }
  return volumeOf(volume_.data(), size_, space_.rows());
}

template <class Space>
void TrialLanes<Space>::scoreManipulability(const double* positions, int count, double* scores) {
  const auto& problem = space_.problem();
  for (int lane = 0; lane < count; ++lane) {
    for (std::int64_t v = 0; v < size_; ++v) {
      problem.rows().q[v].lane[lane] = positions[lane * size_ + v];
    }
    problem.load(lane, 0);
  }
  problem.measure();
  for (int lane = 0; lane < count; ++lane) {
    scores[lane] = manipulabilityIn(lane);
  }
}

template <class Space>
void TrialLanes<Space>::tryAll(NullSpaceOptimizer& optimizer, const std::int64_t* some, int count,
                               CollisionMemory& memory) {
  const auto& held = space_.held();
  for (int lane = 0; lane < count; ++lane) {
    for (std::int64_t v = 0; v < size_; ++v) {
      held.rows().q[v].lane[lane] = optimizer.position(some[lane])[v];
    }
    held.load(lane, optimizer.row(some[lane]).target);
  }
  held.measure();
  for (int lane = 0; lane < count; ++lane) {
    writeTrial(optimizer, some[lane], lane);
  }
  returnToPoses(count);
  for (int lane = 0; lane < count; ++lane) {
    const std::int64_t s = some[lane];
    readTrial(optimizer, s, lane);
    if (!optimizer.row(s).reached) {
      continue;
    }
    Optimized& row = optimizer.of(s);
    row.trial_value = setting_.score == Score::kManipulability
                          ? manipulabilityIn(lane)
                          : optimizer.scoreOf(optimizer.trial(s), row.nearest, memory);
  }
}

// Writes a step in the null space to a lane.
template <class Space>
void TrialLanes<Space>::writeTrial(NullSpaceOptimizer& optimizer, std::int64_t s, int lane) {
  using Direction = PatternSearch::Direction;
  const PatternSearch& search = optimizer.row(s).search;
  double* heading = optimizer.numbers(optimizer.headings_, s);
  const Direction direction = search.direction();
  if (direction != Direction::kLast) {
    space_.writeConstraints(lane, jacobian_.data());
    writeNullBasis(jacobian_.data(), space_.rows(), size_, setting_.dimension, basis_.data());
    if (direction == Direction::kPolled) {
      writePolled(basis_, search.polled(), search.rotations(), size_, heading);
    } else {
      // The rows of the Jacobian span by now what is not in the null space.
      for (std::int64_t r = 0; r < space_.rows(); ++r) {
        simd::removeShare(heading, jacobian_.data() + r * size_, size_);
      }
      const double length = std::sqrt(simd::innerProduct(heading, heading, size_));
      if (length > kLeast) {
        simd::multiply(heading, 1.0 / length, size_);
      } else {
        std::copy_n(basis_.data(), size_, heading);
      }
    }
  }
  const search::Box& box = setting_.box;
  const double* q = optimizer.position(s);
  for (std::int64_t v = 0; v < size_; ++v) {
    const double moved = q[v] + search.length() * heading[v] * space_.unit(v);
    space_.problem().rows().q[v].lane[lane] =
        std::min(std::max(moved, box.soft_lower[v]), box.soft_upper[v]);
  }
  space_.problem().load(lane, optimizer.row(s).target);
}

// Has the local solver bring the trials in the first lanes back to their poses; those that are
// there move no more.
template <class Space>
void TrialLanes<Space>::returnToPoses(int count) const {
  const auto& problem = space_.problem();
  const SeedRows& rows = problem.rows();
  for (int lane = 0; lane < kLanes; ++lane) {
    rows.moving->lane[lane] = lane < count ? 1.0 : 0.0;
  }
  for (std::int64_t iteration = 0;; ++iteration) {
    problem.measure();
    bool moving = false;
    for (int lane = 0; lane < count; ++lane) {
      const bool there = isWithin(problem.options(), rows.position_error->lane[lane],
                                  rows.orientation_error->lane[lane]);
      rows.moving->lane[lane] = there ? 0.0 : 1.0;
      moving = moving || !there;
    }
    if (!moving || iteration == kOptions.most_iterations) {
      return;
    }
    problem.advance(setting_.box.soft_lower, setting_.box.soft_upper);
  }
}

template <class Space>
void TrialLanes<Space>::readTrial(NullSpaceOptimizer& optimizer, std::int64_t s, int lane) const {
  const search::Box& box = setting_.box;
  const SeedRows& rows = space_.problem().rows();
  double* trial = optimizer.numbers(optimizer.trials_, s);
  bool inside = rows.moving->lane[lane] == 0.0;
  for (std::int64_t v = 0; v < size_; ++v) {
    double x = rows.q[v].lane[lane];
    if (std::isinf(box.soft_lower[v])) {
      x = turnTowards(x, box.reference[v], box.lower[v], box.upper[v]);
    }
    inside = inside && box.lower[v] <= x && x <= box.upper[v];
    trial[v] = x;
  }
  Optimized& row = optimizer.of(s);
  row.reached = inside && space_.problem().verify(trial, row.target).exact;
}

template class TrialLanes<ChainSpace>;
template class TrialLanes<GoalSpace>;

}  // namespace generative_ik::optimize
