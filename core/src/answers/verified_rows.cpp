#include "verified_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../simd/constants.hpp"
#include "../verify/verifier.hpp"

namespace generative_ik::answers {
namespace {

// Near a singularity, or where a joint is held at a limit, three are too few.
constexpr int kMostCorrections = 10;

void moveRow(const SolutionRows& rows, std::int64_t from, std::int64_t to) {
  if (to < from) {
    std::copy_n(rows.positions + from * rows.size, rows.size, rows.positions + to * rows.size);
    rows.gaps[to] = rows.gaps[from];
  }
}

/// Has lanes with a larger error move, and no others; returns whether any does.
bool moveInexact(const SeedRows& lanes, double exact) {
  bool any = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool moves =
        lanes.position_error->lane[lane] > exact || lanes.orientation_error->lane[lane] > exact;
    lanes.moving->lane[lane] = moves ? 1.0 : 0.0;
    any = any || moves;
  }
  return any;
}

}  // namespace

void markDuplicates(const RowBounds& bounds, std::int64_t joints, std::int64_t count,
                    std::int64_t sorted_by, const SolutionRows& rows, RowMemory& memory) {
  const auto size = static_cast<std::size_t>(count);
  const bool around = bounds.circular[sorted_by];
  std::vector<RowPlace>& order = memory.places;
  order.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    const double q = rows.positions[static_cast<std::int64_t>(k) * rows.size + sorted_by];
    // Rows that are verified are finite, if all joints move the tip.
    order[k] = {!std::isfinite(q) ? 0.0
                : around          ? q - kTurn * std::floor(q / kTurn)
                                  : q,
                static_cast<std::int64_t>(k)};
  }
  std::sort(order.begin(), order.end());
  memory.met.assign(size, 0);
  for (std::size_t a = 0; a < size; ++a) {
    const auto& [place, i] = order[a];
    for (std::size_t b = a + 1; b < a + size; ++b) {
      const bool again = b >= size;
      const auto& [next, j] = order[again ? b - size : b];
      const double ahead = next - place + (again ? kTurn : 0.0);
      if (ahead >= bounds.distance || (again && !around)) {
        break;
      }
      if (isSame(rows.positions + i * rows.size, rows.positions + j * rows.size, joints,
                 bounds.circular, bounds.distance)) {
        memory.met[static_cast<std::size_t>(std::max(i, j))] = 1;
      }
    }
  }
}

std::int64_t dropDuplicates(const RowBounds& bounds, std::int64_t joints, std::int64_t count,
                            std::int64_t sorted_by, const SolutionRows& rows, RowMemory& memory) {
  markDuplicates(bounds, joints, count, sorted_by, rows, memory);
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (memory.met[static_cast<std::size_t>(k)] == 0) {
      moveRow(rows, k, kept);
      ++kept;
    }
  }
  return kept;
}

Verified keepVerified(const ChainNumbers& chain, const RowTargets& targets, std::int64_t count,
                      bool rough, const SolutionRows& rows, RowMemory& memory) {
  const std::int64_t* target_of_row = nullptr;
  if (targets.own != nullptr) {
    memory.order.resize(static_cast<std::size_t>(count));
    std::iota(memory.order.begin(), memory.order.end(), 0);
    target_of_row = memory.order.data();
  }
  verify::measure(chain.verifier(),
                  {rows.positions, rows.size, count, targets.first(), target_of_row}, rows.gaps);
  Verified kept = {0, 0.0};
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [distance, angle] = rows.gaps[k];
    const double larger = std::max(distance, angle);
    const bool good =
        distance <= chain.positionTolerance() && angle <= chain.orientationTolerance();
    if (good || (rough && larger < kFalse)) {
      moveRow(rows, k, kept.count);
      if (targets.own != nullptr && kept.count < k) {
        std::copy_n(targets.own + kOfPose * k, kOfPose, targets.own + kOfPose * kept.count);
      }
      kept.largest_error = std::max(kept.largest_error, larger);
      ++kept.count;
    }
  }
  return kept;
}

void makeExact(const ChainNumbers& chain, const RowBounds& bounds, const RowTargets& targets,
               std::int64_t count, const SolutionRows& rows, RowMemory& memory) {
  const std::int64_t joints = chain.numJoints();
  memory.lanes.resize(static_cast<std::size_t>(countRows(joints, joints)));
  const search::ChainProblem solver(chain.packed(), targets.first(), memory.lanes.data());
  const SeedRows& lanes = solver.rows();
  solver.clear();
  for (std::int64_t first = 0; first < count; first += kLanes) {
    const std::int64_t last = std::min<std::int64_t>(first + kLanes, count) - 1;
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::int64_t k = std::min(first + lane, last);
      for (std::int64_t v = 0; v < joints; ++v) {
        lanes.q[v].lane[lane] = rows.positions[k * rows.size + v];
      }
      if (targets.own != nullptr || first == 0) {
        solver.load(lane, targets.own != nullptr ? k : 0);
      }
    }
    for (int step = 0; step < kMostCorrections; ++step) {
      solver.measure();
      if (!moveInexact(lanes, bounds.exact)) {
        break;
      }
      solver.advance(bounds.soft_lower, bounds.soft_upper);
    }
    for (std::int64_t k = first; k <= last; ++k) {
      for (std::int64_t v = 0; v < joints; ++v) {
        rows.positions[k * rows.size + v] = lanes.q[v].lane[k - first];
      }
    }
  }
}

std::int64_t keepExact(const ChainNumbers& chain, const RowBounds& bounds,
                       const RowTargets& targets, std::int64_t count, std::int64_t sorted_by,
                       const SolutionRows& rows, RowMemory& memory) {
  const Verified rough = keepVerified(chain, targets, count, true, rows, memory);
  if (rough.largest_error <= bounds.exact) {
    return rough.count;
  }
  makeExact(chain, bounds, targets, rough.count, rows, memory);
  const Verified left = keepVerified(chain, targets, rough.count, false, rows, memory);
  // Beside a singular configuration rows move far, and meet.
  return dropDuplicates(bounds, chain.numJoints(), left.count, sorted_by, rows, memory);
}

}  // namespace generative_ik::answers
