/// The solution nearest to a seed state, of arms that have no closed form.
///
/// Steps towards it (search/descents.hpp) begin at the seed state and at seven configurations
/// about it. What they come to is the nearest where it is near; what is further is left to the
/// search.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../search/chain_problem.hpp"
#include "../search/descents.hpp"
#include "../search/problem.hpp"
#include "targets.hpp"

namespace generative_ik::answers {

/// A chain of any number of joints, its tolerances, and where solutions may be.
class NearProblem {
 public:
  /// Args: floats, ints: of a `ChainProblem`. box: (7, n) see `Box`. unit: (n) change of a joint
  /// that counts as 1 rad [rad or m]. Throws std::invalid_argument unless they are those of a
  /// chain of so many joints.
  NearProblem(std::vector<double> floats, std::vector<std::int64_t> ints, std::vector<double> box,
              std::vector<double> unit);
  // Views point into its own numbers.
  NearProblem(const NearProblem&) = delete;
  NearProblem& operator=(const NearProblem&) = delete;
  NearProblem(NearProblem&&) = delete;
  NearProblem& operator=(NearProblem&&) = delete;
  ~NearProblem() = default;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(unit_.size()); }
  /// Whether a seed state (n) is inside the limits.
  [[nodiscard]] bool contains(const double* seed) const;

  /// Answers for targets `first` to before `last` that are undone with one solution each, or
  /// leaves them to the search. Args: weights: (n) what a rad or m counts in the distance. seeds:
  /// (T, n) inside the limits.
  void answer(const double* weights, const Targets& targets, const double* seeds,
              std::int64_t first, std::int64_t last, search::DescentMemory& memory) const;

  /// The same for all `count` targets, by the library's own threads, until there is no more time.
  void answerAll(const double* weights, const Targets& targets, const double* seeds,
                 std::int64_t count, const parallel::StopWhen& stop) const;

 private:
  std::vector<double> floats_;
  std::vector<std::int64_t> ints_;
  std::vector<double> rows_;  // of the box
  std::vector<double> unit_;
  std::vector<double> apart_;  // (7, n) of starts from the seed state
  search::Box box_{};
  LaneOptions options_{};
  verify::RodriguesChain verifier_{};
  double position_tolerance_ = 0.0;     // [m]
  double orientation_tolerance_ = 0.0;  // [rad]
};

}  // namespace generative_ik::answers
