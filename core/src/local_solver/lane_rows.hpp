/// The lanes' memory of the local solver of one tip: how it is laid out, and begun with.
#pragma once

#include "lane_problem.hpp"
#include "pose_numbers.hpp"

namespace generative_ik {

/// How many rows an iteration needs.
std::int64_t countRows(std::int64_t num_joints, std::int64_t num_variables);

/// The first rows in memory of so many numbers, which has room for all of them but one; null if it
/// has not: rows begin at multiples of their own size.
LaneRow* alignedRows(double* memory, std::int64_t size);

/// Lays out so many rows.
LaneRows rowsIn(LaneRow* memory, std::int64_t num_joints, std::int64_t num_variables);

/// Fills the rows that every local solver has with numbers that are safe to compute with.
void clearSeeds(const SeedRows& rows, std::int64_t num_variables, const LaneOptions& options);

/// Likewise of one tip: its target is the origin.
void clearLanes(const LaneRows& rows, std::int64_t num_variables, const LaneOptions& options);

/// How many more rows steps towards the nearest solution need.
std::int64_t countNearestRows(std::int64_t num_variables);

/// Lays these out.
NearestRows nearestRowsIn(LaneRow* memory, std::int64_t num_variables);

/// Begins with a reference (variables) in a lane, whose configuration is written elsewhere.
void beginNearest(const NearestRows& rows, std::int64_t num_variables, const double* reference,
                  int lane);

/// Writes a pose of seven numbers to seven rows of a lane.
void loadPose(const double* numbers, LaneRow* rows, int lane);

}  // namespace generative_ik
