#include "keeping.hpp"

#include <algorithm>

#include "../select/full_turns.hpp"

namespace generative_ik::search {
namespace {

// Null-space steps that start from a free solution before one starts from a colliding one.
constexpr std::int64_t kCollidingVisits = 8;
// Visits to a solution that collides after which what spheres cannot tell does not take its place
// any more: decided to collide as well, it would be followed by the next one beside it.
constexpr std::int64_t kTries = 24;

// Whether a solution is not kept beside another one that is nearer by `lead`.
bool givesWay(Verdict verdict, Verdict other, double lead) {
  if (verdict == Verdict::kColliding) {
    return true;
  }
  if (other == Verdict::kColliding) {
    return false;
  }
  return lead >= 0.0 && (verdict != Verdict::kFree || other == Verdict::kFree);
}

int one(bool condition) {
  return condition ? 1 : 0;
}

}  // namespace

Settlement settle(const Pool& pool, const Reference& reference, Target& target, std::int64_t t,
                  const double* q, Verdict verdict) {
  const double own = squaredDistance(q, reference, pool.size);
  const auto lead_of = [&](std::int64_t k) {
    return squaredDistance(pool.position(t, k), reference, pool.size) - own;
  };
  std::int64_t place = -1;
  bool beside = false;
  for (std::int64_t k = 0; k < pool.counts[t]; ++k) {
    if (isSame(pool, t, k, q)) {
      const double lead = lead_of(k);
      const Verdict known = pool.notes(t, k).checked();
      const bool tried = known == Verdict::kColliding && pool.visitsOf(t, k) > kTries;
      if (givesWay(verdict, known, -lead) || (tried && verdict != Verdict::kFree)) {
        return {k, true, false};
      }
      // NOLINTNEXTLINE(readability-suspicious-call-argument): the other way round
      if (!givesWay(known, verdict, lead)) {
        beside = true;
      } else if (place < 0) {
        place = k;
      }
    }
  }
  if (place >= 0) {
    for (std::int64_t k = place + 1; k < pool.counts[t]; ++k) {
      if (isSame(pool, t, k, q) && givesWay(pool.notes(t, k).checked(), verdict, lead_of(k))) {
        drop(pool, target, t, k);
      }
    }
  }
  return {place, false, beside};
}

bool turnInside(const SearchArrays& search) {
  const Box& box = search.box;
  double* q = search.q;
  for (std::int64_t v = 0; v < box.size; ++v) {
    if (search.pool.circular(v)) {
      q[v] = turnTowards(q[v], box.reference[v], box.lower[v], box.upper[v]);
    }
    if (!(box.lower[v] <= q[v] && q[v] <= box.upper[v])) {
      return false;
    }
  }
  return true;
}

void keepClosest(const SearchArrays& search, std::int64_t t, double error) {
  Target& target = search.targets[t];
  if (error < target.closest_error) {
    target.closest_error = error;
    std::copy_n(search.q, search.box.size, search.closestTo(t));
  }
}

std::int64_t putSolution(const Pool& pool, std::int64_t t, std::int64_t place, const double* q) {
  if (place >= 0) {
    move(pool, t, place, q);
    ++pool.visitsOf(t, place);
    return place;
  }
  return pool.counts[t] < pool.capacity ? insert(pool, t, q) : -1;
}

bool noteSolution(const Pool& pool, Target& target, std::int64_t t, std::int64_t place,
                  Verdict before, const SolutionNotes& notes) {
  pool.notes(t, place) = notes;
  if (notes.collides()) {
    // Null-space steps then start from others first.
    pool.visitsOf(t, place) += kCollidingVisits;
  }
  target.usable += one(before == Verdict::kColliding) - one(notes.collides());
  target.free += one(notes.checked() == Verdict::kFree) - one(before == Verdict::kFree);
  return before == Verdict::kColliding;
}

}  // namespace generative_ik::search
