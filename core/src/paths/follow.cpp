#include "follow.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "../parallel/for_each.hpp"

namespace generative_ik::paths {
namespace {

// Tracks of a single pose that a thread takes at a time.
constexpr std::int64_t kShort = 256;
// Steps of all lanes between two readings of the clock.
constexpr int kBetweenReadings = 16;
// A seed that is kept within a step is given up where its squared error has not fallen to this
// share of what it was at the last check.
constexpr double kNearStallRatio = 0.9;
// A step, but for what rounding may add to it.
constexpr double kNearly = 1.0 - 1e-9;

/// Some tracks, followed by one thread.
template <search::LocalProblem Problem>
class Follower {
 public:
  Follower(const PathTask& task, const Problem& problem, Track* tracks, std::int64_t count)
      : task_(task), problem_(problem), tracks_(tracks), count_(count), q_(at(task.size)) {}

  void run(parallel::Checkpoint& checkpoint) {
    problem_.clear();
    for (int step = 1;; ++step) {
      problem_.measure();
      bool active = false;
      for (int lane = 0; lane < kLanes; ++lane) {
        problem_.rows().moving->lane[lane] = 1.0;
        active = goesOn(lane) || begins(lane) || active;
      }
      if (!active || (step % kBetweenReadings == 0 && checkpoint.isOver())) {
        return;
      }
      problem_.advance(task_.lower, task_.upper);
      keepNear();
    }
  }

 private:
  struct Lane {
    Track* track = nullptr;
    std::int64_t iterations = 0;
    double past_error = std::numeric_limits<double>::infinity();
    bool near = false;  ///< Whether its seed is kept within a step.
  };

  // Whether the seed in a lane has converged, has failed, or is under way.
  Ending look(int index) {
    const LaneOptions& options = problem_.options();
    const SeedRows& rows = problem_.rows();
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    if (problem_.converges(index, task_.lower, task_.upper)) {
      return Ending::kComplete;
    }
    const double error = problem_.laneError(index, rows.position_error->lane[index],
                                            rows.orientation_error->lane[index]);
    ++lane.iterations;
    bool failed = lane.iterations >= options.max_iterations ||
                  !(error < std::numeric_limits<double>::infinity());
    if (lane.iterations % options.stall_window == 0) {
      const double ratio = lane.near ? kNearStallRatio : options.stall_ratio;
      failed = failed || error > ratio * lane.past_error;
      lane.past_error = error;
    }
    if (!failed) {
      return Ending::kUnderWay;
    }
    return lane.near ? Ending::kTooFar : Ending::kUnreached;
  }

  // Moves seeds that are to stay within a step back there.
  void keepNear() {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Lane& one = lanes_.at(static_cast<std::size_t>(lane));
      for (std::int64_t v = 0; one.near && v < task_.size; ++v) {
        double& q = problem_.rows().q[v].lane[lane];
        const double from = one.track->current[v];
        const double step = kNearly * task_.max_step[v];
        q = std::clamp(std::clamp(q, from - step, from + step), task_.lower[v], task_.upper[v]);
      }
    }
  }

  // Takes the step to the configuration that a lane has found, if it may be taken.
  Ending step(Track& track) {
    if (!problem_.verify(q_.data(), track.pose).exact) {
      return Ending::kUnreached;
    }
    if (!task_.isStep(track.current, q_.data())) {
      return Ending::kTooFar;
    }
    Verdict verdict = Verdict::kFree;
    if (task_.world != nullptr) {
      verdict = task_.world->checkMotion(track.current, q_.data(), resolution_.data(),
                                         CollisionWorld::kSure, memory_);
    }
    if (verdict >= Verdict::kInside) {
      std::copy(q_.begin(), q_.end(), track.seed);
      return Ending::kColliding;
    }
    std::copy(q_.begin(), q_.end(), track.current);
    std::copy(q_.begin(), q_.end(), track.positions);
    *track.verdict = verdict;
    track.positions += track.direction * task_.size;
    track.verdict += track.direction;
    track.pose += track.direction;
    ++track.reached;
    --track.left;
    return track.left > 0 ? Ending::kUnderWay : Ending::kComplete;
  }

  // Looks at the track in a lane, if there is one; says whether it goes on.
  bool goesOn(int index) {
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    Track* track = lane.track;
    if (track == nullptr) {
      return false;
    }
    Ending ending = look(index);
    if (ending == Ending::kUnderWay) {
      return true;
    }
    if (ending == Ending::kComplete) {
      for (std::int64_t v = 0; v < task_.size; ++v) {
        q_[at(v)] = problem_.rows().q[v].lane[index];
      }
      ending = step(*track);
      // The nearest solution may be too far for one joint where others are not: on a redundant
      // arm, whose steps are the shortest ones of all joints together.
      const bool again = ending == Ending::kTooFar && !lane.near;
      if (again || ending == Ending::kUnderWay) {
        load(index, *track);
        lane.near = again;
        keepNear();
        return true;
      }
    }
    track->ending = ending;
    lane.track = nullptr;
    lane.near = false;
    return false;
  }

  // Gives a free lane the next track; says whether there was one.
  bool begins(int index) {
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    if (lane.track != nullptr || next_ == count_) {
      return lane.track != nullptr;
    }
    lane.track = tracks_ + next_++;
    for (std::int64_t v = 0; v < task_.size; ++v) {
      problem_.rows().q[v].lane[index] = lane.track->seed[v];
    }
    load(index, *lane.track);
    return true;
  }

  void load(int index, const Track& track) {
    // The errors at hand are of the last pose: the configuration must not move by them.
    problem_.rows().moving->lane[index] = 0.0;
    problem_.load(index, track.pose);
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    lane.iterations = 0;
    lane.past_error = std::numeric_limits<double>::infinity();
  }

  const PathTask& task_;
  const Problem& problem_;
  Track* tracks_;
  std::int64_t count_;
  std::int64_t next_ = 0;
  std::array<Lane, kLanes> lanes_{};
  std::vector<double> q_;
  std::vector<double> resolution_ = task_.resolutions();
  CollisionMemory memory_;
};

}  // namespace

void follow(const PathTask& task, std::vector<Track>& tracks) {
  const bool brief = std::all_of(tracks.begin(), tracks.end(),
                                 [](const Track& track) { return track.left == 1; });
  const std::int64_t some = brief ? kShort : kLanes;
  const auto count = static_cast<std::int64_t>(tracks.size());
  const parallel::Work work = [&](std::int64_t piece, parallel::Checkpoint& checkpoint) {
    const std::int64_t first = piece * some;
    withProblem(task, [&](const auto& problem) {
      Follower(task, problem, tracks.data() + first, std::min(some, count - first))
          .run(checkpoint);
    });
  };
  parallel::forEach((count + some - 1) / some, work, *task.stop);
}

}  // namespace generative_ik::paths
