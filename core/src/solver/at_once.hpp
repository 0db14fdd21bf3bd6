/// Solutions that are written without a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <generative_ik/solver.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "../answers/targets.hpp"

namespace generative_ik {

/// Solutions that closed forms are asked for at the most: few enough to make room for at once, and
/// of those on curves, more are found as soon by a search.
inline constexpr std::size_t kMostAtOnce = 1000;

/// How a call ended. Args: all: whether these are all solutions that there are.
inline SolveStatus statusOf(std::size_t found, std::size_t wanted, bool all) {
  if (found >= wanted || (all && found > 0)) {
    return SolveStatus::kSolved;
  }
  return found > 0 ? SolveStatus::kPartial : SolveStatus::kNoSolution;
}

/// What an answerer of closed forms (answers/) writes for a pose; none if a search has to look.
/// Args: pose: (4, 4) tip in base. size: of the rows that it writes. wanted: solutions at the
/// most. joints: those of a configuration, which rows begin with.
template <class Answerer>
std::optional<IKSolutions> solutionsOf(Answerer&& answerer, const double* pose, std::int64_t size,
                                       std::size_t wanted, std::int64_t joints) {
  std::vector<double> positions(wanted * static_cast<std::size_t>(size));
  std::vector<answers::PoseGap> gaps(wanted);
  answers::Note note{};
  answerer.answer(
      pose, {note, {positions.data(), size, gaps.data()}, static_cast<std::int64_t>(wanted)});
  if (!note.isDone()) {
    return std::nullopt;
  }
  std::vector<Solution> solutions;
  solutions.reserve(static_cast<std::size_t>(note.count));
  for (std::int64_t k = 0; k < note.count; ++k) {
    const auto [distance, angle] = gaps[static_cast<std::size_t>(k)];
    solutions.push_back(
        {Eigen::Map<const Vector>(positions.data() + size * k, joints), distance, angle});
  }
  const SolveStatus status = statusOf(solutions.size(), wanted, note.complete != 0);
  return IKSolutions{status, std::move(solutions)};
}

/// The same where rows are configurations.
template <class Answerer>
std::optional<IKSolutions> solutionsOf(Answerer&& answerer, const double* pose, std::int64_t size,
                                       std::size_t wanted) {
  return solutionsOf(answerer, pose, size, wanted, size);
}

}  // namespace generative_ik
