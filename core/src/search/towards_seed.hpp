/// Refinement towards the seed state: the nearest solution is moved along its solution set.
///
/// Random restarts around a seed state find solutions near it, but on a continuous solution set
/// none of them is the nearest point. The local solver takes the shortest step, so a seed between
/// the nearest known solution and the seed state converges to a point of the set nearer to the
/// seed state.
#pragma once

#include <algorithm>

#include "collisions.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// Writes a seed between the nearest solution of target t and the seed state to `q`.
///
/// The nearest solution is looked up the first time, and kept in row t of `closest`. Once a nearer
/// one was found, the two show the direction of the set, and most seeds lie along it.
void seedBetween(const SearchArrays& search, std::int64_t t);

/// Whether the k-th solution of target t is near the seed state, and may be free.
bool isNear(const SearchArrays& search, std::int64_t t, std::int64_t k);

/// Puts the nearest configuration in the place of the solution that the refinement began from;
/// where it has come to another solution, in that one's, and the first one is left. Others that
/// are the same are dropped if enough are left, else it is not kept.
///
/// Returns its place, or -1 if it is not kept.
std::int64_t placeNearest(const SearchArrays& search, const StoppingCriteria& criteria,
                          std::int64_t t);

/// Keeps `q` if it is a solution, free, and nearer than the nearest so far.
template <LocalProblem Problem>
void keepNearest(const SearchState<Problem>& search, std::int64_t t, std::int64_t pose) {
  Target& target = search.targets[t];
  const std::int64_t size = search.box.size;
  const double distance = squaredDistance(search.q, search.reference(), size);
  if (distance < target.closest_error && search.problem.verify(search.q, pose).exact &&
      verdictOf(search.check, search.q) == Verdict::kFree) {
    target.moved = true;
    target.closest_error = distance;
    std::copy_n(search.q, size, search.closestTo(t));
  }
}

/// Ends the refinement of target t with the nearest configuration that it came to.
template <LocalProblem Problem>
void settleNearest(const SearchState<Problem>& search, std::int64_t t) {
  Target& target = search.targets[t];
  if constexpr (Problem::kDescends) {
    // Seeds do not come to it where a rad and a m count otherwise in the local solver's steps than
    // in the distance.
    const auto pose = static_cast<std::int64_t>(search.pool.notes(t, target.nearest).pose);
    std::copy_n(search.closestTo(t), search.box.size, search.q);
    if (search.problem.descend(search.box, pose, search.q)) {
      keepNearest(search, t, pose);
    }
  }
  if (!target.moved) {
    return;
  }
  const std::int64_t place = placeNearest(search, search.criteria, t);
  if (place < 0) {
    return;
  }
  SolutionNotes& notes = search.pool.notes(t, place);
  const Verification verified =
      search.problem.verify(search.closestTo(t), static_cast<std::int64_t>(notes.pose));
  notes.distance = verified.position;
  notes.angle = verified.angle;
  target.free += notes.checked() == Verdict::kFree ? 0 : 1;
  notes.setChecked(Verdict::kFree);
}

}  // namespace generative_ik::search
