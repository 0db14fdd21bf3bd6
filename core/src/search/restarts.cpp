#include "restarts.hpp"

#include <algorithm>
#include <array>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {
namespace {

// Restarts without a solution after which a target counts as hard.
constexpr std::int64_t kEasy = 8;
// By what seeds are then stretched from the middle of the limits, in turns: not, to a corner, and
// with half of the joints to limits.
constexpr std::array<double, 3> kStretches = {1.0, 1e9, 2.0};
// Restarts after which every second seed of curves that are traced is stretched, and by what.
constexpr std::int64_t kEasyToTrace = 16;
constexpr double kStretchOfTraces = 1.5;

double stretchOf(const SearchArrays& search, bool traced, std::int64_t t) {
  const std::int64_t index = search.targets[t].restarts;
  if (traced && search.pool.counts[t] > 0 && index > kEasyToTrace && index % 2 != 0) {
    // Curves that are not traced yet are short ones, in corners of the limits.
    return kStretchOfTraces;
  }
  return isHard(search, t) ? kStretches.at(static_cast<std::size_t>(index) % kStretches.size())
                           : 1.0;
}

}  // namespace

bool isHard(const SearchArrays& search, std::int64_t t) {
  return search.pool.counts[t] == 0 && search.targets[t].restarts > kEasy;
}

void writeRestart(const SearchArrays& search, bool traced, std::int64_t t) {
  const Seeds& seeds = search.seeds;
  const Box& box = search.box;
  const Target& target = search.targets[t];
  const std::int64_t row = target.restarts - 1 - seeds.before;
  if (row >= 0 && row < seeds.count) {
    std::copy_n(seeds.given + (target.seed_row * seeds.count + row) * box.size, box.size,
                search.q);
    return;
  }
  const std::int64_t around = seedsAround(*search.run);
  const bool is_around = target.restarts <= around;
  const double stretch = stretchOf(search, traced, t);
  for (std::int64_t v = 0; v < box.size; ++v) {
    const double range = box.upper[v] - box.lower[v];
    double unit = recurrencePoint(target.restarts, seeds.ratios[v], seeds.shift[v]);
    // With more than a turn of range a joint passes its limits' angles elsewhere, too.
    if (!is_around && !search.pool.circular(v) && range <= kTurn) {
      unit = std::min(std::max(0.5 + stretch * (unit - 0.5), 0.0), 1.0);
    }
    search.q[v] = std::min(box.lower[v] + unit * range, box.upper[v]);
  }
  if (is_around) {
    const auto part = static_cast<double>(target.restarts - 1) / static_cast<double>(around);
    for (std::int64_t v = 0; v < box.size; ++v) {
      search.q[v] = box.reference[v] + part * part * (search.q[v] - box.reference[v]);
    }
  }
}

}  // namespace generative_ik::search
