#include "unsolved.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <utility>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "budget.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {
namespace {

using Rows = std::vector<double>;  // configurations, one after the other
using Counts = std::vector<std::int64_t>;

// What seeds have come to.
struct Moved {
  std::unique_ptr<bool[]> converged;  // NOLINT(*-avoid-c-arrays)
  Rows position_error;                // infinite where there was no time
  Rows chord;
};

// Seeds that a thread takes at a time, on which results depend. Those that are followed to minima
// all take long: refilling lanes gains nothing.
constexpr std::int64_t kSeedsAcross = 32;
constexpr std::int64_t kSeedsToMinima = kLanes;
// Joints of chains whose closest configurations are redrawn, seeds at a time, how often, and the
// share of the joints that are.
constexpr std::int64_t kManyJoints = 9;
constexpr std::int64_t kRedrawn = 64;
constexpr int kRedraws = 8;
constexpr double kShareRedrawn = 0.3;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The poses that so many seeds of a target are for.
Counts posesFor(const MoreSeeds& seeds, std::int64_t t, std::int64_t count) {
  Counts poses(index(count), t);
  for (std::int64_t k = 0; k < count && seeds.alternatives > 0; ++k) {
    poses[index(k)] = k % seeds.alternatives;
  }
  return poses;
}

// Moves configurations towards a target. Args: wanted: see `Refinement`. each: so many at a time.
Moved move(const MoreSeeds& seeds, const LaneOptions& options, std::int64_t t, const Box& box,
           const std::int64_t* wanted, std::int64_t each, const parallel::StopWhen& stop,
           Rows& rows) {
  const std::int64_t count = std::ssize(rows) / box.size;
  const Counts poses = posesFor(seeds, t, count);
  Moved moved = {std::make_unique<bool[]>(index(count)),  // NOLINT(*-avoid-c-arrays)
                 Rows(index(count), kInfinity), Rows(index(count))};
  Counts iterations(index(count));
  const Refinement task = {count,
                           box.size,
                           each == kSeedsToMinima,
                           box.soft_lower,
                           box.soft_upper,
                           poses.data(),
                           wanted,
                           rows.data(),
                           rows.data(),
                           moved.position_error.data(),
                           moved.chord.data(),
                           moved.converged.get(),
                           iterations.data()};
  if (!seeds.alone) {
    seeds.problem.refine(options, task, {each, stop});
    return moved;
  }
  for (std::int64_t k = 0; k < count && !stop.isLate(); k += each) {
    seeds.problem.refine(options, task.of(k, std::min(k + each, count)), {each, {}});
  }
  return moved;
}

// Seeds all over the box that follow so many others, behind some rows.
Rows seedsBehind(Rows rows, const MoreSeeds& seeds, std::int64_t before, std::int64_t count) {
  const Box& box = seeds.box;
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t v = 0; v < box.size; ++v) {
      const double unit = recurrencePoint(before + k + 1, seeds.ratios[v], seeds.shift[v]);
      rows.push_back(std::min(box.lower[v] + unit * (box.upper[v] - box.lower[v]), box.upper[v]));
    }
  }
  return rows;
}

class Approach {
 public:
  Approach(const MoreSeeds& seeds, const UnsolvedSearch& search, const SearchArrays& arrays,
           const parallel::StopWhen& stop)
      : thorough_(Persistence{arrays.run->persistence, arrays.run->most_restarts} == kAllRestarts),
        seeds_(seeds),
        search_(search),
        arrays_(arrays),
        stop_(stop),
        options_(seeds.problem.options()) {
    if (arrays.run->num_solutions == 1 && arrays.run->min_restarts == 0) {
      // The first that converges will do.
      enough_.assign(index(std::max(seeds.alternatives, arrays.run->last)), 1);
    }
  }

  [[nodiscard]] bool isThorough() const { return thorough_; }
  [[nodiscard]] bool isSolved(std::int64_t t) const { return arrays_.pool.counts[t] > 0; }

  void approach(std::int64_t t, parallel::Checkpoint& checkpoint) const {
    const bool far = (search_.deficient || thorough_) && crossLimits(t, checkpoint);
    const bool near = arrays_.targets[t].closest_error < search_.near;
    if (!isSolved(t) && (far || thorough_ || near)) {
      const std::int64_t count = far || thorough_ ? kToMinima : kToMinimaNear;
      const double* closest = arrays_.closestTo(t);
      Rows rows = seedsBehind({closest, closest + seeds_.box.size}, seeds_,
                              arrays_.targets[t].restarts, count);
      move(seeds_, options_, t, seeds_.box, enough(), kSeedsToMinima, stop_, rows);
      keep(t, rows, checkpoint);
    }
    if (thorough_ && seeds_.box.size >= kManyJoints) {
      redraw(t, checkpoint);
    }
  }

 private:
  // Limits trap seeds, mostly those of chains with too few joints for a pose. These pass them on
  // their way, full turns bring them back, and the rest of the way is within the limits. Returns
  // whether the target is reached without limits.
  bool crossLimits(std::int64_t t, parallel::Checkpoint& checkpoint) const {
    const Box& box = seeds_.box;
    Rows rows = seedsBehind({}, seeds_, arrays_.targets[t].restarts, kAcrossLimits);
    const Rows lower(index(box.size), -kInfinity);
    const Rows upper(index(box.size), kInfinity);
    Box without = box;
    without.soft_lower = lower.data();
    without.soft_upper = upper.data();
    const Moved moved = move(seeds_, options_, t, without, nullptr, kSeedsAcross, stop_, rows);
    const bool* converged = moved.converged.get();
    if (std::none_of(converged, converged + kAcrossLimits, std::identity())) {
      return false;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t v = i % index(box.size);
      if (search_.periodic[v]) {
        rows[i] = turnTowards(rows[i], box.reference[v], box.lower[v], box.upper[v]);
      }
      rows[i] = std::min(std::max(rows[i], box.lower[v]), box.upper[v]);
    }
    move(seeds_, options_, t, box, enough(), kSeedsAcross, stop_, rows);
    keep(t, rows, checkpoint);
    return true;
  }

