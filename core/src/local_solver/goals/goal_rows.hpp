/// The lanes' memory of the local solver of several goals: how it is laid out, and begun with.
#pragma once

#include "goal_tree.hpp"

namespace generative_ik {

/// How many rows an iteration needs.
std::int64_t countGoalRows(const GoalTree& tree);

/// Lays out so many rows.
GoalRows goalRowsIn(LaneRow* memory, const GoalTree& tree);

/// Fills lanes that hold no seed yet with numbers that are safe to compute with.
void clearGoalLanes(const GoalRows& rows, const GoalTree& tree, const LaneOptions& options);

/// Writes the targets (goals, 4, 4) of all goals, tip in reference [m], and the regions (goals,
/// 18) about them to a lane.
void loadGoals(const double* targets, const double* regions, const GoalTree& tree,
               const GoalRows& rows, int lane);

}  // namespace generative_ik
