#include "null_space.hpp"

#include <algorithm>
#include <cmath>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {
namespace {

// Known solutions of which the one found least often is stepped away from at random.
constexpr std::int64_t kCandidates = 4;
// Relative variation of a step, so that a second pass along a set finds other solutions.
constexpr double kVariation = 0.5;

double softlyInside(const Box& box, std::int64_t v, double x) {
  return std::min(std::max(x, box.soft_lower[v]), box.soft_upper[v]);
}

// Writes a seed a random step beside solution `base`; returns what `nextStep` does.
std::int64_t stepAside(const SearchArrays& search, std::int64_t t, std::int64_t base,
                       std::int64_t index) {
  const Box& box = search.box;
  const double* from = search.pool.position(t, base);
  ++search.pool.visitsOf(t, base);
  for (std::int64_t v = 0; v < box.size; ++v) {
    const double unit = recurrencePoint(index, search.seeds.ratios[v]);
    search.q[v] = softlyInside(box, v, from[v] + (2.0 * unit - 1.0) * box.stride[v]);
  }
  return -1 - base;
}

// Writes the seed that lies beyond a solution as seen from the one behind it.
void stepBeyond(const SearchArrays& search, std::int64_t t, const Step& step, double length) {
  const Pool& pool = search.pool;
  const double* base = pool.position(t, step.base);
  const double* behind = pool.position(t, step.behind);
  double longest = 1e-9;
  for (std::int64_t v = 0; v < pool.size; ++v) {
    double gap = base[v] - behind[v];
    if (pool.circular(v)) {
      gap -= kTurn * std::rint(gap / kTurn);
    }
    search.q[v] = gap;
    longest = std::max(longest, std::abs(gap));
  }
  for (std::int64_t v = 0; v < pool.size; ++v) {
    search.q[v] = softlyInside(search.box, v, base[v] + search.q[v] * (length / longest));
  }
}

}  // namespace

std::int64_t nextStep(const SearchArrays& search, std::int64_t t) {
  Target& target = search.targets[t];
  const std::int64_t index = target.null_space_seeds;
  if (target.queue_begin < target.queue_end) {
    const Step step = search.queue.at(t, target.queue_begin++);
    if (step.behind < 0) {
      return stepAside(search, t, step.base, index);
    }
    const double unit = recurrencePoint(index, search.seeds.ratios[0]);
    stepBeyond(search, t, step, search.run->step * (1.0 + kVariation * (2.0 * unit - 1.0)));
    return step.base;
  }
  const std::int64_t count = search.pool.counts[t];
  std::int64_t base = (index * kCandidates) % count;
  for (std::int64_t k = 1; k < kCandidates; ++k) {
    const std::int64_t other = (index * kCandidates + k) % count;
    if (search.pool.visitsOf(t, other) < search.pool.visitsOf(t, base)) {
      base = other;
    }
  }
  return stepAside(search, t, base, index);
}

void queueSteps(const SearchArrays& search, std::int64_t t, std::int64_t place,
                std::int64_t base) {
  Target& target = search.targets[t];
  if (target.queue_end + 2 > search.queue.size) {
    return;
  }
  const auto from = static_cast<std::int32_t>(startOf(base));
  const auto to = static_cast<std::int32_t>(place);
  search.queue.at(t, target.queue_end++) = {to, from};
  if (base < 0) {
    search.queue.at(t, target.queue_end++) = {from, to};
  }
}

}  // namespace generative_ik::search
