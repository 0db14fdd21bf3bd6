/// Which of the configurations that seeds lead to are kept, and where.
#pragma once

#include <optional>

#include "collisions.hpp"
#include "state.hpp"
#include "stopping_policy.hpp"

namespace generative_ik::search {

/// Where a configuration goes among the solutions that are the same.
struct Settlement {
  std::int64_t place;  ///< The place that it takes, or -1 for one of its own.
  bool prevails;       ///< Whether the solution there is kept rather than it.
  bool beside;         ///< Whether another one that is the same is kept as well.
};

/// Chooses between q and the solutions of target t that are the same, and drops those that give
/// way. What does not collide is kept, of several the nearest to the seed state; and two are as
/// long as the nearer one may collide and the other one does not.
Settlement settle(const Pool& pool, const Reference& reference, Target& target, std::int64_t t,
                  const double* q, Verdict verdict);

/// Turns circular joints of `q` as near to the reference as limits allow; says whether it is
/// inside them.
bool turnInside(const SearchArrays& search);

/// Keeps `q`, which is no solution, if it is closer to target t than all before.
void keepClosest(const SearchArrays& search, std::int64_t t, double error);

/// Writes q to the place that it settled for, or to one of its own; returns it, or -1 if there is
/// no room.
std::int64_t putSolution(const Pool& pool, std::int64_t t, std::int64_t place, const double* q);

/// Writes the notes of a solution that was put in its place, and counts it instead of the one that
/// was there before; says whether it is new.
bool noteSolution(const Pool& pool, Target& target, std::int64_t t, std::int64_t place,
                  Verdict before, const SolutionNotes& notes);

/// Keeps the converged configuration `q` if it passes verification; says whether it is new.
///
/// Where several are the same solution, the one nearest to the seed state is kept that is free;
/// see `settle`. Most that are found again among obstacles collide, and are not even verified.
/// Solutions that collide are kept to be known again while there is room; beyond that those of
/// restarts count as new as long as a target without any solution would be searched. `checked` is
/// the verdict on it, if that is known.
template <LocalProblem Problem>
bool keepSolution(const SearchState<Problem>& search, std::int64_t t, std::int64_t pose,
                  std::optional<Verdict> checked = {}) {
  const Pool& pool = search.pool;
  Target& target = search.targets[t];
  const Known known = findPrevailing(pool, t, search.q, search.reference());
  if (known.index >= 0) {
    ++pool.visitsOf(t, known.index);
    return false;
  }
  const Verdict verdict = checked ? *checked : verdictOf(search.check, search.q);
  if (known.other >= 0 && verdict == Verdict::kColliding) {
    ++pool.visitsOf(t, known.other);
    return false;
  }
  const Verification verified = search.problem.verify(search.q, pose);
  if (!verified.exact) {
    return false;
  }
  std::int64_t place = -1;
  if (known.other >= 0) {
    const Settlement found = settle(pool, search.reference(), target, t, search.q, verdict);
    if (found.prevails) {
      ++pool.visitsOf(t, found.place);
      return false;
    }
    place = found.place;
    target.doubled = target.doubled || found.beside;
  } else if (verdict == Verdict::kColliding &&
             pool.counts[t] - target.usable >= search.run->most_colliding) {
    return target.restarts_ended < kGiveUp;
  }
  const Verdict before = place >= 0 ? pool.notes(t, place).checked() : Verdict::kColliding;
  place = putSolution(pool, t, place, search.q);
  if (place < 0) {
    return false;
  }
  SolutionNotes notes{verified.position, verified.angle, 0.0, static_cast<double>(pose)};
  notes.setChecked(verdict);
  return noteSolution(pool, target, t, place, before, notes);
}

}  // namespace generative_ik::search
