// Local solver with random restarts, used when the node is not available.
#pragma once

#include <cstdint>
#include <generative_ik_core/candidates.hpp>
#include <limits>
#include <random>

namespace generative_ik {

// Descents from the seed and then from random starts, at first near the seed, then anywhere in the
// box. One object serves one query; objects share nothing, so any number of threads may search.
class FallbackSearch {
 public:
  // Keeps the query by reference.
  explicit FallbackSearch(const Query& query, std::uint64_t random_seed = 0)
      : query_(query), random_(random_seed) {}

  // Runs one descent. Ends at the deadline at the latest.
  Descent next(const Deadline& deadline);

  // The configuration closest to the target so far; empty before the first descent.
  [[nodiscard]] const Vector& closest() const { return closest_; }

 private:
  [[nodiscard]] Vector start();

  const Query& query_;
  std::mt19937_64 random_;
  int descents_ = 0;
  Vector closest_;
  double closest_error_ = std::numeric_limits<double>::infinity();
};

// Returns up to `count` distinct solutions, nearest to the seed first; fewer if the deadline
// passes or after max_descents.
std::vector<Vector> solveLocally(const Query& query, int count, int max_descents,
                                 const Deadline& deadline);

}  // namespace generative_ik
