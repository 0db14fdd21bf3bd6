#include <algorithm>
#include <utility>

#include "path_search.hpp"

namespace generative_ik::paths {
namespace {

// Configurations that are tried as beginning and end, and how many of them at a time.
constexpr std::int64_t kStarts = 32;
constexpr std::int64_t kBatch = 8;
// Starts from which waves are sent.
constexpr std::size_t kMostWaves = 4;

/// Tracks follow the poses from each start, and back from the same configuration at the last pose.
/// Where they do not meet, the difference is spread over a whole track by smoothing; then a search
/// that may end anywhere says where to begin, and in the end waves are sent.
class ClosedSearch {
 public:
  ClosedSearch(const PathTask& task, std::optional<Objective> objective,
               const std::optional<Rows>& before, const Narrower& narrower, bool reports)
      : task_(task),
        objective_(objective),
        comparison_(task, objective.value_or(Objective::kLength)),
        before_(before),
        narrower_(narrower),
        reports_(reports),
        best_(task.size) {}

  Found run() {
    search();
    for (const auto& one : searches_) {
      if (complete() || !timed_out_) {
        break;
      }
      Rows far = one->furthest();
      best_ = far.size() > best_.size() ? std::move(far) : best_;
    }
    TrackEnd end{best_.size(), Ending::kTooFar, {}, {}};
    if (!complete() && furthest_ != nullptr) {
      end = furthest_->why(best_.size());
    }
    const bool refused = std::any_of(searches_.begin(), searches_.end(),
                                     [](const auto& one) { return one->refused(); });
    return {best_, std::move(end), timed_out_, refused};
  }

 private:
  [[nodiscard]] bool complete() const { return best_.size() == task_.num_poses; }

  void search() {
    const auto layers = std::make_shared<Layers>(task_);
    const Rows from = starts();
    for (std::int64_t begin = 0; begin < from.size(); begin += kBatch) {
      const Rows some = from.part(begin, std::min(begin + kBatch, from.size()));
      layers->addTracks(some, 0);
      if (!task_.isLate()) {
        layers->addTracks(some, task_.num_poses - 1);
      }
      for (std::int64_t k = 0; k < some.size(); ++k) {
        PathSearch& one = beginAt(some.part(k, k + 1), layers);
        if (isOver(one, one.shortest())) {
          return;
        }
      }
    }
    for (std::size_t k = 0; !complete() && k < searches_.size(); ++k) {
      if (isOver(*searches_[k], searches_[k]->bent())) {
        return;
      }
    }
    if (!complete() && narrower_ && isOverNarrowly()) {
      return;
    }
    const std::size_t most = std::min(kMostWaves, searches_.size());
    if (!complete() && !before_ && isOverOpenly()) {
      return;
    }
    for (std::size_t k = 0; !complete() && k < most; ++k) {
      PathSearch& one = *searches_[k];
      if (!one.waves([&](const Rows& path) { return !isOver(one, path); })) {
        return;
      }
    }
  }

  PathSearch& beginAt(const Rows& start, std::shared_ptr<Layers> layers) {
    searches_.push_back(std::make_unique<PathSearch>(
        task_, objective_, Ends{std::nullopt, start, start}, nullptr, false, std::move(layers)));
    return *searches_.back();
  }

  bool isOverNarrowly() {
    const Rows path = narrower_();
    if (path.size() != task_.num_poses) {
      return false;
    }
    PathSearch& one = beginAt(path.part(0, 1), nullptr);
    return isOver(one, path);
  }

  // A search that may end anywhere begins tracks at all poses, and its path says where a closed
  // one may begin: waves are sent from there. Where there is no such path, there is no closed one.
  bool isOverOpenly() {
    searches_.push_back(std::make_unique<PathSearch>(task_, std::nullopt, Ends{}, nullptr, false));
    PathSearch& open = *searches_.back();
    const Rows path = open.run().best;
    if (path.size() < task_.num_poses) {
      static_cast<void>(isOver(open, path));
      return true;
    }
    for (const std::int64_t pose : {std::int64_t{0}, task_.num_poses - 1}) {
      const Rows start = path.part(pose, pose + 1);
      const auto layers = std::make_shared<Layers>(task_);
      layers->addTracks(start, 0);
      layers->addTracks(start, task_.num_poses - 1);
      layers->addPath(path);
      PathSearch& one = beginAt(start, layers);
      if (isOver(one, one.shortest()) || isOver(one, one.bent()) ||
          !one.waves([&](const Rows& found) { return !isOver(one, found); })) {
        return true;
      }
      if (complete()) {
        return false;
      }
    }
    return false;
  }

  [[nodiscard]] Rows starts() const {
    if (!before_) {
      return task_.solutions(0, kStarts, 0);
    }
    Layers first(task_);
    first.addTracks(*before_, 0, true);
    MotionCheck motions(task_);
    Rows found(task_.size);
    if (first.isUsable(0, 0) && motions.isFree((*before_)[0], first.node(0, 0))) {
      found.append(first.node(0, 0));
    }
    return found;
  }

  // Keeps a path if it is better; says whether the search is over.
  bool isOver(PathSearch& search, const Rows& found) {
    timed_out_ = timed_out_ || task_.isLate();
    if (found.size() == task_.num_poses) {
      const Rows path = search.smooth(found);
      const Score score = comparison_.score(path);
      if (!complete() || comparison_.isBetter(score, score_)) {
        best_ = path;
        score_ = score;
        cancelled_ = reports_ && !task_.calls->offer(path, score.first);
      }
    } else if (!complete() && found.size() > best_.size()) {
      best_ = found;
      furthest_ = &search;
    }
    return (complete() && !objective_) || timed_out_ || cancelled_;
  }

  const PathTask& task_;
  std::optional<Objective> objective_;
  Comparison comparison_;
  const std::optional<Rows>& before_;
  const Narrower& narrower_;
  bool reports_;
  Rows best_;
  Score score_{};
  bool cancelled_ = false;
  bool timed_out_ = false;
  PathSearch* furthest_ = nullptr;
  std::vector<std::unique_ptr<PathSearch>> searches_;
};

}  // namespace

Found searchClosed(const PathTask& task, std::optional<Objective> objective,
                   const std::optional<Rows>& before, const Narrower& narrower, bool reports) {
  return ClosedSearch(task, objective, before, narrower, reports).run();
}

}  // namespace generative_ik::paths
