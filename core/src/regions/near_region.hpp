/// The solution nearest to a seed state, wherever in the region about a target its tip is.
///
/// What the region leaves free are joints behind the tip that count nothing in the distance, so
/// it is the solution of a pose of a longer chain (answers/near_problem.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../answers/near_problem.hpp"
#include "../verify/goal_verifier.hpp"
#include "joints_at_tip.hpp"

namespace generative_ik::regions {

/// What is asked for of solutions nearer to a seed state than those that are known.
struct NearerQuestion {
  const double* weights;  ///< (n) what a rad or m counts in the distance.
  const double* seed;     ///< (n) inside the limits, of all targets.
  double distinct;        ///< Solutions with no joint further apart are duplicates [rad or m].
  /// Says of nearer ones (T, n) which do not count (T), for whatever other reason; may be empty.
  std::function<void(const double* nearer, bool* counts)> keep;
};

class NearRegion {
 public:
  /// Args: floats, ints, box, unit: as of a `NearProblem`, for poses. Throws std::invalid_argument
  /// as that does.
  NearRegion(std::vector<double> floats, std::vector<std::int64_t> ints,
             const std::vector<double>& box, const std::vector<double>& unit,
             const TaskSpaceRegion& region);
  // Views point into its own numbers.
  NearRegion(const NearRegion&) = delete;
  NearRegion& operator=(const NearRegion&) = delete;
  NearRegion(NearRegion&&) = delete;
  NearRegion& operator=(NearRegion&&) = delete;
  ~NearRegion() = default;

  /// Of the chain without more joints.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Whether a seed state (n) is inside the limits.
  [[nodiscard]] bool contains(const double* seed) const;

  /// Answers for all `count` targets that are undone with one solution each, or leaves them to the
  /// search, by the library's own threads, until there is no more time.
  void answerAll(const answers::NearQuestion& question, const answers::Targets& targets,
                 std::int64_t count, const parallel::StopWhen& stop) const;

  /// Puts what is nearer to a seed state before the solutions of targets, which are given in order
  /// of their distance from it: in a region a search ends anywhere, and from the nearest of what
  /// it has found, and from the seed state, steps lead to the nearest about there. By the
  /// library's own threads, until there is no more time.
  void comeNearer(const NearerQuestion& question, const answers::Targets& found,
                  std::int64_t count, const parallel::StopWhen& stop) const;

 private:
  void answer(const answers::NearQuestion& question, const answers::Targets& targets,
              std::int64_t first, std::int64_t last) const;
  // Appends a configuration, and where the joints behind its tip are nearest to being at a target.
  void append(const double* q, const double* target, std::vector<double>& rows) const;
  // Whether a configuration is inside the region about a target; writes how far it is outside.
  bool isInside(const double* q, const double* target, verify::PoseGap& gap) const;

  std::vector<double> floats_;
  std::vector<std::int64_t> ints_;
  std::int64_t size_;
  verify::RodriguesChain verifier_{};
  Tolerance tolerance_;
  JointsAtTip joints_;
  std::array<double, verify::Region::kSize> check_;
  std::unique_ptr<const answers::NearProblem> longer_;
};

}  // namespace generative_ik::regions
