#include "null_space_optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "../parallel/for_each.hpp"
#include "../search/pool.hpp"
#include "../select/scores.hpp"
#include "../simd/constants.hpp"
#include "../simd/row_vectors.hpp"
#include "trial_lanes.hpp"

namespace generative_ik::optimize {
namespace {

// Configurations that a thread optimizes at a time. When some of them are there, others share the
// lanes.
constexpr std::int64_t kPiece = 2 * kLanes;
// Configurations that a thread scores at a time.
constexpr std::int64_t kScored = 64;

std::int64_t piecesOf(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace

NullSpaceOptimizer::NullSpaceOptimizer(const Setting& setting)
    : setting_(setting), ones_(static_cast<std::size_t>(setting.box.size), 1.0) {}

template <class Function>
void NullSpaceOptimizer::withLanes(const Function& function) const {
  if (setting_.goals) {
    std::vector<double> memory(static_cast<std::size_t>(GoalSpace::memoryOf(setting_.numbers)));
    const GoalSpace space(setting_.numbers, setting_.held, setting_.poses, ones_.data(),
                          memory.data());
    function(TrialLanes<GoalSpace>(*this, space));
  } else {
    std::vector<double> memory(static_cast<std::size_t>(ChainSpace::memoryOf(setting_.packed)));
    const ChainSpace space(setting_.packed, setting_.poses, ones_.data(), memory.data());
    function(TrialLanes<ChainSpace>(*this, space));
  }
}

double NullSpaceOptimizer::scoreOf(const double* q, Nearest& nearest,
                                   CollisionMemory& memory) const {
  const std::int64_t size = setting_.box.size;
  double score = 0.0;
  if (setting_.score == Score::kLimitMargin) {
    limitMargin({q, 1, size}, setting_.lower, setting_.upper, &score);
  } else if (setting_.score == Score::kNearest) {
    score =
        -std::sqrt(search::squaredDistance(q, {setting_.box.reference, setting_.weights}, size));
  } else if (setting_.score == Score::kClearance) {
    score = setting_.shapes != nullptr ? setting_.shapes->distance(q, nearest, memory)
                                       : setting_.world->clearance(q, nearest, memory);
    // Where there is nothing, one place is as good as another.
    score = std::min(score, 1e6);
  }
  return score;
}

void NullSpaceOptimizer::score(const double* positions, std::int64_t count, double* scores) const {
  const std::int64_t size = setting_.box.size;
  const auto score_some = [&](std::int64_t piece) {
    const std::int64_t first = kScored * piece;
    const std::int64_t last = std::min(first + kScored, count);
    if (setting_.score == Score::kManipulability) {
      withLanes([&](auto&& lanes) {
        for (std::int64_t s = first; s < last; s += kLanes) {
          const auto some = static_cast<int>(std::min<std::int64_t>(kLanes, last - s));
          lanes.scoreManipulability(positions + s * size, some, scores + s);
        }
      });
      return;
    }
    CollisionMemory memory;
    Nearest nearest;
    for (std::int64_t s = first; s < last; ++s) {
      scores[s] = scoreOf(positions + s * size, nearest, memory);
    }
  };
  parallel::forEach(piecesOf(count, kScored), score_some, {});
}

void NullSpaceOptimizer::add(const double* q, std::int64_t target, double value, bool free,
                             double radius) {
  const std::int64_t size = setting_.box.size;
  rows_.push_back({target, PatternSearch(value, radius),
                   free ? Verdict::kFree : Verdict::kUndecided, free ? value : -kInfinity});
  for (std::vector<double>* all : {&positions_, &free_, &trials_}) {
    all->insert(all->end(), q, q + size);
  }
  headings_.resize(headings_.size() + static_cast<std::size_t>(size));
}

void NullSpaceOptimizer::measureShapes(const ShapeDistances& shapes) {
  setting_.shapes = &shapes;
  for (Optimized& row : rows_) {
    row.nearest = {};  // of spheres it says nothing about shapes
  }
}

void NullSpaceOptimizer::judgeTrial(std::int64_t s, double value, CollisionMemory& memory) {
  const std::int64_t size = setting_.box.size;
  Optimized& row = of(s);
  Verdict verdict = Verdict::kFree;
  // A clearance above 0 is not enough: from some things more distance is to be kept.
  if (value > row.search.value() && setting_.world != nullptr) {
    verdict = setting_.world->check(trial(s), CollisionWorld::kSure, memory);
    value = verdict > Verdict::kUndecided ? -kInfinity : value;
  }
  using Direction = PatternSearch::Direction;
  const bool backward = row.search.direction() == Direction::kPolled && row.search.length() < 0.0;
  if (!row.search.judge(value, setting_.dimension)) {
    return;
  }
  row.verdict = verdict;
  std::copy_n(trial(s), size, numbers(positions_, s));
  if (verdict == Verdict::kFree) {
    row.free_value = value;
    std::copy_n(trial(s), size, numbers(free_, s));
  }
  if (backward) {
    simd::multiply(numbers(headings_, s), -1.0, size);
  }
}

void NullSpaceOptimizer::optimize(double least, const parallel::StopWhen& stop) {
  const auto optimize_some = [&](std::int64_t piece, parallel::Checkpoint& checkpoint) {
    const std::int64_t first = kPiece * piece;
    const std::int64_t last = std::min(first + kPiece, size());
    withLanes([&](auto&& lanes) {
      CollisionMemory memory;
      std::vector<std::int64_t> going;
      while (!checkpoint.isOver()) {
        going.clear();
        for (std::int64_t s = first; s < last; ++s) {
          if (goesOn(s, least)) {
            going.push_back(s);
          }
        }
        if (going.empty()) {
          return;
        }
        for (std::size_t k = 0; k < going.size(); k += kLanes) {
          const auto count = static_cast<int>(std::min<std::size_t>(kLanes, going.size() - k));
          lanes.tryAll(*this, going.data() + k, count, memory);
        }
        for (const std::int64_t s : going) {
          judgeTrial(s, row(s).reached ? row(s).trial_value : -kInfinity, memory);
        }
      }
    });
  };
  parallel::forEach(piecesOf(size(), kPiece), optimize_some, stop);
}

bool NullSpaceOptimizer::propose(double least) {
  proposed_.clear();
  for (std::int64_t s = 0; s < size(); ++s) {
    if (goesOn(s, least)) {
      proposed_.push_back(s);
    }
  }
  const auto count = static_cast<std::int64_t>(proposed_.size());
  const auto try_some = [&](std::int64_t piece) {
    withLanes([&](auto&& lanes) {
      CollisionMemory memory;
      const std::int64_t first = kLanes * piece;
      lanes.tryAll(*this, proposed_.data() + first,
                   static_cast<int>(std::min<std::int64_t>(kLanes, count - first)), memory);
    });
  };
  parallel::forEach(piecesOf(count, kLanes), try_some, {});
  return count > 0;
}

std::vector<std::int64_t> NullSpaceOptimizer::toScore() const {
  std::vector<std::int64_t> reached;
  std::copy_if(proposed_.begin(), proposed_.end(), std::back_inserter(reached),
               [this](std::int64_t s) { return row(s).reached; });
  return reached;
}

void NullSpaceOptimizer::judge(const double* values) {
  CollisionMemory memory;
  for (const std::int64_t s : proposed_) {
    judgeTrial(s, row(s).reached ? *values++ : -kInfinity, memory);
  }
}

}  // namespace generative_ik::optimize
