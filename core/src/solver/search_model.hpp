/// What a solver's searches work on: the chain of one tip, the chains of several, or regions.
#pragma once

#include <cstdint>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/solver.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "../regions/region_numbers.hpp"
#include "../search/chain_problem.hpp"
#include "../search/run_search.hpp"
#include "packed_chain.hpp"

namespace generative_ik {

/// Chains from one base, packed once for all searches, and their variables.
class SearchModel {
 public:
  /// Args: preferred: what is met exactly, the other error as nearly as possible; kNone: both. It
  /// is for a single chain. Throws std::invalid_argument if chains differ about a variable.
  SearchModel(const std::vector<Chain>& chains, const Tolerance& tolerance,
              Preference preferred = Preference::kNone);
  /// The same chains within regions about the targets.
  SearchModel(const SearchModel& poses, const regions::PackedRegions& regions);
  // Views point into its own numbers.
  SearchModel(const SearchModel&) = delete;
  SearchModel& operator=(const SearchModel&) = delete;
  SearchModel(SearchModel&&) = delete;
  SearchModel& operator=(SearchModel&&) = delete;
  ~SearchModel() = default;

  [[nodiscard]] const std::vector<Variable>& variables() const { return joints_->variables; }
  /// The change of each variable that counts as 1 rad [rad or m].
  [[nodiscard]] const Vector& units() const { return joints_->units; }
  /// All chains.
  [[nodiscard]] const JointTree& tree() const { return joints_->tree; }
  /// The part of a configuration that a chain has.
  [[nodiscard]] Vector ofChain(std::size_t chain, const Vector& q) const;
  /// Which of the variables these are, if there are several chains.
  [[nodiscard]] const std::vector<std::int64_t>& placesOf(std::size_t chain) const {
    return joints_->places[chain];
  }
  [[nodiscard]] const PackedChain& packed() const { return packed_; }
  [[nodiscard]] const LaneOptions& options() const { return packed_.options; }
  /// How many coordinates of the tips' poses are constrained.
  [[nodiscard]] int numConstraints() const { return constraints_; }
  /// Whether targets are those of several tips, or regions.
  [[nodiscard]] bool hasGoals() const { return goals_.has_value(); }
  /// These; null of a pose.
  [[nodiscard]] const search::GoalNumbers* goals() const { return goals_ ? &*goals_ : nullptr; }

  /// The problem of a search for targets (T, tips, 4, 4).
  [[nodiscard]] search::TargetProblem problem(const double* targets) const {
    return {packed_.view(), goals(), targets};
  }

 private:
  // What is the same whatever the regions.
  struct Joints {
    std::vector<Variable> variables;
    std::vector<std::vector<std::int64_t>> places;  // of each chain's variables, if several
    Vector units;
    JointTree tree;       // of all chains
    LaneOptions options;  // for the tree
    Tolerance tolerance;
  };

  void takeGoals(const regions::PackedRegions& regions);

  std::shared_ptr<const Joints> joints_;
  PackedChain packed_;
  std::optional<search::GoalNumbers> goals_;  // views of the packed numbers
  int constraints_;
};

}  // namespace generative_ik
