/// Steps from several configurations towards the solutions nearest to seed states.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "../local_solver/lane_kernels.hpp"
#include "../verify/verifier.hpp"

namespace generative_ik::search {

/// Where steps begin, besides its configuration. Those of a target follow one another.
struct DescentStart {
  const double* tip_pose = nullptr;  ///< (4, 4) tip in base [m].
  const double* seed = nullptr;      ///< (n) seed state.
  double bound =
      0.0;  ///< Squared distance from the seed state beyond which no solution is the nearest.
  std::int64_t target = 0;  ///< Which solution is looked for.
  bool brief = false;       ///< Whether it is given up where the first steps lead to none.
  /// Squared distance up to which the solution that it comes to, if no joint of it is at a limit,
  /// is the target's, whatever other starts come to.
  double settles = -1.0;
};

/// Starts and what they come to, in memory that is used again.
class DescentMemory {
 public:
  /// Begins with no starts, of so many targets for a chain of so many variables.
  void begin(std::int64_t num_targets, std::int64_t size);
  /// Begins anew with a target.
  void forget(std::int64_t target);
  void add(const DescentStart& start, const double* q);
  /// The same for a configuration (n) that is written there.
  double* add(const DescentStart& start);
  /// Has no starts again; what they have come to stays.
  void clearStarts();
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t numStarts() const {
    return static_cast<std::int64_t>(starts_.size());
  }
  /// Squared distance of a target's nearest solution; infinite if there is none.
  [[nodiscard]] double distance(std::int64_t target) const {
    return distances_[static_cast<std::size_t>(target)];
  }
  /// Whether it is the target's for good, see `DescentStart::settles`.
  [[nodiscard]] bool isSettled(std::int64_t target) const {
    return settled_[static_cast<std::size_t>(target)] != 0;
  }
  /// That solution (n), not a number if there is none.
  [[nodiscard]] const double* nearest(std::int64_t target) const {
    return nearest_.data() + size_ * target;
  }

 private:
  friend class Descents;

  std::int64_t size_ = 0;
  std::vector<DescentStart> starts_;
  std::vector<double> rows_;  // (starts, n)
  std::vector<double> distances_;
  std::vector<char> settled_;  // (targets)
  std::vector<double> nearest_;
  // What starts have come to, each by itself: what of it counts must not depend on when that is.
  std::vector<double> ranks_;       // (starts) squared distances of what is nearly a solution
  std::vector<char> exact_;         // (starts) whether its row is one
  std::vector<std::int64_t> best_;  // (targets) the start with the least rank, or none
  std::vector<std::int64_t> open_;  // (targets) starts that have no rank yet
  std::vector<double> scale_;
  std::vector<LaneRow> lanes_;
};

/// How far seven configurations about a seed state are from it, one in each lane that this leaves:
/// (7, n) rows. Args: unit: (n) change of a joint that counts as 1 rad [rad or m].
std::vector<double> apartFromSeed(const double* unit, std::int64_t size);

/// Adds the starts about a target's seed state. Args: start: with all but where it begins. apart:
/// see there. lower, upper: (n) bounds [rad or m].
void addAbout(const DescentStart& start, const std::vector<double>& apart, const double* lower,
              const double* upper, DescentMemory& memory);

/// A chain and where its solutions are to be.
struct DescentProblem {
  LaneChain chain;
  LaneOptions options;
  const double* soft_lower;  ///< (n) bounds; may be infinite [rad or m].
  const double* soft_upper;  ///< (n) likewise.
  double exact;              ///< Error of solutions [m and rad].
  const double* weights;     ///< (n) what a rad or m counts in the distance.
  /// Whether to spare measuring solutions whose errors are sure to be small, as nearly all then
  /// are: for callers that use `measureNearest`.
  bool spares = false;
};

/// Has starts take steps, one in each lane.
///
/// Those of a target begin together, where there are not more than lanes: which of them are left
/// because others come nearer does not depend on other targets.
class Descents {
 public:
  Descents(const DescentProblem& problem, DescentMemory& memory);

