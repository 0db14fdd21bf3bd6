#include "limbs_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace generative_ik::limbs {
namespace {

using answers::BranchProblem;

void require(bool condition, const char* fault) {
  if (!condition) {
    throw std::invalid_argument(fault);
  }
}

std::int64_t jointsOf(const Limb& limb) {
  if (const auto* branches = std::get_if<BranchProblem>(&limb.form)) {
    return branches->chain.numJoints();
  }
  const auto& seven = std::get<SevenJoints>(limb.form);
  require(!seven.curves.inRegion() && seven.points.numJoints() == answers::kCurveJoints,
          "limbs: a limb of seven joints is for poses");
  return answers::kCurveJoints;
}

/// Throws unless each of so many variables is that of one limb.
void checkVariables(const std::vector<Limb>& limbs, std::int64_t count) {
  std::vector<int> used(static_cast<std::size_t>(count), 0);
  for (const Limb& limb : limbs) {
    require(limb.size() == jointsOf(limb), "variables: expected one for each joint of a limb");
    for (const std::int64_t v : limb.variables) {
      require(v >= 0 && v < count, "variables: there are fewer in the tree");
      ++used[static_cast<std::size_t>(v)];
    }
  }
  require(std::ranges::all_of(used, [](int times) { return times == 1; }),
          "variables: expected each to be that of one limb");
}

}  // namespace

LimbsProblem::LimbsProblem(std::vector<Limb> of_tree, const std::vector<double>& floats,
                           const std::vector<std::int64_t>& ints, const TreeBounds& where,
                           std::int64_t variables)
    : limbs(std::move(of_tree)), size(variables), bounds(where) {
  auto numbers = std::make_shared<Numbers>(Numbers{floats, ints, {}});
  search::GoalNumbers& tree = numbers->tree;
  const Packed packed = {numbers->floats.data(), numbers->floats.size(), numbers->ints.data(),
                         numbers->ints.size()};
  require(tree.read(packed), "floats and ints: not those of a tree with its goals");
  require(size <= kMostVariables && tree.tree.num_variables == size,
          "floats and ints: those of a tree with other variables");
  require(!limbs.empty() && tree.tree.num_goals == std::ssize(limbs),
          "limbs: expected one for each goal");
  require(tree.checks.count == 1 &&
              std::all_of(tree.checks.bounded, tree.checks.bounded + tree.tree.num_goals,
                          [](std::int64_t bounded) { return bounded == 0; }),
          "floats and ints: the goals are not poses");
  checkVariables(limbs, size);
  numbers_ = std::move(numbers);
  widen();
  for (const Limb& limb : limbs) {
    if (const auto* branches = std::get_if<BranchProblem>(&limb.form)) {
      for (const std::int64_t joint : branches->turned) {
        turned.push_back(limb.variables[static_cast<std::size_t>(joint)]);
      }
    } else {
      const answers::CurveBounds& own = std::get<SevenJoints>(limb.form).curves.bounds;
      for (std::size_t joint = 0; joint < limb.variables.size(); ++joint) {
        if (own.circular[joint] &&
            std::isfinite(own.upper_limit[joint] - own.lower_limit[joint])) {
          turned.push_back(limb.variables[joint]);
        }
      }
    }
  }
  std::ranges::sort(turned);
}

bool LimbsProblem::hasBranches() const {
  return std::ranges::all_of(limbs, [](const Limb& limb) { return limb.hasBranches(); });
}

void LimbsProblem::widen() {
  for (const Limb& limb : limbs) {
    const auto* branches = std::get_if<BranchProblem>(&limb.form);
    const double slack = branches != nullptr ? branches->accuracy.slack : 0.0;
    for (const std::int64_t variable : limb.variables) {
      const auto v = static_cast<std::size_t>(variable);
      wide_lower[v] = bounds.lower[v] - slack;
      wide_upper[v] = bounds.upper[v] + slack;
    }
  }
}

void LimbsProblem::countFrom(const double* seed) {
  bounds.countFrom(seed, static_cast<int>(size));
  widen();
  std::array<double, answers::kCurveJoints> own{};
  for (Limb& limb : limbs) {
    limb.gather(seed, own.data());
    if (auto* branches = std::get_if<BranchProblem>(&limb.form)) {
      branches->countFrom(own.data());
    } else {
      std::get<SevenJoints>(limb.form).curves.bounds.countFrom(own.data());
    }
  }
}

answers::OrderBounds LimbsProblem::orderBounds(const double* weights) const {
  return {size,
          bounds.lower,
          bounds.upper,
          wide_lower.data(),
          wide_upper.data(),
          bounds.reference,
          bounds.lower_limit,
          bounds.upper_limit,
          bounds.periodic,
          bounds.unit,
          weights,
          turned};
}

}  // namespace generative_ik::limbs
