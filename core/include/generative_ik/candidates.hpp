/// Configurations that others propose: checked, told apart, and handed on in order.
#pragma once

#include <cstddef>
#include <functional>
#include <generative_ik/search_box.hpp>
#include <map>
#include <utility>
#include <vector>

namespace generative_ik {

/// Configurations are duplicates when no variable differs by more than this [rad or m].
constexpr double kSameSolution = 1e-4;

class CandidateList {
 public:
  /// Keeps the box by reference. Args: reaches: whether a configuration in the box is a solution.
  CandidateList(const SearchBox& box, std::function<bool(const Vector&)> reaches)
      : box_(box), reaches_(std::move(reaches)) {}

  /// Moves a configuration by full turns towards the seed and adds it if it lies in the box,
  /// reaches the target and is not a duplicate. Returns whether it was added.
  bool add(const Vector& q);

  /// Returns the candidates added since the last call, nearest to the seed first.
  [[nodiscard]] std::vector<Vector> takeNearestFirst();

  /// Returns all candidates moved by further full turns within the limits, nearest to the seed
  /// first; so many, or a few more.
  [[nodiscard]] std::vector<Vector> turned(std::size_t most) const;

  [[nodiscard]] bool empty() const { return found_.empty(); }

 private:
  [[nodiscard]] bool isKnown(const Vector& q) const;

  const SearchBox& box_;
  std::function<bool(const Vector&)> reaches_;
  std::vector<Vector> found_;
  // Places among these by the sum of all variables, by which duplicates are found.
  std::multimap<double, std::size_t> by_sum_;
  std::size_t taken_ = 0;
};

/// Sorts candidates by increasing cost; the sort is stable, and NaN comes last.
std::vector<Vector> orderByCost(std::vector<Vector> candidates,
                                const std::function<double(const Vector&)>& cost);

}  // namespace generative_ik
