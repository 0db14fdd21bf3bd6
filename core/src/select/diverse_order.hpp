/// The order of solutions in which the first k are spread widely, for every k.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "../simd/instruction_sets.hpp"

namespace generative_ik {

/// Solutions, and what their distances are measured by.
struct DiverseRows {
  const double* positions;  ///< (count, size) [rad or m].
  std::int64_t count;
  std::int64_t size;    ///< Joints.
  const double* lower;  ///< (size) limits; infinite for continuous joints.
  const double* upper;  ///< (size) likewise.
  const bool* turning;  ///< (size) whether a full turn of the joint changes nothing.
  const double* unit;   ///< (size) travel of a prismatic joint that counts as much as 1 rad [m].
};

/// Most coordinates that are compared to put one target's solutions in order (about 1 ms). With
/// very many solutions only some are ranked; the others follow as found.
inline constexpr std::int64_t kOrderWork = 16'000'000;

/// Numbers that lanes of all sets of instructions divide, and four times as many where solutions
/// are many: registers are looked at four at a time.
inline constexpr std::int64_t kOrderBlock = 16;
inline constexpr std::int64_t kOrderBlockOfMany = 64;

/// Coordinates of solutions that are ranked: rows of `padded` numbers, one for each coordinate,
/// then their squared lengths and their squared distances from what was taken.
struct OrderRows {
  float* numbers;  ///< ((dimensions + 2) * padded)
  std::int64_t dimensions;
  std::int64_t padded;  ///< A multiple of `kOrderBlock`.
  std::int64_t count;   ///< Solutions that are ranked: every `stride`-th.
  std::int64_t stride;
};

/// Writes the order of `ranked` of the solutions with coordinates: first the one furthest from its
/// limits, each next the one furthest from all before it. Compiled for a set of instructions.
using FarthestFirstKernel = void (*)(const DiverseRows& solutions, const OrderRows& rows,
                                     std::int64_t ranked, std::int64_t* order);

FarthestFirstKernel farthestFirst(simd::Baseline);
FarthestFirstKernel farthestFirst(simd::Avx2);
FarthestFirstKernel farthestFirst(simd::Avx512);

/// Writes the indices of `count` solutions, at most all, in their order. Returns how many are
/// ranked: the others, which have no place in it, follow as they were found.
///
/// The first is the one furthest from its limits, each next the one furthest from all before it
/// (T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985: no k others
/// cover the set twice as well). Distances are modulo full turns: revolute joints count as points
/// on a circle. `memory` is made large enough.
std::int64_t diverseOrder(const DiverseRows& rows, std::int64_t count, std::int64_t work,
                          std::vector<float>& memory, std::int64_t* order);

/// Writes the orders (targets, count) of the solutions of several targets, by all threads; -1
/// where a target has fewer. Its rows end before `ends` of it, where those of the next begin.
/// Indices are those among its own.
void diverseOrders(const DiverseRows& rows, const std::int64_t* ends, std::int64_t targets,
                   std::int64_t count, std::int64_t work, std::int64_t* orders,
                   const parallel::StopWhen& stop);

}  // namespace generative_ik
