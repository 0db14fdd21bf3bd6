#include "branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../select/full_turns.hpp"
#include "../simd/instruction_sets.hpp"
#include "../verify/verifier.hpp"
#include "probe.hpp"
#include "sensitivity.hpp"

namespace generative_ik::answers {
namespace {

// Branches no further than this outside a limit may be solutions on it, within the tolerances
// [rad or m]; near a singularity the distance at which solutions are the same counts.
constexpr double kBeside = 1e-3;
// Branches with a larger error are none [m and rad]; rounded descriptions are off by less.
constexpr double kFalse = 2e-2;

SensitivityKernel sensitivityKernel() {
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    return sensitivityAvx512();
  }
  if (simd::hasAvx2()) {
    return sensitivityAvx2();
  }
#endif
  return sensitivityBaseline();
}

/// Turns a branch into the bounds, or puts it on them; returns by how much it was outside.
///
/// Circular joints come as near to the reference as they can; in the others there is room for one
/// turn at most. What is outside by more than `most` [rad or m] stays there, by infinity.
double turnInside(const JointBounds& bounds, double most, double* q) {
  double outside = 0.0;
  for (int v = 0; v < kJoints; ++v) {
    const double lower = bounds.lower[v];
    const double upper = bounds.upper[v];
    double x = q[v];
    if (bounds.circular[v]) {
      x = turnTowards(x, bounds.reference[v], lower, upper);
    } else if (!(lower <= x && x <= upper)) {
      if (bounds.periodic[v]) {
        x += kTurn * std::ceil((lower - x) / kTurn);
        if (x > upper && lower - (x - kTurn) < x - upper) {
          x -= kTurn;
        }
      }
      const double beside = std::max({x - upper, lower - x, 0.0});
      if (!(beside <= most)) {
        return std::numeric_limits<double>::infinity();
      }
      outside = std::max(outside, beside);
      x = std::min(std::max(x, lower), upper);
    }
    q[v] = x;
  }
  return outside;
}

struct Kept {
  int count;
  Others others;
  bool curves;  // whether there are nearly singular branches
};

/// Moves the branches that may be solutions to the front. Without errors, those that are nearly
/// inside have to be measured when they are needed.
Kept keepInside(int count, double distance, bool measured, BranchRows& rows) {
  Kept kept = {0, Others::kNone, false};
  for (int k = 0; k < count; ++k) {
    bool keep = rows.outside[k] <= kBeside;
    if (measured) {
      keep = keep || rows.outside[k] * rows.least[k] <= kRegular * distance;
      if (keep && rows.outside[k] == 0.0 &&
          std::max(rows.gap[k].distance, rows.gap[k].angle) >= kFalse) {
        keep = false;
        kept.others = Others::kOpen;
      }
      if (rows.least[k] <= kRegular) {
        kept.curves = true;
        if (rows.least[k] == 0.0 || !keep) {
          kept.others = Others::kOpen;
        }
      }
    }
    if (keep) {
      rows.copy(k, kept.count);
      ++kept.count;
    }
  }
  return kept;
}

Others othersOf(Doubt doubt) {
  switch (doubt) {
    case Doubt::kNone:
      return Others::kNone;
    case Doubt::kOfTurn:
      return Others::kFew;
    case Doubt::kOfLimit:
      break;
  }
  return Others::kOpen;
}

bool isSame(const BranchProblem& problem, const double* one, const double* other) {
  for (int v = 0; v < kJoints; ++v) {
    double apart = std::abs(one[v] - other[v]);
    if (problem.bounds.circular[v]) {
      apart = std::abs(apart - kTurn * std::rint(apart / kTurn));
    }
    if (apart >= problem.accuracy.distance) {
      return false;
    }
  }
  return true;
}

}  // namespace

