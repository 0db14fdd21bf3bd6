/// What the curves of a pose answer at once: the most diverse solutions all over them, verified.
#pragma once

#include <utility>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../search/collisions.hpp"
#include "curve_solutions.hpp"
#include "targets.hpp"

namespace generative_ik::answers {

/// Where fewer solutions are found than this, and than are wanted, a search may find another.
inline constexpr std::int64_t kEachCounts = 5;

/// Answers for one pose at a time.
class CurveAnswerer {
 public:
  /// Args: check: each answerer has its own; empty: nothing is checked. collides: none: what
  /// spheres cannot tell of does not count.
  CurveAnswerer(const CurveProblem& problem, CurveMemory& memory, CollisionCheck check = {},
                search::Collides collides = {})
      : problem_(problem),
        memory_(memory),
        turns_(problem.turns()),
        check_(std::move(check)),
        collides_(std::move(collides)) {}

  /// Writes the most diverse solutions of a pose, exact.
  void answer(const double* tip_pose, const Answer& out);

 private:
  // The same of those that are free, where these are enough.
  void answerFree(const double* tip_pose, const Answer& out);
  // Whether as many of so many solutions, in `positions_`, are free as are wanted; notes which.
  bool areEnoughFree(std::int64_t count, std::int64_t wanted);
  // Has all solutions that were found, the most diverse first, exact; returns how many.
  std::int64_t makeExact(const double* tip_pose, std::int64_t solutions);
  // Writes the most diverse of the solutions on the curves that there is room for, exact; returns
  // how many.
  std::int64_t choose(const double* tip_pose, std::int64_t solutions, std::int64_t room,
                      const SolutionRows& rows);

  const CurveProblem& problem_;
  CurveMemory& memory_;
  bool turns_;  // whether joints have room for several turns
  CollisionCheck check_;
  search::Collides collides_;
  std::vector<double> positions_;  // of `makeExact`
  std::vector<PoseGap> gaps_;
  std::vector<Verdict> verdicts_;
};

/// Answers for `count` targets that are undone, by the library's own threads, until there is no
/// more time.
void answerAll(const CurveProblem& problem, const CollisionCheck& check, const Targets& targets,
               std::int64_t count, const parallel::StopWhen& stop);

}  // namespace generative_ik::answers
