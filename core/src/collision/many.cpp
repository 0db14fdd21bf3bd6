#include "many.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../parallel/for_each.hpp"

namespace generative_ik::collision {
namespace {

// Configurations that a thread takes at a time.
constexpr std::int64_t kRowsAtOnce = 256;

// Calls `each(q, row, nearest, memory)` for all rows.
template <class Function>
void forRows(const CollisionWorld& world, const Rows& rows, const parallel::StopWhen& stop,
             const Function& each) {
  const std::int64_t size = world.numVariables();
  const auto take = [&](std::int64_t piece) {
    CollisionMemory memory;
    Nearest nearest;
    const std::int64_t last = std::min(rows.count, kRowsAtOnce * (piece + 1));
    for (std::int64_t i = kRowsAtOnce * piece; i < last; ++i) {
      each(rows.positions + size * i, i, nearest, memory);
    }
  };
  if (rows.count <= kRowsAtOnce) {
    take(0);
  } else {
    parallel::forEach((rows.count + kRowsAtOnce - 1) / kRowsAtOnce, take, stop);
  }
}

bool hasNaN(const double* q, std::int64_t size) {
  return std::any_of(q, q + size, [](double value) { return std::isnan(value); });
}

// Calls `distance_of(q, nearest, memory)` for what is no NaN.
template <class Function>
void measureRows(const CollisionWorld& world, const Rows& rows, double* found,
                 const parallel::StopWhen& stop, const Function& distance_of) {
  forRows(world, rows, stop,
          [&](const double* q, std::int64_t i, Nearest& nearest, CollisionMemory& memory) {
            found[i] = hasNaN(q, world.numVariables())
                           ? std::numeric_limits<double>::quiet_NaN()
                           : std::max(distance_of(q, nearest, memory), 0.0);
          });
}

}  // namespace

void check(const CollisionWorld& world, const Rows& rows, Verdict* verdicts,
           const parallel::StopWhen& stop) {
  forRows(world, rows, stop,
          [&](const double* q, std::int64_t i, Nearest& /*nearest*/, CollisionMemory& memory) {
            verdicts[i] = world.check(q, CollisionWorld::kSure, memory);
          });
}

void measure(const CollisionWorld& world, const Rows& rows, double* bounds,
             const parallel::StopWhen& stop) {
  measureRows(world, rows, bounds, stop,
              [&world](const double* q, Nearest& nearest, CollisionMemory& memory) {
                return world.clearance(q, nearest, memory);
              });
}

void measure(const CollisionWorld& world, const ShapeDistances& shapes, const Rows& rows,
             double* distances, const parallel::StopWhen& stop) {
  measureRows(world, rows, distances, stop,
              [&shapes](const double* q, Nearest& nearest, CollisionMemory& memory) {
                return shapes.distance(q, nearest, memory);
              });
}

}  // namespace generative_ik::collision
