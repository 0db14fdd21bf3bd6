#include "region_forms.hpp"

#include <cmath>
#include <utility>

#include "../answers/curve_answer.hpp"
#include "../regions/region_numbers.hpp"
#include "../regions/surface_answers.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "../verify/placer.hpp"
#include "at_once.hpp"

namespace generative_ik {
namespace {

using answers::BranchProblem;
using answers::CurveProblem;
using answers::kCurveJoints;
using answers::kJoints;
using regions::FreeCoordinate;
using regions::PoseSequence;

// Most solutions where branches are zeros of a polynomial: a search finds more as soon, and, where
// the orientation is not free, more evenly.
constexpr std::size_t kMostOfZeros = 30;
constexpr std::size_t kMostOfZerosTurned = 300;

std::vector<double> rowsOf(const std::vector<Solution>& solutions) {
  std::vector<double> rows;
  for (const Solution& solution : solutions) {
    rows.insert(rows.end(), solution.q.begin(), solution.q.end());
  }
  return rows;
}

// Appends full turns of solutions, as many as are missing.
void addTurns(const answers::CurveBounds& bounds, std::size_t wanted,
              std::vector<Solution>& found) {
  std::vector<std::int64_t> turned;
  for (int v = 0; v < kJoints; ++v) {
    if (bounds.circular[v] && std::isfinite(bounds.upper_limit[v] - bounds.lower_limit[v])) {
      turned.push_back(v);
    }
  }
  const std::vector<double> rows = rowsOf(found);
  const auto missing = static_cast<std::int64_t>(wanted - found.size());
  const std::vector<double> more =
      limitedTurns({rows.data(), std::ssize(found), kJoints, bounds.reference, bounds.lower,
                    bounds.upper, turned.data(), std::ssize(turned)},
                   missing);
  for (std::size_t first = 0; first < more.size(); first += kJoints) {
    found.push_back({Eigen::Map<const Vector>(more.data() + first, kJoints), 0.0, 0.0});
  }
}

std::optional<IKSolutions> aboutAxis(const CurveProblem& curves, const double* pose,
                                     std::size_t wanted) {
  auto found = solutionsOf(answers::CurveAnswerer(curves, answers::curveMemory()), pose,
                           kCurveJoints, wanted, kJoints);
  if (found && found->solutions.size() < wanted) {
    addTurns(curves.bounds, wanted, found->solutions);
    found->status = statusOf(found->solutions.size(), wanted, false);
  }
  return found;
}

}  // namespace

CurveProblem curvesAbout(const BranchProblem& branches, const FreeCoordinate& free) {
  // It is no joint's: nothing counts in a distance.
  constexpr double kNoUnit = 1e300;
  answers::CurveBounds bounds = answers::widened<kCurveJoints>(branches.bounds);
  constexpr int kLast = kCurveJoints - 1;
  bounds.lower[kLast] = bounds.soft_lower[kLast] = free.lower;
  bounds.upper[kLast] = bounds.soft_upper[kLast] = free.upper;
  bounds.reference[kLast] = (free.lower + free.upper) / 2.0;
  bounds.circular[kLast] = !free.slides && free.upper - free.lower >= kTurn;
  bounds.lower_limit[kLast] = -kInfinity;
  bounds.upper_limit[kLast] = kInfinity;
  bounds.periodic[kLast] = false;
  bounds.unit[kLast] = kNoUnit;
  const Eigen::Vector3d axis = -Eigen::Vector3d::Unit(free.axis);
  return {branches.form, lockedAtTip(axis, branches.parameters, free.slides), branches.chain,
          bounds, branches.accuracy.distance};
}

std::size_t mostWantedOf(const ClosedForm& form, const PoseSequence& sequence) {
  if (answers::isSpecial(form)) {
    return kMostAtOnce;
  }
  return sequence.rotation == regions::RotationKind::kFree ? kMostOfZerosTurned : kMostOfZeros;
}

RegionForms::RegionForms(regions::SurfaceProblem all_over, const TaskSpaceRegion& region,
                         const Tolerance& tolerance)
    : all_over_(std::move(all_over)),
      check_(regions::checkNumbers(region)),
      tolerances_{tolerance.position, tolerance.orientation} {}

std::optional<RegionForms> RegionForms::of(const BranchProblem& branches,
                                           const TaskSpaceRegion& region,
                                           const Tolerance& tolerance, double reach) {
  const std::optional<PoseSequence> sequence =
      regions::sequenceOf(region, tolerance, reach, false);
  if (!sequence || answers::isGeneral(branches.form)) {
    return std::nullopt;
  }
  RegionForms forms({branches, *sequence}, region, tolerance);
  if (answers::isSpecial(branches.form)) {
    forms.branches_ = &branches;
    forms.free_ = FreeCoordinate::of(region, tolerance);
  }
  return forms;
}

std::optional<RegionForms> RegionForms::of(const CurveProblem& curves,
                                           const TaskSpaceRegion& region,
                                           const Tolerance& tolerance, double reach) {
  const std::optional<PoseSequence> sequence = regions::sequenceOf(region, tolerance, reach, true);
  if (!sequence) {
    return std::nullopt;
  }
  return RegionForms(regions::SurfaceProblem(curves, *sequence), region, tolerance);
}

std::optional<IKSolutions> RegionForms::solutions(const double* pose, std::size_t wanted,
                                                  std::uint64_t random_seed) const {
  // One point of a curve is found as soon on a surface.
  std::optional<IKSolutions> found =
      free_ && wanted > 1
          ? aboutAxis(curvesAbout(*branches_, *free_), pose, wanted)
          : solutionsOf(regions::SurfaceAnswerer(all_over_, static_cast<std::int64_t>(wanted),
                                                 random_seed),
                        pose, all_over_.numJoints(), wanted);
  return found && areInside(pose, found->solutions) ? std::move(found) : std::nullopt;
}

bool RegionForms::areInside(const double* pose, std::vector<Solution>& found) const {
  constexpr std::size_t kOfPose = 16;
  const std::vector<double> rows = rowsOf(found);
  std::vector<double> tips(kOfPose * found.size());
  verify::placeTips(all_over_.chain.verifier(),
                    {rows.data(), std::ssize(found), all_over_.numJoints()}, tips.data());
  const double* tip = tips.data();
  for (Solution& solution : found) {
    const verify::GoalGap gap = verify::measureTip({check_.data()}, tolerances_, tip, pose);
    if (!gap.inside || !(gap.gap.distance <= tolerances_.position) ||
        !(gap.gap.angle <= tolerances_.orientation)) {
      return false;
    }
    solution.position_error = gap.gap.distance;
    solution.orientation_error = gap.gap.angle;
    tip += kOfPose;
  }
  return true;
}

}  // namespace generative_ik
