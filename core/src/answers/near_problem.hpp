/// The solution nearest to a seed state, of arms that have no closed form.
///
/// Steps towards it (search/descents.hpp) begin at the seed state and at seven configurations
/// about it. What they come to is the nearest where it is near; what is further is left to the
/// search.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../search/chain_problem.hpp"
#include "../search/descents.hpp"
#include "../search/problem.hpp"
#include "targets.hpp"

namespace generative_ik::answers {

/// What is asked for targets T.
struct NearQuestion {
  const double* weights = nullptr;  ///< (n) what a rad or m counts in the distance.
  const double* seeds = nullptr;    ///< (T, n) seed states, inside the limits.
  /// (T, K, n) solutions that are known, the nearest first, NaN where there is none: where steps
  /// begin as well. However far they are, what the steps come to is an answer.
  const double* known = nullptr;
  std::int64_t num_known = 0;  ///< K

  /// The first of the solutions that are known of a target; null if there is none.
  [[nodiscard]] const double* knownOf(std::int64_t target, std::int64_t size) const {
    const double* first = known + num_known * size * target;
    return num_known > 0 && !std::isnan(*first) ? first : nullptr;
  }
};

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
  [[nodiscard]] bool contains(const double* seed) const { return contains(seed, size()); }
  /// Whether the first so many of its joints are.
  [[nodiscard]] bool contains(const double* seed, std::int64_t count) const;

  /// Answers for all `count` targets that are undone with one solution each, or leaves them to the
  /// search.
  void answerSome(const NearQuestion& question, const Targets& targets, std::int64_t count) const;

  /// The same by the library's own threads, until there is no more time.
  void answerAll(const NearQuestion& question, const Targets& targets, std::int64_t count,
                 const parallel::StopWhen& stop) const;

 private:
  // The same for targets `first` to before `last`.
  void answer(const NearQuestion& question, const Targets& targets, std::int64_t first,
              std::int64_t last, search::DescentMemory& memory) const;
  // Weighted square of how far a configuration is from a seed state.
  [[nodiscard]] double squaredDistance(const NearQuestion& question, const double* q,
                                       const double* seed) const;

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