  /// Writes the nearest solution of each target that its starts come to.
  void run();

 private:
  static constexpr std::int64_t kNone = -1;
  // A bit a lane.
  using LaneSet = unsigned;

  static LaneSet bitOf(int lane) { return 1U << static_cast<unsigned>(lane); }
  static bool isIn(LaneSet lanes, int lane) { return (lanes & bitOf(lane)) != 0; }

  [[nodiscard]] std::int64_t startIn(int lane) const {
    return start_in_[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] const DescentStart& from(int lane) const {
    return memory_.starts_[static_cast<std::size_t>(startIn(lane))];
  }
  // Has lanes that are free take the next starts; returns whether any has one.
  bool fill();
  // How many of the starts from this one on are of the same target.
  [[nodiscard]] std::int64_t countAlike(std::int64_t start) const;
  void load(int lane, std::int64_t start);
  // Ranks and keeps what lanes have come to, and leaves those that are over.
  void judge(const NearestSigns& signs);
  // Ranks, and keeps, what lanes have come to with the last step without being measured again,
  // and leaves those that come to something beyond their bounds.
  void judgeSteps(LaneSet beyond);
  // Whether a lane's error has hardly become less since the last check.
  bool isStalled(int lane);
  // Ranks a start by the squared distance of its solution, or leaves it.
  void rank(int lane, double distance);
  // Keeps the solution that a start has come to, which settles its target if it is near enough.
  void finish(int lane);
  // Leaves a start that comes to no solution, or to none that is looked for.
  void giveUp(int lane);
  void leave(int lane);
  // Whether a target has the solution of the best of all its starts, or one for good.
  [[nodiscard]] bool isDecided(std::int64_t target) const;
  // Leaves lanes that cannot change what their targets have; others look for nothing that is
  // further than that.
  void leaveDecided();
  // Squared distance beyond which what a lane comes to does not count.
  [[nodiscard]] double boundOf(int lane) const;
  // Says that what a lane comes to settles nothing.
  void unsettle(int lane);
  // Which of two starts, the first of which may be none, has the lesser rank.
  [[nodiscard]] std::int64_t nearerOf(std::int64_t a, std::int64_t b) const;
  // The start of a target with the least rank.
  [[nodiscard]] std::int64_t bestOf(std::int64_t target) const;
  [[nodiscard]] bool isInside(const double* q) const;
  // Weighted square of how far a configuration (n) is from a seed state.
  [[nodiscard]] double squaredDistance(const double* q, const DescentStart& start) const;
  // Copies a lane's configuration to where its start was, and returns it.
  double* take(int lane);
  // Keeps a configuration if it is nearer than others of its target.
  void keep(const double* q, const DescentStart& start);

  DescentProblem problem_;
  DescentMemory& memory_;
  LaneChain chain_;
  LaneRows rows_;
  NearestRows nearest_;
  NearestRules rules_{};
  std::int64_t next_ = 0;
  bool changed_ = false;  // Whether targets have another best, or all their ranks.
  LaneSet busy_ = 0;      // lanes that have a start
  LaneSet settling_ = 0;  // and what it comes to may settle its target
  LaneSet ranked_ = 0;    // and it has a rank
  LaneSet soon_ = 0;      // and it will have one after the next step
  LaneSet sure_ = 0;      // and its next step is the last
  std::array<std::int64_t, kLanes> start_in_{};
  const double* loaded_ = nullptr;  // the pose that was loaded last
  std::array<double, kPoseNumbers> pose_{};
  std::array<double, kLanes> before_{};  // errors some steps ago
};

/// Measures what steps have come to (n). Where these were sure of errors that are not small, it
/// has more steps taken; what is changed comes from these.
verify::PoseGap measureNearest(const DescentProblem& problem,
                               const verify::RodriguesChain& verifier, const double* tip_pose,
                               const double* seed, double* q);

}  // namespace generative_ik::search
