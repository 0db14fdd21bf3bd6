/// A wave of configurations that spreads along self-motions while it follows the poses.
///
/// Tracks follow the shortest motion from pose to pose. Where that leads into a joint limit, an
/// obstacle or the wrong branch at a singularity, the arm has to prepare earlier. The wave
/// therefore begins several motions from every configuration: one to the nearest solution of the
/// next pose, the others to solutions beside it. Of what is reached, it keeps the end of the
/// shortest path in each cell of a grid, which is finer than a step unless the wave would become
/// too wide.
#pragma once

#include <optional>
#include <vector>

#include "layers.hpp"
#include "smoother.hpp"

namespace generative_ik::paths {

/// How far a wave came.
struct Wave {
  /// The shortest path to the last pose reached, or to the goal that was reached first, its start
  /// included.
  Rows path;
  TrackEnd end;  ///< The pose that was not reached, and why; complete if a goal or the end was.
};

/// Where a wave begins, and what it wants to reach.
struct WaveStart {
  Rows starts;                ///< Solutions of the pose before `first`, or where the arm is.
  std::vector<double> costs;  ///< Of each of them, the length of the path that leads there.
  std::int64_t first;         ///< The first pose to reach.
  /// From which pose on each track of the layers leads to the end.
  std::vector<std::int64_t> goals;
  bool only_goals;  ///< Whether no other solution of the last pose counts.
};

/// Sends waves along the poses.
class WaveSearch {
 public:
  /// Keeps all by reference. Args: width: configurations that are kept at each pose. beside:
  /// random seeds beside each of them, besides those along its self-motions.
  WaveSearch(const PathTask& task, MotionCheck& motions, const Layers& layers, std::int64_t width,
             std::int64_t beside);

  [[nodiscard]] Wave run(WaveStart start);

 private:
  struct Moves {
    Rows found;
    std::vector<std::int64_t> parent;  ///< Which configurations they begin at.
    std::vector<Verdict> verdicts;
    TrackEnd end;  ///< Why there are no others.
  };

  struct Join {
    std::int64_t row;
    std::int64_t goal;
  };

  [[nodiscard]] std::optional<Join> join(const Rows& layer, const std::vector<double>& costs,
                                         const std::vector<std::int64_t>& goals, std::int64_t t);
  [[nodiscard]] Moves moves(std::int64_t t, const Rows& layer) const;
  void addAlong(std::int64_t t, const Rows& layer, Rows& seeds) const;
  void addAround(std::int64_t t, const Rows& layer, Rows& seeds) const;
  [[nodiscard]] std::vector<std::int64_t> free(const Rows& layer, const Moves& moves,
                                               const std::vector<double>& cost);
  [[nodiscard]] std::vector<std::int64_t> kept(const Rows& found,
                                               const std::vector<std::int64_t>& order) const;

  const PathTask& task_;
  MotionCheck& motions_;
  const Layers& layers_;
  std::int64_t width_;
  std::int64_t beside_;
  Freedom freedom_;
  std::vector<double> shift_;
  std::vector<double> ratios_;
};

}  // namespace generative_ik::paths
