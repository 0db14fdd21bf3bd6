#include "search_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numeric>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

// Half of the sampled range of a prismatic joint without limits [m].
constexpr double kUnbounded = 1.0;
// Largest step of a joint beside a known solution [rad, or characteristic lengths], and its
// largest share of the joint's range.
constexpr double kStride = 0.7;
constexpr double kShare = 0.25;
// Size of a cell in distinct distances.
constexpr double kCell = 8.0;
// Larger distances make no difference: no joint moves so far [rad or m]. Neither do smaller ones,
// which are rounding, and their cells too many to count.
constexpr double kMostDistinct = 1e6;
constexpr double kLeastDistinct = 1e-12;
// A range this much short of a full turn counts as one [rad]: robot descriptions round.
constexpr double kFullTurnRounding = 1e-9;

std::vector<SearchedRange> rangesOf(const std::vector<Variable>& variables, const Vector& units,
                                    const SearchBox& limits, bool around) {
  std::vector<SearchedRange> ranges;
  ranges.reserve(variables.size());
  const Vector references = limits.clamp(limits.seed());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const Variable& variable = variables[i];
    const double reference = references[at];
    const double range = variable.revolute ? kPi : kUnbounded;
    const bool open_below = variable.continuous || !std::isfinite(variable.lower);
    const bool open_above = variable.continuous || !std::isfinite(variable.upper);
    const double lower =
        std::max(limits.lower()[at], open_below ? reference - range : limits.lower()[at]);
    const double upper =
        std::min(limits.upper()[at], open_above ? reference + range : limits.upper()[at]);
    const bool circular =
        variable.revolute && variable.periodic && upper - lower >= kTurn - kFullTurnRounding;
    ranges.push_back(
        {lower, upper, reference, units[at], around ? 1.0 : 0.0, circular, variable.continuous});
  }
  return ranges;
}

}  // namespace

SearchSpace::SearchSpace(const std::vector<Variable>& variables, const Vector& units,
                         const SearchBox& limits, bool around, double distinct_distance)
    : SearchSpace(rangesOf(variables, units, limits, around), distinct_distance) {}

SearchSpace::SearchSpace(std::span<const SearchedRange> ranges, double distinct_distance)
    : size_(std::ssize(ranges)) {
  rows_.resize(static_cast<std::size_t>(search::Box::kRows) * ranges.size());
  circular_.reserve(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [lower, upper, reference, unit, weight, circular, unlimited] = ranges[i];
    const bool free = circular && unlimited;
    circular_.push_back(circular ? 1 : 0);
    const std::initializer_list<double> column = {
        lower,
        upper,
        free ? -kInfinity : lower,
        free ? kInfinity : upper,
        reference,
        std::min(kStride * unit, kShare * (upper - lower)),
        weight};
    std::size_t row = 0;
    for (const double number : column) {
      rows_[row * ranges.size() + i] = number;
      ++row;
    }
  }
  distinguish(distinct_distance);
}

void SearchSpace::distinguish(double distance) {
  distance = std::clamp(distance, kLeastDistinct, kMostDistinct);
  constexpr std::size_t kOfGrid = search::Grid::kJoints;
  const auto size = static_cast<std::size_t>(size_);
  // The joints with the widest range tell solutions apart best.
  std::vector<std::int64_t> widest(size);
  std::iota(widest.begin(), widest.end(), std::int64_t{0});
  const search::Box bounds = box();
  std::stable_sort(widest.begin(), widest.end(), [&](std::int64_t a, std::int64_t b) {
    return bounds.upper[a] - bounds.lower[a] > bounds.upper[b] - bounds.lower[b];
  });
  const double cell = kCell * distance;
  grid_floats_.assign(1 + kOfGrid, 0.0);
  grid_floats_[0] = distance;
  grid_ints_.assign(2 * kOfGrid, 0);
  for (std::size_t k = 0; k < kOfGrid; ++k) {
    const std::int64_t joint = widest[k % size];
    grid_ints_[k] = joint;
    if (k >= size) {
      continue;  // one cell along what the chain has no joint for
    }
    if (circular_[static_cast<std::size_t>(joint)] == 0) {
      grid_floats_[1 + k] = 1.0 / cell;
      continue;
    }
    const double around = std::max(std::floor(kTurn / cell), 1.0);
    grid_floats_[1 + k] = around / kTurn;
    grid_ints_[kOfGrid + k] = static_cast<std::int64_t>(around);
  }
  grid_ints_.insert(grid_ints_.end(), circular_.begin(), circular_.end());
}

}  // namespace generative_ik
