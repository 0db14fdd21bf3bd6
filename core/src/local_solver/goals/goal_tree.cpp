#include "goal_tree.hpp"

#include <algorithm>

namespace generative_ik {
namespace {

bool allWithin(const std::int64_t* indices, std::int64_t count, std::int64_t lower,
               std::int64_t upper) {
  return std::all_of(indices, indices + count,
                     [lower, upper](std::int64_t i) { return lower <= i && i < upper; });
}

}  // namespace

bool countParts(GoalTree& tree, std::int64_t path_size) {
  const std::int64_t joints = tree.num_joints;
  const std::int64_t goals = tree.num_goals;
  std::int64_t last = -1;
  for (std::int64_t j = 0; j < joints; ++j) {
    if (tree.slot[j] >= joints) {
      return false;
    }
    last = std::max(last, tree.slot[j]);
  }
  tree.num_slots = last + 1;
  last = -1;
  for (std::int64_t p = 0; p < path_size; ++p) {
    const std::int64_t* part = tree.path + 3 * p;
    if (part[0] < 0 || part[0] >= joints || part[2] < 0 || part[2] >= goals * tree.num_variables) {
      return false;
    }
    last = std::max(last, part[2]);
  }
  tree.num_columns = last + 1;
  const std::int64_t slots = tree.num_slots;
  return slots <= joints && tree.num_columns <= goals * tree.num_variables &&
         allWithin(tree.variable, joints, 0, tree.num_variables) &&
         allWithin(tree.begin, joints, GoalTree::kBefore, slots) &&
         allWithin(tree.tip_slot, goals, GoalTree::kBase, slots) &&
         allWithin(tree.reference_slot, goals, GoalTree::kIdentity, slots) &&
         allWithin(tree.column, goals * tree.num_variables, -1, tree.num_columns) &&
         allWithin(tree.path_end, goals, 0, path_size + 1);
}

}  // namespace generative_ik
