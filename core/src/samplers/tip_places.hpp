/// Where the tips of a tree stand to each other: sets of points, and the stored ones nearest to
/// them.
///
/// A floating base moves all tips alike. So points on the tips' frames are moved together to where
/// they are nearest to the mean of many such sets (W. Kabsch, A solution for the best rotation to
/// relate two sets of vectors, 1976), and what is left is compared.
#pragma once

#include <cstdint>

namespace generative_ik::samplers {

/// Moves sets of points (count, P, 3) to where they are nearest to a mean (P, 3) about the origin
/// [m], and writes how they were turned about their centres (count, 3, 3) and what was moved to
/// the origin (count, 3).
void gatherPoints(double* points, std::int64_t count, std::int64_t size, const double* mean,
                  double* turns, double* centres);

/// Stored sets of points: features, three for each point, by columns (F, N), the squares of their
/// lengths (N), and those from `begin` to before `end` that are looked at.
struct StoredPlaces {
  const float* columns;
  const float* squares;
  std::int64_t num_features;  ///< F
  std::int64_t count;         ///< N
  std::int64_t begin;
  std::int64_t end;
};

/// Writes which stored sets are nearest to others (T, F): those of ranks `first` to before
/// `first + ranks` (T, ranks), which must be there.
void nearestPlaces(const StoredPlaces& stored, const float* features, std::int64_t num_targets,
                   std::int64_t first, std::int64_t ranks, std::int64_t* rows);

}  // namespace generative_ik::samplers
