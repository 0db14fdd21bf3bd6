// Joint limits, a seed and consistency limits in; the box that solutions have to lie in out.
#pragma once

#include <generative_ik_core/chain.hpp>
#include <optional>
#include <vector>

namespace generative_ik {

// Largest distance of a solution from the seed for each variable [rad or m]; empty: no limit.
using ConsistencyLimits = std::vector<double>;

class SearchBox {
 public:
  // Args: seed (size) [rad or m], in or out of the limits. Raises std::invalid_argument: seed or
  // consistency limits have a wrong length, or an entry that is NaN, or a negative limit.
  SearchBox(std::vector<Variable> variables, Vector seed,
            const ConsistencyLimits& consistency_limits = {});

  // (size) [rad or m]; continuous variables: infinite, or the seed plus and minus its limit.
  [[nodiscard]] const Vector& lower() const { return lower_; }
  [[nodiscard]] const Vector& upper() const { return upper_; }
  [[nodiscard]] const Vector& seed() const { return seed_; }

  // No configuration can satisfy joint and consistency limits at once.
  [[nodiscard]] bool empty() const;

  // Whether q keeps to every limit; rounding (1e-9) is forgiven.
  [[nodiscard]] bool contains(const Vector& q) const;

  // Each angle moved by full turns to where it is nearest to the seed, as far as its limits let
  // it; values beyond a limit by no more than rounding are put on it.
  [[nodiscard]] Vector nearestTurn(const Vector& q) const;

  [[nodiscard]] Vector clamp(const Vector& q) const;

  // Sum over the variables of the distance to the seed, the short way round where one turns
  // without end [rad and m added up]. MoveIt's own test measures nearness by this sum.
  [[nodiscard]] double seedDistance(const Vector& q) const;

  // Largest distance of any one variable to the seed.
  [[nodiscard]] double largestMove(const Vector& q) const;

 private:
  [[nodiscard]] Vector moves(const Vector& q) const;

  std::vector<Variable> variables_;
  Vector seed_;
  Vector lower_;
  Vector upper_;
};

}  // namespace generative_ik
