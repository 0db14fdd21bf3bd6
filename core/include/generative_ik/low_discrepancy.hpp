// Quasi-random points of the unit cube, the same as those of the Python package.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace generative_ik {

// Roberts' additive recurrence, shifted at random (Cranley-Patterson): point k is
// frac(shift + k / g^j) in dimension j = 1..n, where g is the positive root of x^(n+1) = x + 1
// (M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
class LowDiscrepancy {
 public:
  // The shift is the one that numpy.random.default_rng(random_seed).random(dimensions) returns, so
  // that the plugin and the node begin with the same seeds. Args: random_seed: not negative.
  LowDiscrepancy(std::uint64_t random_seed, Eigen::Index dimensions);

  // Point k (dimensions), counted from 1, in [0, 1).
  [[nodiscard]] Eigen::VectorXd point(std::int64_t k) const;

  // The fractional part of k / g, a sequence in one dimension without shift.
  [[nodiscard]] double fraction(std::int64_t k) const;

  // The fractional parts of k / g^j, without shift.
  [[nodiscard]] Eigen::VectorXd fractions(std::int64_t k) const;

 private:
  Eigen::VectorXd shift_;
  Eigen::VectorXd ratios_;
};

}  // namespace generative_ik
