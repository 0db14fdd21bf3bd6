/// The pool of distinct solutions of each target.
#pragma once

#include <cstdint>
#include <generative_ik/collision_world.hpp>

#include "grid.hpp"

namespace generative_ik::search {

/// What is noted of a solution. What has given way to a nearer duplicate counts as colliding.
struct SolutionNotes {
  double distance;  ///< From the target [m].
  double angle;     ///< Likewise [rad].
  double verdict;   ///< The `Verdict` of the collision check; free without one.
  double pose;      ///< Index of the pose.

  [[nodiscard]] Verdict checked() const {
    return static_cast<Verdict>(static_cast<std::int64_t>(verdict));
  }
  void setChecked(Verdict now) { verdict = static_cast<double>(static_cast<std::int64_t>(now)); }
  [[nodiscard]] bool collides() const { return checked() == Verdict::kColliding; }
};

/// The distinct solutions of T targets, whose arrays are the caller's.
struct Pool {
  Grid grid;              ///< What makes them distinct.
  std::int64_t size;      ///< n, the numbers of a configuration.
  std::int64_t capacity;  ///< C, most solutions of a target.
  std::int64_t buckets;   ///< H, a power of two.
  double* positions;      ///< (T, C, n) in the order in which they were found [rad or m].
  SolutionNotes* errors;  ///< (T, C)
  std::int64_t* visits;   ///< (T, C) how often each solution was found.
  std::int64_t* counts;   ///< (T) number of solutions.
  std::int32_t* heads;    ///< (T, H) last solution of each bucket of cells, or -1.
  std::int32_t* before;   ///< (T, C) the solution before it in its bucket, or -1.

  [[nodiscard]] double* position(std::int64_t t, std::int64_t k) const {
    return positions + (t * capacity + k) * size;
  }
  [[nodiscard]] SolutionNotes& notes(std::int64_t t, std::int64_t k) const {
    return errors[t * capacity + k];
  }
  [[nodiscard]] std::int64_t& visitsOf(std::int64_t t, std::int64_t k) const {
    return visits[t * capacity + k];
  }
  [[nodiscard]] bool circular(std::int64_t v) const { return grid.circular[v] != 0; }
};

/// Where a squared distance is measured from [rad or m], and what a rad or m counts in it.
struct Reference {
  const double* position;
  const double* weights;
};

/// What `findPrevailing` found.
struct Known {
  std::int64_t index;  ///< Of the solution that prevails, or -1.
  std::int64_t other;  ///< Of one of those that are the same, if none prevails, or -1.
};

/// The squared distance from a reference, each joint's times its weight.
double squaredDistance(const double* q, const Reference& reference, std::int64_t size);

/// The index of a solution of target t that is the same as q, or -1.
std::int64_t findKnown(const Pool& pool, std::int64_t t, const double* q);

/// Finds a solution of target t that is the same as q, and kept rather than q: it is free, and no
/// further from the reference; or there is hardly a difference.
Known findPrevailing(const Pool& pool, std::int64_t t, const double* q,
                     const Reference& reference);

/// Appends q to the solutions of target t, which must have room; returns its index.
std::int64_t insert(const Pool& pool, std::int64_t t, const double* q);

/// Puts q in the place of a solution of target t.
void move(const Pool& pool, std::int64_t t, std::int64_t place, const double* q);

/// How many buckets of cells a pool has that so many solutions of a target fit into, of which some
/// are looked for. Which of several near solutions is found first depends on it, so that of many
/// it does not depend on how many. Fewer need no such room, which takes as long to clear as a
/// batch of many targets to solve.
std::int64_t countBuckets(std::int64_t capacity, std::int64_t looked_for);

/// Puts all solutions of target t into its buckets, which are empty.
void sortIntoBuckets(const Pool& pool, std::int64_t t);

/// Whether the buckets of target t have each of its solutions once.
bool isInBuckets(const Pool& pool, std::int64_t t);

/// Whether q is the same as one known solution of target t.
bool isSame(const Pool& pool, std::int64_t t, std::int64_t known, const double* q);

}  // namespace generative_ik::search
