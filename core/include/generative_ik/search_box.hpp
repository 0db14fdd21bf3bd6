/// The part of joint space allowed by joint limits and consistency limits.
#pragma once

#include <generative_ik/chain.hpp>
#include <optional>
#include <vector>

namespace generative_ik {

/// Largest distance of each variable from the seed [rad or m]; empty: no limits.
using ConsistencyLimits = std::vector<double>;

class SearchBox {
 public:
  /// Args: seed (size) [rad or m], inside or outside the limits. Throws std::invalid_argument if
  /// the seed or the consistency limits have a wrong length, the seed is not finite, or a limit is
  /// negative or NaN.
  SearchBox(const std::vector<Variable>& variables, Vector seed,
            const ConsistencyLimits& consistency_limits = {});

  /// The joint limits alone, with their middle in the place of a seed.
  explicit SearchBox(const std::vector<Variable>& variables);

  /// (size) [rad or m]; for continuous variables infinite unless there are consistency limits.
  [[nodiscard]] const Vector& lower() const { return lower_; }
  [[nodiscard]] const Vector& upper() const { return upper_; }
  [[nodiscard]] const Vector& seed() const { return seed_; }

  /// Whether joint limits and consistency limits exclude every configuration.
  [[nodiscard]] bool empty() const;

  /// Whether q is within all limits, up to rounding (1e-9). This and what follows throw
  /// std::invalid_argument for a q of another length.
  [[nodiscard]] bool contains(const Vector& q) const;

  /// Moves each angle by full turns as near to the seed as its limits allow. What is then within
  /// all limits up to rounding is clamped to them.
  [[nodiscard]] Vector nearestTurn(const Vector& q) const;

  /// Where a joint with more than a turn of range is full turns away, within its limits, the
  /// nearest first; at most so many.
  [[nodiscard]] std::vector<double> otherTurns(Eigen::Index variable, double position,
                                               std::size_t most) const;

  [[nodiscard]] Vector clamp(const Vector& q) const;

  /// Sum over the variables of the distance to the seed, modulo full turns for continuous ones
  /// [rad and m added]. MoveIt's own test measures the distance by this sum.
  [[nodiscard]] double seedDistance(const Vector& q) const;

  /// Largest distance of any variable to the seed.
  [[nodiscard]] double largestMove(const Vector& q) const;

 private:
  // What there is to know of a variable, without its name: boxes are made for every request.
  struct Kind {
    bool turns;  // by full turns, to where the tip is the same
    bool continuous;
  };

  [[nodiscard]] Vector distances(const Vector& q) const;

  std::vector<Kind> kinds_;
  Vector seed_;
  Vector lower_;
  Vector upper_;
};

}  // namespace generative_ik