  // Redraws some joints of the closest configuration, again and again. Where many joints are at
  // their limits, as those of several tips may be, it differs from a solution in few of them,
  // which seeds all over the box seldom do.
  void redraw(std::int64_t t, parallel::Checkpoint& checkpoint) const {
    constexpr double kUnit = 0x1p-53;
    std::mt19937_64 random;  // the same numbers for all targets
    std::int64_t before = arrays_.targets[t].restarts;
    for (int round = 0; round < kRedraws && !isSolved(t) && !stop_.isLate(); ++round) {
      const double* closest = arrays_.closestTo(t);
      Rows rows = seedsBehind({}, seeds_, before, kRedrawn);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (kUnit * static_cast<double>(random() >> 11U) >= kShareRedrawn) {
          rows[i] = closest[i % index(seeds_.box.size)];
        }
      }
      move(seeds_, options_, t, seeds_.box, enough(), kSeedsAcross, stop_, rows);
      keep(t, rows, checkpoint);
      before += kRedrawn;
    }
  }

  // Keeps what is a solution of a target among rows, or else the closest.
  void keep(std::int64_t t, const Rows& rows, parallel::Checkpoint& checkpoint) const {
    Target& target = arrays_.targets[t];
    const Target known = std::exchange(target, {});
    target.closest_error = known.closest_error;
    Run run = *arrays_.run;
    run.first = run.next_target = t;
    run.last = t + 1;
    run.endless = run.traced = false;
    run.checks = true;
    SearchArrays own = arrays_;
    own.run = &run;
    own.seeds.given = rows.data();
    own.seeds.count = std::ssize(rows) / own.box.size;
    own.seeds.endless = false;
    searchPiece({seeds_.problem}, own, checkpoint);
    const Target found = std::exchange(target, known);
    target.usable = found.usable;
    target.free = found.free;
    target.doubled = found.doubled;
    target.closest_error = found.closest_error;
    if (search_.settle && isSolved(t)) {
      search_.settle(t, t + 1);
    }
  }

  [[nodiscard]] const std::int64_t* enough() const {
    return enough_.empty() ? nullptr : enough_.data();
  }

  bool thorough_;
  const MoreSeeds& seeds_;
  const UnsolvedSearch& search_;
  const SearchArrays& arrays_;
  const parallel::StopWhen& stop_;
  LaneOptions options_;
  Counts enough_;  // of each target, or alternative; empty: all
};

}  // namespace

std::vector<std::int64_t> approachUnsolved(const MoreSeeds& seeds, const UnsolvedSearch& search,
                                           const SearchArrays& arrays,
                                           const parallel::StopWhen& stop) {
  const Approach approach(seeds, search, arrays, stop);
  Counts tried;
  Counts left;
  for (std::int64_t t = arrays.run->first; t < arrays.run->last; ++t) {
    const Target& target = arrays.targets[t];
    if (!approach.isSolved(t) && target.closed) {
      (target.complete || target.restarts == 0 ? left : tried).push_back(t);
    }
  }
  const auto approach_one = [&](std::int64_t k, parallel::Checkpoint& checkpoint) {
    approach.approach(tried[index(k)], checkpoint);
  };
  parallel::forEach(std::ssize(tried), approach_one, stop);
  if (!approach.isThorough()) {
    std::copy_if(tried.begin(), tried.end(), std::back_inserter(left),
                 [&](std::int64_t t) { return !approach.isSolved(t); });
    std::sort(left.begin(), left.end());
  }
  return left;
}

void findClosest(const MoreSeeds& seeds, const LaneOptions& options, std::int64_t t, double* q,
                 verify::PoseGap& gap, const parallel::StopWhen& stop) {
  const bool late = stop.isLate();
  const std::int64_t count = late ? kSeedsToMinima : kToMinima;
  Rows rows = seedsBehind({q, q + seeds.box.size}, seeds, kGiveUp, count - 1);
  const Moved moved = move(seeds, options, t, seeds.box, nullptr, kSeedsToMinima,
                           late ? parallel::StopWhen{} : stop, rows);
  std::int64_t best = 0;
  double least = kInfinity;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 2.0 * std::asin(std::min(1.0, 0.5 * moved.chord[index(k)]));
    const double error = squaredError(options, moved.position_error[index(k)], angle);
    if (error < least) {
      least = error;
      best = k;
    }
  }
  const double* row = rows.data() + best * seeds.box.size;
  Rows memory(index(seeds.problem.memory()));
  const Verification found =
      seeds.problem.verify(memory.data(), row, posesFor(seeds, t, count)[index(best)]);
  if (squaredError(options, found.position, found.angle) <
      squaredError(options, gap.distance, gap.angle)) {
    gap = {found.position, found.angle};
    std::copy_n(row, seeds.box.size, q);
  }
}

}  // namespace generative_ik::search
