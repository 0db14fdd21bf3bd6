// A query in; solutions found by restarts of the descent, on this machine alone, out.
#pragma once

#include <cstdint>
#include <generative_ik_core/candidates.hpp>
#include <limits>
#include <random>

namespace generative_ik {

// Descents from the seed, then from random places: beside the seed at first, then anywhere in the
// box. One object serves one query: objects share nothing, so any number of threads may search.
class FallbackSearch {
 public:
  // Args: random_seed: the same one gives the same sequence. Keeps the query by reference.
  explicit FallbackSearch(const Query& query, std::uint64_t random_seed = 0)
      : query_(query), random_(random_seed) {}

  // Descend once; the nearest approach so far is kept. Ends at the deadline at the latest.
  Descent next(const Deadline& deadline);

  // Configuration nearest to the target so far; empty before the first descent.
  [[nodiscard]] const Vector& closest() const { return closest_; }

 private:
  [[nodiscard]] Vector start();

  const Query& query_;
  std::mt19937_64 random_;
  int descents_ = 0;
  Vector closest_;
  double closest_error_ = std::numeric_limits<double>::infinity();
};

// Up to count distinct solutions, nearest to the seed first; fewer at the deadline or after
// max_descents.
std::vector<Vector> solveLocally(const Query& query, int count, int max_descents,
                                 const Deadline& deadline);

}  // namespace generative_ik
