#include "consistency.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "null_space.hpp"

namespace generative_ik::search {
namespace {

// More seeds, iterations and solutions than these are none that were counted.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;

bool allFinite(const double* numbers, std::int64_t count) {
  return std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); });
}

bool areCounts(std::initializer_list<std::int64_t> numbers) {
  return std::ranges::all_of(
      numbers, [](std::int64_t number) { return number >= 0 && number <= kMostCounted; });
}

bool isBelow(std::int64_t index, std::int64_t size) {
  return index >= 0 && index < size;
}

bool isBox(const Box& box) {
  const auto is_bound = [](double x) { return !std::isnan(x); };
  for (const double* row : {box.lower, box.upper, box.reference, box.stride, box.weights}) {
    if (!allFinite(row, box.size)) {
      return false;
    }
  }
  return std::all_of(box.soft_lower, box.soft_lower + box.size, is_bound) &&
         std::all_of(box.soft_upper, box.soft_upper + box.size, is_bound);
}

bool isRun(const Run& run, const ArraySizes& sizes) {
  const std::int64_t least_poses = run.alternatives > 0 ? run.alternatives : run.last;
  return !run.begun &&
         areCounts({run.first, run.last, run.next_target, run.alternatives, run.seeds_before,
                    run.min_restarts, run.most_restarts, run.num_solutions, run.wanted,
                    run.most_colliding}) &&
         run.first <= run.last && run.last <= sizes.targets && run.next_target >= run.first &&
         least_poses <= sizes.poses;
}

bool areCountsOf(const Target& target) {
  return areCounts({target.restarts, target.restarts_ended, target.restarts_converged,
                    target.sample, target.sample_new, target.window, target.window_away,
                    target.null_space_seeds, target.null_space_converged, target.round_size,
                    target.round_left, target.round_ended, target.round_new, target.queue_end,
                    target.queue_begin, target.towards_seed_begun, target.towards_seed_ended,
                    target.iterations}) &&
         target.restarts_left >= -kMostCounted && target.restarts_left <= kMostCounted;
}

// Whether the steps that wait start from solutions.
bool areSteps(const SearchArrays& arrays, std::int64_t t) {
  const Target& target = arrays.targets[t];
  const std::int64_t count = arrays.pool.counts[t];
  if (target.queue_end > arrays.queue.size) {
    return false;
  }
  for (std::int64_t i = target.queue_begin; i < target.queue_end; ++i) {
    const Step& step = arrays.queue.at(t, i);
    if (!isBelow(step.base, count) || step.behind >= count) {
      return false;
    }
  }
  return true;
}

bool areNotes(const Pool& pool, std::int64_t t, std::int64_t poses) {
  const auto colliding = static_cast<double>(static_cast<std::int64_t>(Verdict::kColliding));
  for (std::int64_t k = 0; k < pool.counts[t]; ++k) {
    const SolutionNotes& notes = pool.notes(t, k);
    if (!(notes.verdict >= 0.0 && notes.verdict <= colliding && notes.pose >= 0.0 &&
          notes.pose < static_cast<double>(poses)) ||
        !areCounts({pool.visitsOf(t, k)})) {
      return false;
    }
  }
  return true;
}

bool isTarget(const SearchArrays& arrays, std::int64_t t, const ArraySizes& sizes) {
  const Target& target = arrays.targets[t];
  const std::int64_t count = arrays.pool.counts[t];
  if (target.closed) {
    // Nothing but this is read of it.
    return true;
  }
  const bool counted = isBelow(count, arrays.pool.capacity + 1) && areCountsOf(target) &&
                       isBelow(target.usable, count + 1) && isBelow(target.free, count + 1);
  if (!counted) {
    return false;
  }
  // A round goes on until as many steps have ended as were begun, from solutions; where seeds have
  // no end, it must not wait for any that nobody has begun.
  const std::int64_t under_way = target.round_size - target.round_ended - target.round_left;
  const bool rounds = under_way >= 0 && (target.round_left == 0 || count > 0) &&
                      (!arrays.run->endless || under_way == 0);
  const bool near = isBelow(target.nearest, std::max<std::int64_t>(count, 1)) &&
                    (!target.towards_seed || count > 0);
  const bool seeds = sizes.given_rows == 0 || isBelow(target.seed_row, sizes.given_rows);
  return rounds && near && seeds && areSteps(arrays, t) && areNotes(arrays.pool, t, sizes.poses) &&
         isInBuckets(arrays.pool, t);
}

}  // namespace

const char* faultOfTargets(const SearchArrays& arrays, const ArraySizes& sizes) {
  const Run& run = *arrays.run;
  if (!isBox(arrays.box)) {
    return "box: expected finite numbers, but for the soft bounds";
  }
  if (!arrays.pool.grid.fits(arrays.box.size)) {
    return "grid: not one that `search_space` has made";
  }
  if (!isRun(run, sizes)) {
    return "run: not one of so many targets and poses, or begun";
  }
  for (std::int64_t t = run.first; t < run.last; ++t) {
    if (!isTarget(arrays, t, sizes)) {
      return "targets: records that do not fit to each other, or not to the solutions";
    }
  }
  return nullptr;
}

const char* faultOf(const SearchArrays& arrays, const ArraySizes& sizes) {
  if (const char* fault = faultOfTargets(arrays, sizes)) {
    return fault;
  }
  if (!allFinite(arrays.seeds.shift, arrays.box.size) ||
      !allFinite(arrays.seeds.ratios, arrays.box.size)) {
    return "recurrence: expected finite numbers";
  }
  return nullptr;
}

}  // namespace generative_ik::search
