#include "collisions.hpp"

namespace generative_ik::search {

void drop(const Pool& pool, Target& target, std::int64_t t, std::int64_t known) {
  SolutionNotes& notes = pool.notes(t, known);
  target.usable -= notes.collides() ? 0 : 1;
  target.free -= notes.checked() == Verdict::kFree ? 1 : 0;
  notes.setChecked(Verdict::kColliding);
}

}  // namespace generative_ik::search