Found findBranches(const BranchProblem& problem, double slack, const double* tip_pose,
                   bool any_one, BranchRows& rows) {
  static const SensitivityKernel measure = sensitivityKernel();
  const double distance = problem.accuracy.distance;
  const std::int64_t answer = problem.form.kernel(problem.parameters.data(), tip_pose, rows.q[0]);
  const int count = static_cast<int>(answer < 0 ? -1 - answer : answer);
  Others others = answer < 0 ? Others::kOpen : Others::kNone;
  int inside = 0;
  for (int k = 0; k < count; ++k) {
    rows.outside[k] = turnInside(problem.bounds, std::max(distance, kBeside), rows.q[k]);
    inside += rows.outside[k] <= kBeside ? 1 : 0;
  }
  const bool measured = !(any_one && inside > 1);
  if (measured && count > 0) {
    others = std::max(others, othersOf(measure(problem.chain, problem.bounds, problem.accuracy,
                                               slack, tip_pose, count, rows)));
  }
  const Kept kept = keepInside(count, distance, measured, rows);
  others = std::max(others, kept.others);
  int total = kept.count;
  for (int k = 0; kept.curves && k < kept.count; ++k) {
    if (rows.least[k] <= kRegular && others < Others::kOpen) {
      const Probe probe = follow(problem, tip_pose, k, total, rows);
      total = probe.rows;
      others = std::max(others, probe.alone   ? Others::kNone
                                : probe.known ? Others::kFew
                                              : Others::kOpen);
    }
  }
  return {total, total - kept.count, others, count, measured};
}

int dropDuplicates(const BranchProblem& problem, int count, BranchRows& rows) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const double* q = rows.q[k];
    const auto same = [&](const double* other) { return isSame(problem, other, q); };
    if (std::none_of(rows.q, rows.q + kept, same)) {
      rows.copy(k, kept);
      ++kept;
    }
  }
  return kept;
}

int keepVerified(const BranchProblem& problem, const double* tip_pose, double* positions,
                 int count, PoseGap* gaps) {
  verify::measure(problem.chain, {positions, kJoints, count, tip_pose, nullptr}, gaps);
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    if (gaps[k].distance <= problem.accuracy.position_tolerance &&
        gaps[k].angle <= problem.accuracy.orientation_tolerance) {
      if (kept < k) {
        std::copy_n(positions + k * kJoints, kJoints, positions + kept * kJoints);
      }
      gaps[kept] = gaps[k];
      ++kept;
    }
  }
  return kept;
}

void makeExact(const BranchProblem& problem, const double* tip_pose, int count, BranchRows& rows) {
  // Near a singularity, or where a joint is held at a limit, three are too few.
  constexpr int kMostSteps = 10;
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(kJoints, kJoints)));
  const search::ChainProblem solver(problem.packed(), tip_pose, memory.data());
  const SeedRows& lanes = solver.rows();
  solver.clear();
  for (int lane = 0; lane < kLanes; ++lane) {
    solver.load(lane, 0);
  }
  const double exact = problem.accuracy.exact;
  for (int first = 0; first < count; first += kLanes) {
    const int some = std::min(kLanes, count - first);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int v = 0; v < kJoints; ++v) {
        lanes.q[v].lane[lane] = rows.q[first + std::min(lane, some - 1)][v];
      }
    }
    for (int step = 0; step < kMostSteps; ++step) {
      solver.measure();
      bool far = false;
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool moves = lanes.position_error->lane[lane] > exact ||
                           lanes.orientation_error->lane[lane] > exact;
        lanes.moving->lane[lane] = moves ? 1.0 : 0.0;
        far = far || moves;
      }
      if (!far) {
        break;
      }
      solver.advance(problem.bounds.soft_lower, problem.bounds.soft_upper);
    }
    for (int lane = 0; lane < some; ++lane) {
      for (int v = 0; v < kJoints; ++v) {
        rows.q[first + lane][v] = lanes.q[v].lane[lane];
      }
    }
  }
}

double largestError(const BranchRows& rows, int count) {
  double largest = 0.0;
  for (int k = 0; k < count; ++k) {
    largest = std::max({largest, rows.gap[k].distance, rows.gap[k].angle});
  }
  return largest;
}

Gathered gatherBranches(const BranchProblem& problem, const double* tip_pose, BranchRows& rows) {
  const Found found = findBranches(problem, 0.0, tip_pose, false, rows);
  const int count = found.count - found.beside;
  if (largestError(rows, count) > problem.accuracy.exact) {
    makeExact(problem, tip_pose, count, rows);
  }
  return {count, found.others == Others::kNone && problem.accuracy.certain};
}

}  // namespace generative_ik::answers
