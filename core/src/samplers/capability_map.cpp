#include "capability_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../select/full_turns.hpp"
#include "../simd/lanes.hpp"

namespace generative_ik::samplers {
namespace {

// A target as it is looked up.
struct ReducedTarget {
  std::array<double, kTurnedNumbers> turned;
  std::array<double, kMostCoordinates> coordinates;
  std::array<std::int64_t, kMostCoordinates> cell;
  double azimuth;
  bool inside;  // in or near the cells
};

// Moves an angle by full turns as close to the middle of its bounds as possible.
double towardsMiddle(double angle, double lower, double upper) {
  return angle - kTurn * simd::nearestInteger((angle - (lower + upper) / 2.0) / kTurn);
}

ReducedTarget reduced(const CapabilityMap& map, const CapabilityQuery& query, std::int64_t t) {
  ReducedTarget target{};
  target.azimuth = reducePose(map.ends, query.targets + 16 * t, target.turned.data(),
                              target.coordinates.data());
  target.inside = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(map.dimensions); ++d) {
    const double place =
        (target.coordinates[d] - map.origin[d]) * map.per_unit[d] + query.shift[d];
    const auto bins = static_cast<double>(map.bins[d]);
    // NaN is in no cell.
    if (!(place >= -kCapabilityRings && place <= bins + kCapabilityRings)) {
      target.inside = false;
      return target;
    }
    target.cell[d] = static_cast<std::int64_t>(std::floor(place));
  }
  return target;
}

// The index of the cell at an offset from the target's, or -1.
std::int64_t cellAt(const CapabilityMap& map, const ReducedTarget& target,
                    const std::int64_t* offset) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(map.dimensions); ++d) {
    const std::int64_t bins = map.bins[d];
    std::int64_t place = target.cell[d] + offset[d];
    if (place < 0 || place >= bins) {
      if (!map.circles[d]) {
        return -1;
      }
      place = (place % bins + bins) % bins;
    }
    index = index * bins + place;
  }
  return index;
}

// Fits the outer joints of configuration i to a target; says whether it is in the bounds.
bool fit(const CapabilityMap& map, const CapabilityQuery& query, const ReducedTarget& target,
         std::int64_t i, double* q) {
  const std::int64_t n = map.num_variables;
  const double* pose = map.poses + kTurnedNumbers * i;
  const Ends& ends = map.ends;
  std::copy_n(map.positions + n * i, n, q);
  double& first = q[ends.first_variable];
  if (ends.first == EndKind::kRevolute) {
    first = towardsMiddle(first + ends.first_sign * target.azimuth,
                          query.lower[ends.first_variable], query.upper[ends.first_variable]);
  } else if (ends.first == EndKind::kPrismatic) {
    constexpr int kHeight = 11;
    first += ends.first_sign * (target.turned[kHeight] - pose[kHeight]);
  }
  if (ends.last == EndKind::kRevolute) {
    double& last = q[ends.last_variable];
    last = towardsMiddle(last + ends.last_sign * spinBetween(pose, target.turned.data()),
                         query.lower[ends.last_variable], query.upper[ends.last_variable]);
  }
  for (std::int64_t v = 0; v < n; ++v) {
    if (!(query.lower[v] <= q[v] && q[v] <= query.upper[v])) {
      return false;
    }
  }
  return true;
}

// Writes the seeds of one target (K, n); returns how many there are.
std::int64_t lookUpOne(const CapabilityMap& map, const CapabilityQuery& query,
                       const ReducedTarget& target, double* seeds) {
  std::int64_t passed = 0;
  std::int64_t size = 0;
  for (std::int64_t o = 0; o < map.num_offsets && size < query.count; ++o) {
    const std::int64_t cell = cellAt(map, target, map.offsets + map.dimensions * o);
    if (cell < 0) {
      continue;
    }
    const std::int64_t begin = std::max<std::int64_t>(map.starts[cell], 0);
    const std::int64_t end = std::min(map.starts[cell + 1], map.num_stored);
    for (std::int64_t i = begin; i < end && size < query.count; ++i) {
      // What does not fit is written over.
      if (fit(map, query, target, i, seeds + map.num_variables * size)) {
        ++passed;
        size += passed > query.first ? 1 : 0;
      }
    }
  }
  return size;
}

}  // namespace

void lookUp(const CapabilityMap& map, const CapabilityQuery& query, double* seeds,
            std::int64_t* found) {
  for (std::int64_t t = 0; t < query.num_targets; ++t) {
    const ReducedTarget target = reduced(map, query, t);
    found[t] = target.inside
                   ? lookUpOne(map, query, target, seeds + query.count * map.num_variables * t)
                   : 0;
  }
}

}  // namespace generative_ik::samplers
