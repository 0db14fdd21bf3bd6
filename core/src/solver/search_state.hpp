/// The state of one search: what was found, and what comes next.
#pragma once

#include <array>
#include <cstdint>
#include <generative_ik/search.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../answers/branch_problem.hpp"
#include "../search/decisions.hpp"
#include "../search/local_problem.hpp"
#include "../search/search_memory.hpp"
#include "../search/unsolved.hpp"
#include "prepared.hpp"
#include "search_space.hpp"

namespace generative_ik {

inline constexpr std::size_t kMostWanted = search::kMostWanted;

class Search::State {
 public:
  /// Keeps a solver's by reference; what is there within the regions of the request is kept.
  State(const IKSolver::Prepared& prepared, const IKRequest& request,
        std::unique_ptr<const IKSolver::Prepared> within = nullptr);

  /// Args: enough: solutions after which it does not go on where more are hard to find.
  Ending run(std::size_t wanted, std::size_t enough, const Deadline& deadline);
  /// What a closed form says of so many solutions, in the order in which a solver returns them;
  /// none if it leaves that to the search.
  [[nodiscard]] std::optional<IKSolutions> answer(std::size_t wanted) const;
  /// Runs until the request accepts as many solutions as it asks for, or hardly another one is
  /// left to find; full turns of what it accepts follow. The nearest to the seed state come first,
  /// else those that are spread most widely.
  [[nodiscard]] IKSolutions collect(const IKRequest& request, const Deadline& deadline);
  /// Whether a closed form has said that nothing is left to find, but for full turns.
  [[nodiscard]] bool isComplete() const { return target().complete; }
  bool distinguishMore();
  std::vector<Solution> takeNew();
  /// Which variables have limits with room for full turns.
  [[nodiscard]] std::vector<std::int64_t> turnedVariables() const;
  /// Solutions, at the most so many, that are full turns of some joints away from others, those
  /// nearest to the seed state first.
  [[nodiscard]] std::vector<Solution> turnedFrom(const std::vector<Solution>& others,
                                                 std::size_t most);
  [[nodiscard]] std::optional<Solution> besideSeedState(double distance);
  [[nodiscard]] Vector closest(const Deadline& deadline);
  /// Of a solver's `approximate`: minima of the error that is not preferred that count, the least
  /// first, full turns of them included. All are looked for, whatever number is wanted: the least
  /// one may come last.
  std::vector<Solution> approximations(const IKRequest& request, const Deadline& deadline);
  [[nodiscard]] const SearchBox& limits() const { return limits_; }
  [[nodiscard]] const search::Budget& budget() const { return budget_; }

 private:
  using Rows = std::vector<double>;  // configurations, one after the other

  [[nodiscard]] search::Target& target() const { return found_.target(0); }
  [[nodiscard]] search::SearchArrays arrays();
  [[nodiscard]] search::Verification verify(const double* q);
  void makeRoom();
  // How many solutions count.
  [[nodiscard]] std::int64_t counted() const;
  [[nodiscard]] Ending endingOf(std::int64_t wanted) const;
  [[nodiscard]] bool isFree(std::span<const double> q) const;
  void takeWorld(const IKRequest& request);
  void takeNearestOfLimbs(const IKRequest& request);
  // Decides on what spheres cannot tell of; returns whether the search goes on.
  bool decide(std::int64_t wanted, const Deadline& deadline);
  void beginWithForm(const Deadline& deadline);
  [[nodiscard]] search::MoreSeeds moreSeeds() const;
  void approachUnsolved(const Deadline& deadline);

  std::unique_ptr<const IKSolver::Prepared> within_;
  const IKSolver::Prepared& prepared_;
  SearchBox limits_;
  search::Budget budget_;
  std::int64_t size_;
  std::vector<double> targets_;  // (tips, 4, 4) tip in base [m]
  SearchSpace space_;
  Rows shift_;
  Rows ratios_;
  search::Run run_;
  std::array<search::Lane, kLanes> lanes_{};
  Rows memory_;  // of the lanes
  Rows first_;   // the first seed, where it is not the seed state
  Rows taken_;   // solutions that the caller has seen
  std::unique_ptr<const answers::BranchProblem> closed_form_;  // null: there is none
  search::SearchMemory found_;
  bool approached_ = false;
  std::optional<IKRequest> request_;  // if something is preferred
  // What solutions are to be free of, if there is a world.
  CollisionCheck check_;
  search::PushOut push_;
  std::optional<search::Decisions> decisions_;
};

}  // namespace generative_ik
