#include "towards_seed.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace generative_ik::search {
namespace {

// Seeds lie at one of so many fractions of the way: all of it, a half, a third, a quarter.
constexpr std::int64_t kFractions = 4;
// Seeds that begin so, one in each lane; of the others one of `kFractions`.
constexpr std::int64_t kFirst = 8;
// How far the others go along the set, of the way on which the distance would become least.
constexpr std::array<double, 6> kAlong = {2.0, 1.5, 1.0, 0.7, 0.5, 0.25};
// Longest of these ways [rad or m].
constexpr double kLongest = 1.0;
// Squared distance of a joint, in the mean, up to which a solution is near the seed state.
constexpr double kNear = 0.25;

double squaredWeight(const Box& box, std::int64_t v) {
  return box.weights[v] * box.weights[v];
}

// Looks up the nearest solution that may be free, and copies it to row t of `closest`.
void beginWithNearest(const SearchArrays& search, std::int64_t t) {
  const Pool& pool = search.pool;
  Target& target = search.targets[t];
  target.closest_error = std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < pool.counts[t]; ++k) {
    if (pool.notes(t, k).collides()) {
      continue;
    }
    const double distance = squaredDistance(pool.position(t, k), search.reference(), pool.size);
    if (distance < target.closest_error) {
      target.closest_error = distance;
      target.nearest = k;
    }
  }
  std::copy_n(pool.position(t, target.nearest), pool.size, search.closestTo(t));
}

// Writes a seed along the set, from the first nearest solution beyond the one found since; says
// whether they differ.
bool seedAlong(const SearchArrays& search, std::int64_t t) {
  const Box& box = search.box;
  const Target& target = search.targets[t];
  const double* nearest = search.closestTo(t);
  const double* start = search.pool.position(t, target.nearest);
  double gain = 0.0;
  double length = 0.0;
  for (std::int64_t v = 0; v < box.size; ++v) {
    const double along = nearest[v] - start[v];
    const double counts = squaredWeight(box, v);
    gain += counts * along * (box.reference[v] - nearest[v]);
    length += counts * along * along;
  }
  if (!(length > 0.0)) {
    return false;
  }
  const double longest = kLongest / std::sqrt(length);
  const auto turn = static_cast<std::size_t>(target.towards_seed_begun) % kAlong.size();
  const double way = std::min(std::max(gain / length, -longest), longest) * kAlong.at(turn);
  for (std::int64_t v = 0; v < box.size; ++v) {
    const double x = nearest[v] + way * (nearest[v] - start[v]);
    search.q[v] = std::min(std::max(x, box.soft_lower[v]), box.soft_upper[v]);
  }
  return true;
}

// Whether the k-th solution of target t, not the one refined, may be free and is the same as the
// nearest.
bool isOther(const SearchArrays& search, std::int64_t t, std::int64_t k) {
  return k != search.targets[t].nearest && !search.pool.notes(t, k).collides() &&
         isSame(search.pool, t, k, search.closestTo(t));
}

}  // namespace

void seedBetween(const SearchArrays& search, std::int64_t t) {
  const Box& box = search.box;
  const Target& target = search.targets[t];
  const std::int64_t begun = target.towards_seed_begun;
  if (begun == 1) {
    beginWithNearest(search, t);
  }
  if (target.moved && begun > kFirst && begun % kFractions != 0 && seedAlong(search, t)) {
    return;
  }
  // Down the gradient of the distance, which is the straight way where all joints count the same.
  double largest = 0.0;
  for (std::int64_t v = 0; v < box.size; ++v) {
    largest = std::max(largest, squaredWeight(box, v));
  }
  const double fraction = 1.0 / (static_cast<double>(1 + begun % kFractions) * largest);
  const double* nearest = search.closestTo(t);
  for (std::int64_t v = 0; v < box.size; ++v) {
    const double part = fraction * squaredWeight(box, v);
    search.q[v] = nearest[v] + part * (box.reference[v] - nearest[v]);
  }
}

bool isNear(const SearchArrays& search, std::int64_t t, std::int64_t k) {
  const Box& box = search.box;
  double far = 0.0;
  for (std::int64_t v = 0; v < box.size; ++v) {
    far += kNear * squaredWeight(box, v);
  }
  const Pool& pool = search.pool;
  return squaredDistance(pool.position(t, k), search.reference(), pool.size) <= far &&
         !pool.notes(t, k).collides();
}

std::int64_t placeNearest(const SearchArrays& search, const StoppingCriteria& criteria,
                          std::int64_t t) {
  const Pool& pool = search.pool;
  Target& target = search.targets[t];
  const double* nearest = search.closestTo(t);
  const bool alone = !isSame(pool, t, target.nearest, nearest);
  std::int64_t place = target.nearest;
  std::int64_t same = 0;
  for (std::int64_t k = 0; k < pool.counts[t]; ++k) {
    if (isOther(search, t, k)) {
      ++same;
      if (alone && place == target.nearest) {
        place = k;
      }
    }
  }
  const std::int64_t own = alone ? 1 : 0;
  if (same > own && target.usable - (same - own) < criteria.num_solutions) {
    return -1;
  }
  for (std::int64_t k = 0; k < pool.counts[t]; ++k) {
    if (k != place && isOther(search, t, k)) {
      drop(pool, target, t, k);
    }
  }
  move(pool, t, place, nearest);
  return place;
}

}  // namespace generative_ik::search
