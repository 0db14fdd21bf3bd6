#include "collisions.hpp"

namespace generative_ik::search {

Verdict collisionVerdict(const Run& run, const double* q, std::int64_t size) {
  if (run.check == 0) {
    return Verdict::kFree;
  }
  // NOLINTBEGIN(*-reinterpret-cast,performance-no-int-to-ptr): compiled code by its address
  const auto check = reinterpret_cast<CollisionCheck>(run.check);
  return static_cast<Verdict>(check(run.check_context, reinterpret_cast<std::int64_t>(q), size));
  // NOLINTEND(*-reinterpret-cast,performance-no-int-to-ptr)
}

void drop(const Pool& pool, Target& target, std::int64_t t, std::int64_t known) {
  SolutionNotes& notes = pool.notes(t, known);
  target.usable -= notes.collides() ? 0 : 1;
  target.free -= notes.checked() == Verdict::kFree ? 1 : 0;
  notes.setChecked(Verdict::kColliding);
}

}  // namespace generative_ik::search
