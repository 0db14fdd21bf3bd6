/// A tree whose tips hang on limbs that share no joint, each a chain with a closed form: its
/// solutions are all combinations of the limbs' solutions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "../answers/branch_problem.hpp"
#include "../answers/curve_problem.hpp"
#include "../answers/ordered_rows.hpp"
#include "../regions/surface_problem.hpp"
#include "../search/goal_problem.hpp"

namespace generative_ik::limbs {

/// Joints of a tree at the most.
inline constexpr int kMostVariables = 64;

using TreeBounds = answers::BoundsOf<kMostVariables>;

/// A limb of seven joints.
struct SevenJoints {
  answers::CurveProblem curves;    ///< Solutions all over their curves.
  regions::SurfaceProblem points;  ///< A few of them, sooner: the region is a pose.
};

/// The closed form of a chain: of six joints, or of seven.
using LimbForm = std::variant<answers::BranchProblem, SevenJoints>;

/// A limb.
struct Limb {
  LimbForm form;
  std::vector<std::int64_t> variables;  ///< Of the tree, in the order of the limb's joints.

  [[nodiscard]] std::int64_t size() const { return std::ssize(variables); }
  /// Whether its solutions of a pose are branches, all of which are known; else they form curves.
  [[nodiscard]] bool hasBranches() const {
    return std::holds_alternative<answers::BranchProblem>(form);
  }
  /// Writes the limb's numbers of a tree's (n).
  template <class Number>
  void gather(const Number* of_tree, Number* own) const {
    for (const std::int64_t v : variables) {
      *own++ = of_tree[v];
    }
  }
  /// Writes them into the tree's.
  void scatter(const double* own, double* of_tree) const {
    for (const std::int64_t v : variables) {
      of_tree[v] = *own++;
    }
  }
};

/// Limbs, and the tree that they are of. Limb k is that of goal k.
struct LimbsProblem {
  // NOLINTBEGIN(*-non-private-member-variables-in-classes): a problem's are read-only
  std::vector<Limb> limbs;
  std::int64_t size;  ///< Variables of the tree.
  TreeBounds bounds;
  /// Limits further apart by what full turns may be outside, see `answers::Accuracy::slack`.
  std::array<double, kMostVariables> wide_lower{};
  std::array<double, kMostVariables> wide_upper{};
  std::vector<std::int64_t> turned;  ///< Variables that have room for several turns.
  // NOLINTEND(*-non-private-member-variables-in-classes)

  /// Args: floats, ints: the tree with its goals, which are poses, see `search::GoalNumbers`.
  /// Throws std::invalid_argument if limbs are not those of the tree.
  LimbsProblem(std::vector<Limb> of_tree, const std::vector<double>& floats,
               const std::vector<std::int64_t>& ints, const TreeBounds& where,
               std::int64_t variables);

  /// The tree, to verify solutions.
  [[nodiscard]] const search::GoalNumbers& tree() const { return numbers_->tree; }
  /// Whether all limbs have branches.
  [[nodiscard]] bool hasBranches() const;
  /// Counts turns from a seed state (n), see `answers::BoundsOf::countFrom`.
  void countFrom(const double* seed);
  /// Args: weights: (n) what a rad or m counts in the distance from the reference.
  [[nodiscard]] answers::OrderBounds orderBounds(const double* weights) const;

 private:
  struct Numbers {
    std::vector<double> floats;
    std::vector<std::int64_t> ints;
    search::GoalNumbers tree;
  };

  void widen();

  std::shared_ptr<const Numbers> numbers_;  // copies share them
};

}  // namespace generative_ik::limbs
