/// The search for a path: tracks, the shortest way through them, waves, and smoothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "wave.hpp"

namespace generative_ik::paths {

/// What a search comes to.
struct Found {
  Rows best;               ///< The best path: the longest, as long as none is complete.
  TrackEnd end;            ///< Why it goes no further, if it is not complete.
  bool timed_out = false;  ///< Whether the deadline ended the search.
  bool refused = false;  ///< Whether closer checks found a collision that the search did not see.
};

/// Takes the best path of a stage of a search; returns whether the search goes on.
using Consider = std::function<bool(const Rows& path)>;

/// Finds a path through the poses themselves, if there may be one where regions are too wide to be
/// searched; null where there is not.
using Narrower = std::function<Rows()>;

/// Finds the best path through some poses.
///
/// Tracks follow the poses from many solutions of the first pose. The shortest path may change
/// from one track to another wherever they come within a step of each other. Where no path gets to
/// the end, tracks are begun at the pose that was not reached, and then waves are sent, which
/// spread along self-motions. A path is smoothed in the null space, and what spheres cannot tell
/// of it is decided by the shapes themselves.
class PathSearch {
 public:
  /// Keeps the task by reference. Args: objective: what makes a path better; none: the first one
  /// ends the search. layers: tracks to begin with, shared; null: there are none yet.
  PathSearch(const PathTask& task, std::optional<Objective> objective, Ends ends,
             Narrower narrower, bool reports, std::shared_ptr<Layers> layers = nullptr);

  /// Searches until there is a path, or, with an objective, until nothing is left to try.
  Found run();

  // What a search for a closed path asks for, part by part.

  /// The best path through the layers that the shapes themselves leave free. Args: first: the
  /// first of the tracks that may be used.
  Rows shortest(std::int64_t first = 0);
  /// A better path than a valid one, if smoothing leads to one.
  Rows smooth(const Rows& path);
  /// A track from the first to the last of the ends, bent so that it gets there; empty if none can
  /// be bent so.
  Rows bent();
  /// Sends waves, wider and wider, each from further back. Returns whether to go on.
  bool waves(const Consider& consider);
  /// The part of a track that leads furthest, as far as a few milliseconds tell.
  Rows furthest();
  /// Why a pose is not reached.
  [[nodiscard]] TrackEnd why(std::int64_t pose) const;
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  [[nodiscard]] bool complete() const { return best_.size() == task_.num_poses; }
  bool isLate();
  [[nodiscard]] parallel::Clock::time_point soon() const;
  bool consider(const Rows& path, bool again = false);
  bool searchOn();
  bool searchWhereThin();
  bool improve(std::int64_t count, std::int64_t rounds);
  void beginAnew();
  [[nodiscard]] Rows starts() const;
  std::pair<Wave, std::int64_t> wave(std::int64_t width, std::int64_t beside, std::int64_t pose);
  [[nodiscard]] std::vector<std::int64_t> hits(const Rows& path);
  [[nodiscard]] std::vector<std::int64_t> bestNodes(std::int64_t since);
  [[nodiscard]] std::vector<double> measured(std::int64_t track) const;
  [[nodiscard]] std::vector<std::int64_t> clearest(Wanted wanted, std::vector<std::int64_t> nodes);
  [[nodiscard]] std::vector<double> firstCosts();
  [[nodiscard]] std::vector<char> lastNodes() const;
  void keep(const Rows& path);

  const PathTask& task_;
  PathTask close_task_;
  bool with_objective_;
  Comparison comparison_;
  Ends ends_;
  Narrower narrower_;
  bool reports_;
  MotionCheck motions_;
  MotionCheck closely_;
  Smoother smoother_;
  std::shared_ptr<Layers> layers_;
  Rows best_;
  Score score_{};
  int batches_ = 0;
  bool cancelled_ = false;
  bool impossible_ = false;
  bool timed_out_ = false;
  bool refused_ = false;
  TrackEnd furthest_{-1, Ending::kComplete, {}, {}};
};

/// Finds the best path that returns to where it begins. Args: before: where the arm is, within a
/// step of the first pose; none: anywhere.
Found searchClosed(const PathTask& task, std::optional<Objective> objective,
                   const std::optional<Rows>& before, const Narrower& narrower, bool reports);

}  // namespace generative_ik::paths
