/// What closed forms answer within regions about the targets of one tip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <generative_ik/solver.hpp>
#include <optional>
#include <vector>

#include "../answers/branch_problem.hpp"
#include "../answers/curve_problem.hpp"
#include "../regions/region_numbers.hpp"
#include "../regions/surface_problem.hpp"
#include "../verify/goal_verifier.hpp"

namespace generative_ik {

/// Those of an arm with a joint at its tip, which moves the tip back to the target: the
/// coordinate.
answers::CurveProblem curvesAbout(const answers::BranchProblem& branches,
                                  const regions::FreeCoordinate& free);

/// How many solutions all over a region a form is asked for at the most: a search finds more as
/// soon.
std::size_t mostWantedOf(const ClosedForm& form, const regions::PoseSequence& sequence);

/// It refers to those of a solver.
class RegionForms {
 public:
  /// That of an arm of six joints, or of seven; none if it takes long, or the region is too
  /// tangled. Args: reach: no tip is further from the base [m].
  static std::optional<RegionForms> of(const answers::BranchProblem& branches,
                                       const TaskSpaceRegion& region, const Tolerance& tolerance,
                                       double reach);
  static std::optional<RegionForms> of(const answers::CurveProblem& curves,
                                       const TaskSpaceRegion& region, const Tolerance& tolerance,
                                       double reach);

  [[nodiscard]] std::size_t mostWanted() const {
    return mostWantedOf(all_over_.form, all_over_.sequence);
  }

  /// The most diverse solutions all over the region about a pose (4, 4), and full turns of them
  /// where these are fewer than wanted, each verified to be inside; none if a search has to look.
  [[nodiscard]] std::optional<IKSolutions> solutions(const double* pose, std::size_t wanted,
                                                     std::uint64_t random_seed) const;

 private:
  RegionForms(regions::SurfaceProblem all_over, const TaskSpaceRegion& region,
              const Tolerance& tolerance);

  // Whether solutions, which were verified at poses of the region, are inside it; writes how far
  // each is outside.
  bool areInside(const double* pose, std::vector<Solution>& found) const;

  regions::SurfaceProblem all_over_;
  // Of six joints, where there is a formula, and the one free coordinate of the region: a joint at
  // the tip.
  const answers::BranchProblem* branches_ = nullptr;
  std::optional<regions::FreeCoordinate> free_;
  std::array<double, verify::Region::kSize> check_;
  verify::Tolerances tolerances_;
};

}  // namespace generative_ik
