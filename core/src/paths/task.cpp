#include "task.hpp"

#include <cmath>
#include <limits>

#include "../local_solver/refine.hpp"
#include "../parallel/for_each.hpp"

namespace generative_ik::paths {

double PathTask::lengthOf(const double* before, const double* after) const {
  double total = 0.0;
  for (std::int64_t v = 0; v < size; ++v) {
    total += squared((after[v] - before[v]) * weight[v]);
  }
  return std::sqrt(total);
}

double PathTask::largestOf(const double* before, const double* after) const {
  double largest = 0.0;
  for (std::int64_t v = 0; v < size; ++v) {
    largest = std::max(largest, std::abs(after[v] - before[v]) * weight[v]);
  }
  return largest;
}

double PathTask::errorCost(const double* q, std::int64_t pose) const {
  if (!approximates()) {
    return 0.0;
  }
  const double error = search::ApproximateProblem::otherError(chain, q, targetsFrom(pose));
  return kErrorCost * error / static_cast<double>(num_poses);
}

bool PathTask::isStep(const double* before, const double* after) const {
  for (std::int64_t v = 0; v < size; ++v) {
    // Negated so that NaN is none.
    if (!(std::abs(after[v] - before[v]) <= max_step[v])) {
      return false;
    }
  }
  return true;
}

std::vector<double> PathTask::lengths(const Rows& path) const {
  std::vector<double> found;
  for (std::int64_t t = 0; t + 1 < path.size(); ++t) {
    found.push_back(lengthOf(path[t], path[t + 1]));
  }
  return found;
}

std::vector<char> solved(const PathTask& task, const Rows& positions,
                         const std::vector<std::int64_t>& poses) {
  std::vector<char> found(poses.size());
  withProblem(task, [&](const auto& problem) {
    for (std::int64_t s = 0; s < positions.size(); ++s) {
      found[at(s)] = problem.verify(positions[s], poses[at(s)]).exact ? 1 : 0;
    }
  });
  return found;
}

std::vector<char> refine(const PathTask& task, Rows& seeds,
                         const std::vector<std::int64_t>& poses) {
  // Numbers that a thread takes at a time: little enough to spread over threads, enough to keep
  // the lanes full.
  constexpr std::int64_t kAtOnce = 1024;
  const std::int64_t count = seeds.size();
  for (std::int64_t s = 0; s < count; ++s) {
    for (std::int64_t v = 0; v < task.size; ++v) {
      seeds[s][v] = std::clamp(seeds[s][v], task.lower[v], task.upper[v]);
    }
  }
  std::vector<char> found(at(count));
  const std::vector<std::int64_t> wanted(at(task.num_poses),
                                         std::numeric_limits<std::int64_t>::max());
  const std::int64_t some = std::max<std::int64_t>(kLanes, kAtOnce / task.size);
  parallel::forEach(
      (count + some - 1) / some,
      [&](std::int64_t piece) {
        const std::int64_t first = piece * some;
        const std::int64_t number = std::min(some, count - first);
        std::vector<double> errors(at(2 * number));
        std::vector<std::int64_t> iterations(at(number));
        const auto converged = std::make_unique<bool[]>(at(number));  // NOLINT(*-avoid-c-arrays)
        withProblem(task, [&](const auto& problem) {
          Refiner(problem, {number, task.size, false, task.lower, task.upper, poses.data() + first,
                            wanted.data(), seeds[first], seeds[first], errors.data(),
                            errors.data() + number, converged.get(), iterations.data()})
              .run();
          for (std::int64_t s = 0; s < number; ++s) {
            found[at(first + s)] =
                converged[at(s)] && problem.verify(seeds[first + s], poses[at(first + s)]).exact
                    ? 1
                    : 0;
          }
        });
      },
      {parallel::Clock::time_point::max(), task.stop->interrupted});
  return found;
}

}  // namespace generative_ik::paths
