/// Stored postures of a tree on a floating base: the base and the limbs are fitted to goals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "limbs.hpp"

namespace generative_ik::samplers {

/// Stored postures (N, n), the base at the origin, and how the points on their tips' frames were
/// moved to the mean of all (`gatherPoints`).
struct StoredPostures {
  std::vector<double> positions;
  std::int64_t num_variables = 0;        ///< n
  std::array<std::int64_t, 6> base{};    ///< Variables of x y z [m] yaw pitch roll [rad].
  std::vector<double> lower;             ///< (n) limits [rad or m].
  std::vector<double> upper;             ///< (n) likewise.
  std::vector<Eigen::Matrix3d> turns;    ///< (N) about the points' centres.
  std::vector<Eigen::Vector3d> centres;  ///< (N) of the points [m].
  float length = 0.0F;                   ///< How far points on a pose's axes are away [m].
  std::vector<Limb> limbs;
};

/// Where the tips of a tree have to be.
struct TipGoals {
  const double* poses;  ///< (K, 4, 4) tip in reference [m].
  /// How the points on the tips' frames were moved to the mean of the stored ones.
  Eigen::Matrix3d turn;
  Eigen::Vector3d centre;
};

/// Postures that are fitted to goals: the best of each block of ranks first.
struct FittedRanks {
  const std::int64_t* rows;  ///< Stored postures, whole blocks of them; as near as they come.
  std::int64_t block;        ///< So many after each other are sorted.
  std::int64_t first;        ///< Sorted ones of the first block that are left out.
  std::int64_t count;        ///< How many are written.
};

/// Writes seeds (count, n): stored postures whose base stands where it brings the tips nearest to
/// their goals all together, and each limb is the stored one that then brings its tip nearest. Of
/// each block those whose tips come nearest are first.
void fitPostures(const StoredPostures& stored, const TipGoals& goals, const FittedRanks& ranks,
                 double* seeds);

}  // namespace generative_ik::samplers
