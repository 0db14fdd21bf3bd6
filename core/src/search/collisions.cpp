#include "collisions.hpp"

#include <cstddef>
#include <utility>

namespace generative_ik::search {

CollisionCheck deciding(CollisionCheck check, Collides collides, std::int64_t size) {
  return [check = std::move(check), collides = std::move(collides),
          count = static_cast<std::size_t>(size)](const double* q) {
    const Verdict verdict = check(q);
    if (verdict != Verdict::kUndecided) {
      return verdict;
    }
    return collides({q, count}) ? Verdict::kColliding : Verdict::kFree;
  };
}

void drop(const Pool& pool, Target& target, std::int64_t t, std::int64_t known) {
  SolutionNotes& notes = pool.notes(t, known);
  target.usable -= notes.collides() ? 0 : 1;
  target.free -= notes.checked() == Verdict::kFree ? 1 : 0;
  notes.setChecked(Verdict::kColliding);
}

}  // namespace generative_ik::search
