// Configurations from anywhere in; those that are true, inside the limits and new, in order, out.
#pragma once

#include <cstddef>
#include <functional>
#include <generative_ik_core/descent.hpp>
#include <vector>

namespace generative_ik {

// What is asked for, and how a configuration is judged. Refers to the chain: keep that alive.
struct Query {
  const Chain& chain;
  Eigen::Isometry3d target_in_base;
  SearchBox box;
  Tolerance tolerance;
  ConsistencyLimits consistency_limits;  // as the box was made with
};

// Two configurations are one solution when no variable differs by more than this [rad or m].
constexpr double kSameSolution = 1e-4;

class CandidateList {
 public:
  // Keeps the query by reference.
  explicit CandidateList(const Query& query) : query_(query) {}

  // Add a configuration if its forward kinematics meets the target, it lies inside the box after
  // full turns towards the seed, and it was not there before. Returns whether it was added.
  bool add(const Vector& q);

  // The candidates not yet taken, nearest to the seed first; they count as taken from now on.
  [[nodiscard]] std::vector<Vector> takeNearestFirst();

  [[nodiscard]] bool empty() const { return found_.empty(); }

 private:
  const Query& query_;
  std::vector<Vector> found_;
  std::size_t taken_ = 0;
};

// The candidates in the order of rising cost; equal costs keep their order, NaN comes last.
std::vector<Vector> orderByCost(std::vector<Vector> candidates,
                                const std::function<double(const Vector&)>& cost);

}  // namespace generative_ik
