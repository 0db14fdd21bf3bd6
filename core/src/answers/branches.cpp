#include "branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "probe.hpp"
#include "sensitivity.hpp"

namespace generative_ik::answers {
namespace {

// Branches no further than this outside a limit may be solutions on it, within the tolerances
// [rad or m]; near a singularity the distance at which solutions are the same counts.
constexpr double kBeside = 1e-3;

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

}  // namespace

Found findBranches(const BranchProblem& problem, double slack, const double* tip_pose,
                   bool any_one, BranchRows& rows) {
  static const SensitivityKernel measure =
      simd::usable([](auto set) { return sensitivity(set); }).front();
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
    others = std::max(others, othersOf(measure(problem.chain.verifier(), problem.bounds,
                                               problem.accuracy, slack, tip_pose, count, rows)));
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
    const auto same = [&](const double* other) {
      return isSame(other, q, kJoints, problem.bounds.circular, problem.accuracy.distance);
    };
    if (std::none_of(rows.q, rows.q + kept, same)) {
      rows.copy(k, kept);
      ++kept;
    }
  }
  return kept;
}

double largestError(const BranchRows& rows, int count) {
  double largest = 0.0;
  for (int k = 0; k < count; ++k) {
    largest = std::max({largest, rows.gap[k].distance, rows.gap[k].angle});
  }
  return largest;
}

void makeExact(const BranchProblem& problem, const double* tip_pose, int count, BranchRows& rows,
               RowMemory& memory) {
  const JointBounds& bounds = problem.bounds;
  makeExact(problem.chain,
            {bounds.soft_lower, bounds.soft_upper, bounds.circular, problem.accuracy.distance,
             problem.accuracy.exact},
            {tip_pose}, count, {rows.q[0], kJoints, rows.gap}, memory);
}

Gathered gatherBranches(const BranchProblem& problem, const double* tip_pose, BranchRows& rows,
                        RowMemory& memory) {
  const Found found = findBranches(problem, 0.0, tip_pose, false, rows);
  const int count = found.count - found.beside;
  if (largestError(rows, count) > problem.accuracy.exact) {
    makeExact(problem, tip_pose, count, rows, memory);
  }
  return {count, found.others == Others::kNone && problem.accuracy.certain};
}

}  // namespace generative_ik::answers
