#include "lane_rows.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace generative_ik {
namespace {

void fill(LaneRow& row, double value) {
  std::fill_n(row.lane, kLanes, value);
}

}  // namespace

std::int64_t countRows(std::int64_t num_joints, std::int64_t num_variables) {
  constexpr std::int64_t kOthers = 5 + kPoseNumbers + 3 + 6;
  return 7 * num_variables + 6 * num_joints + kOthers;
}

LaneRow* alignedRows(double* memory, std::int64_t size) {
  void* first = memory;
  std::size_t space = static_cast<std::size_t>(size) * sizeof(double);
  return static_cast<LaneRow*>(std::align(alignof(LaneRow), sizeof(LaneRow), first, space));
}

LaneRows rowsIn(LaneRow* memory, std::int64_t num_joints, std::int64_t num_variables) {
  const auto take = [&memory](std::int64_t count) {
    return std::exchange(memory, memory + count);
  };
  LaneRows rows{};
  rows.seeds.q = take(num_variables);
  rows.seeds.moving = take(1);
  rows.seeds.damping = take(1);
  rows.seeds.stretch = take(1);
  rows.seeds.position_error = take(1);
  rows.seeds.orientation_error = take(1);
  rows.target = take(kPoseNumbers);
  rows.axes = take(6 * num_joints);
  rows.jacobian = take(6 * num_variables);
  rows.tip = take(3);
  rows.error = take(6);
  return rows;
}

std::int64_t countNearestRows(std::int64_t num_variables) {
  constexpr std::int64_t kOthers = 6 + 11;
  return 3 * num_variables + kOthers;
}

NearestRows nearestRowsIn(LaneRow* memory, std::int64_t num_variables) {
  const auto take = [&memory](std::int64_t count) {
    return std::exchange(memory, memory + count);
  };
  NearestRows rows{};
  rows.reference = take(num_variables);
  rows.way = take(num_variables);
  rows.slide = take(num_variables);
  rows.multipliers = take(6);
  rows.share = take(1);
  rows.slides = take(1);
  rows.left = take(1);
  rows.distance = take(1);
  rows.ahead = take(1);
  rows.least = take(1);
  rows.steps = take(1);
  rows.worst = take(1);
  rows.bound = take(1);
  rows.brief = take(1);
  rows.check_at = take(1);
  return rows;
}

void beginNearest(const NearestRows& rows, std::int64_t num_variables, const double* reference,
                  int lane) {
  for (std::int64_t v = 0; v < num_variables; ++v) {
    rows.reference[v].lane[lane] = reference[v];
    rows.slide[v].lane[lane] = 0.0;
  }
  for (int k = 0; k < 6; ++k) {
    rows.multipliers[k].lane[lane] = 0.0;
  }
  rows.share->lane[lane] = 1.0;
  rows.slides->lane[lane] = 1.0;
  rows.left->lane[lane] = std::numeric_limits<double>::infinity();
  rows.distance->lane[lane] = 0.0;
  rows.least->lane[lane] = std::numeric_limits<double>::infinity();
  rows.steps->lane[lane] = 0.0;
}

void clearSeeds(const SeedRows& rows, std::int64_t num_variables, const LaneOptions& options) {
  for (std::int64_t v = 0; v < num_variables; ++v) {
    fill(rows.q[v], 0.0);
  }
  fill(*rows.moving, 0.0);
  fill(*rows.damping, options.damping);
  fill(*rows.stretch, 1.0);
}

void clearLanes(const LaneRows& rows, std::int64_t num_variables, const LaneOptions& options) {
  clearSeeds(rows.seeds, num_variables, options);
  for (int k = 0; k < kPoseNumbers; ++k) {
    fill(rows.target[k], k + 1 == kPoseNumbers ? 1.0 : 0.0);
  }
}

void loadPose(const double* numbers, LaneRow* rows, int lane) {
  for (int k = 0; k < kPoseNumbers; ++k) {
    rows[k].lane[lane] = numbers[k];
  }
}

}  // namespace generative_ik
