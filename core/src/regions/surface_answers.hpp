/// Solutions all over a region, from the branches of many of its poses.
///
/// Where more is free than one angle of six joints, or one joint of seven, solutions form surfaces
/// rather than curves. They are sampled evenly all over the region, more of them than are wanted,
/// and the most diverse are chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "../answers/targets.hpp"
#include "placed_poses.hpp"
#include "surface_problem.hpp"

namespace generative_ik::regions {

/// Answers for one target at a time, in memory that is used again.
class SurfaceAnswerer {
 public:
  /// Args: random_seed: other samples with another one.
  SurfaceAnswerer(const SurfaceProblem& problem, std::int64_t wanted,
                  std::uint64_t random_seed = 0);

  /// Writes as many solutions as are wanted, or leaves the target to the search.
  void answer(const double* target, const answers::Answer& out);

 private:
  // Samples solutions until there are enough; returns at how many poses it looked.
  std::int64_t sample(const RegionAbout& region);
  // Samples the branches of a pose that are within the bounds, with the angle of a locked joint.
  void sampleBranches(const double* tip_pose, double angle, std::int64_t which);
  // Writes a branch behind the samples; returns whether it is within the bounds.
  bool turnInside(const double* branch, double angle);
  // Writes the most diverse samples; returns whether they are certainly distinct.
  bool choose(const answers::SolutionRows& rows);
  void copyChosen(double* positions) const;
  [[nodiscard]] bool lastIsDistinct(const double* positions) const;
  // Chooses other samples for those that are the same as one before them; returns whether there
  // are enough.
  bool replaceDuplicates(std::int64_t ranked, const answers::SolutionRows& rows);
  // The joint with the fewest pairs of chosen samples that lie near each other along it.
  [[nodiscard]] std::int64_t widestJoint(const double* positions) const;
  // Writes the poses of the region that the chosen samples are solutions of.
  void writeTargets(const RegionAbout& region);

  const SurfaceProblem& problem_;
  PlaceKernel place_;
  std::int64_t wanted_;
  std::int64_t first_;  // pose of the region
  std::int64_t joints_;
  std::int64_t sorted_by_;           // joint whose values tell most solutions apart
  std::int64_t enough_;              // samples
  std::int64_t count_ = 0;           // likewise, of those that there are
  std::vector<double> samples_;      // (enough and more, joints) [rad or m]
  std::vector<std::int64_t> which_;  // pose of the region that each is a solution of
  std::vector<std::int64_t> chosen_;
  std::vector<double> targets_;  // (wanted, 4, 4)
  std::vector<float> order_memory_;
  answers::RowMemory row_memory_;
};

/// Has the library's threads answer for `count` targets that are undone, until there is no more
/// time.
void answerAll(const SurfaceProblem& problem, const answers::Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop, std::uint64_t random_seed = 0);

}  // namespace generative_ik::regions
