/// Null spaces of configurations: the directions of their self-motions.
#pragma once

#include <cstdint>
#include <vector>

#include "../verify/rodrigues.hpp"

namespace generative_ik::paths {

/// Six rows, of a linear and an angular part, along which a tip's velocity is 0.
using Ways = double[36];  // NOLINT(*-avoid-c-arrays)

/// The null space of a chain's Jacobian, in memory of its own.
class NullSpace {
 public:
  /// Keeps the chain. Args: size: its variables. dimensions: rows of a basis.
  NullSpace(const verify::RodriguesChain& chain, std::int64_t size, std::int64_t dimensions);

  /// Writes orthonormal rows (dimensions, n) along which joints, each in units of 1 / `weight`,
  /// move without moving the tip in the ways in which it is held; rows of 0 if there are fewer.
  /// Args: stopped: (n) which joints do not move; null: all move.
  void write(const double* q, const double* weight, const double* ways, const char* stopped,
             double* basis);

 private:
  void writeJacobian(const double* q, const double* weight);
  void hold(const double* ways);

  verify::RodriguesChain chain_;
  std::int64_t size_;
  std::int64_t dimensions_;
  std::vector<double> jacobian_;  // (6, n)
  std::vector<double> axes_;      // (m, 6) each joint's axis and a point on it
};

}  // namespace generative_ik::paths
