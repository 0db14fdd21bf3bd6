// The distinct solutions of a search.
#pragma once

#include <generative_ik/chain.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace generative_ik {

class SolutionPool {
 public:
  // Args: circular: variables whose distance is modulo full turns. distance: solutions with no
  // variable further apart are the same [rad or m].
  SolutionPool(std::vector<bool> circular, double distance)
      : circular_(std::move(circular)), distance_(distance) {}

  [[nodiscard]] std::size_t size() const { return solutions_.size(); }
  [[nodiscard]] const std::vector<Vector>& solutions() const { return solutions_; }
  [[nodiscard]] double distance() const { return distance_; }
  void setDistance(double distance) { distance_ = distance; }

  void add(const Vector& q);
  void replace(std::size_t index, const Vector& q) { solutions_[index] = q; }

  // The index of a solution that is the same as q, whose visit is counted.
  std::optional<std::size_t> find(const Vector& q);

  // The index of a solution other than `except` that is the same as q.
  [[nodiscard]] std::optional<std::size_t> find(const Vector& q, std::size_t except) const;

  // The solution found least often among `count` that follow one another from `first` on, around
  // the end of the list; counts the visit.
  std::size_t leastVisited(std::size_t first, std::size_t count);

  // a - b, the shorter way round for circular variables.
  [[nodiscard]] Vector difference(const Vector& a, const Vector& b) const;

 private:
  [[nodiscard]] bool same(const Vector& a, const Vector& b) const;

  std::vector<bool> circular_;
  double distance_;
  std::vector<Vector> solutions_;
  std::vector<int> visits_;
};

}  // namespace generative_ik
