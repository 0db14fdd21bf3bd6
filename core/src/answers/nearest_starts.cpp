#include "nearest_starts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::answers {
namespace {

// Between two angles of the locked joint [rad], and how many there are at the most: those of a
// full turn.
constexpr double kBetween = 0.3;
constexpr int kMostAngles = 48;
// Branches that are taken, as one lane has the seed state.
constexpr int kMostBranches = kLanes - 1;
// Branches are taken up to so many times the distance of the nearest, and this [rad].
constexpr double kFurther = 3.0;
constexpr double kAnyway = 0.3;
// How much more the square of what a branch is outside its bounds counts.
constexpr double kOutside = 2.0;

/// Some branches, the nearest first.
class NearestBranches {
 public:
  void keep(double distance, const CurveRow& row) {
    auto place = static_cast<std::size_t>(count_);
    if (count_ < kMostBranches) {
      ++count_;
    } else if (distance < distances_.back()) {
      --place;
    } else {
      return;
    }
    for (; place > 0 && distance < distances_[place - 1]; --place) {
      distances_[place] = distances_[place - 1];
      rows_[place] = rows_[place - 1];
    }
    distances_[place] = distance;
    rows_[place] = &row;
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const CurveRow& operator[](int k) const {
    return *rows_[static_cast<std::size_t>(k)];
  }

 private:
  int count_ = 0;
  std::array<double, kMostBranches> distances_{};
  std::array<const CurveRow*, kMostBranches> rows_{};
};

/// The branches of one target at some angles.
class BranchesAbout {
 public:
  BranchesAbout(const NearestQuestion& question, const double* tip_pose, const double* seed,
                double known, std::vector<AngleBranches>& angles)
      : problem_(question.problem),
        weights_(question.weights),
        pose_(closed_form::TipPose<double>::of(tip_pose)),
        seed_(seed),
        bounds_(question.problem.bounds),
        angles_(angles),
        nearest_(known) {
    bounds_.countFrom(seed);
  }

  /// Looks at angles in the order 0, 1, -1, 2, -2, from the seed state's on.
  void look() {
    const int joint = problem_.joint.index;
    const auto [lower, upper] = closed_form::boundsWithinReach(
        problem_.joint, pose_, {bounds_.lower[joint], bounds_.upper[joint]});
    const double begin = std::clamp(seed_[joint], lower, upper);
    const double between = kBetween * problem_.joint.unit;
    angles_.clear();
    take(begin);
    for (int k = 1; k < kMostAngles; ++k) {
      const double away = (k + 1) / 2 * between;
      if (away * weights_[joint] > std::sqrt(nearest_)) {
        break;
      }
      const double angle = k % 2 == 1 ? begin + away : begin - away;
      if (lower - between < angle && angle < upper + between) {
        take(std::clamp(angle, lower, upper));
      } else {
        angles_.emplace_back().count = -1;
      }
    }
  }

  /// The squared distance of the nearest branch within the bounds.
  [[nodiscard]] double bound() const { return nearest_; }

  /// The nearest that are nearer than their neighbours.
  [[nodiscard]] NearestBranches nearest() const {
    const double most = kFurther * std::sqrt(nearest_) + kAnyway;
    NearestBranches nearest;
    for (std::size_t k = 0; k < angles_.size(); ++k) {
      const AngleBranches& here = angles_[k];
      for (std::size_t b = 0; static_cast<int>(b) < here.count; ++b) {
        if (here.distance[b] <= most * most && isLeast(k, b)) {
          nearest.keep(here.distance[b], here.rows[b]);
        }
      }
    }
    return nearest;
  }

 private:
  void take(double angle) {
    AngleBranches& here = angles_.emplace_back();
    // NOLINTBEGIN(*-avoid-c-arrays)
    double tip_pose[16];
    double rows[closed_form::kBranches][kJoints];
    // NOLINTEND(*-avoid-c-arrays)
    closed_form::writePose(closed_form::poseWithout(problem_.joint, pose_, angle), tip_pose);
    const std::int64_t answer =
        problem_.form.kernel(problem_.parameters.data(), tip_pose, rows[0]);
    here.count = static_cast<int>(answer < 0 ? -1 - answer : answer);
    for (std::size_t b = 0; static_cast<int>(b) < here.count; ++b) {
      CurveRow& row = here.rows[b];
      row[static_cast<std::size_t>(problem_.joint.index)] = angle;
      std::copy_n(rows[b], kJoints, row.begin() + problem_.joint.firstOther());
      const double outside = turnInside(row);
      here.distance[b] = squaredDistance(row) + kOutside * outside;
      if (outside == 0.0) {
        nearest_ = std::min(nearest_, here.distance[b]);
      }
    }
  }

  // Turns a row towards the seed state, or puts it on the bounds; returns the square of how far it
  // was outside.
  double turnInside(CurveRow& row) const {
    double outside = 0.0;
    for (std::size_t v = 0; v < kCurveJoints; ++v) {
      const double lower = bounds_.lower[v];
      const double upper = bounds_.upper[v];
      double x = row[v];
      if (bounds_.periodic[v]) {
        x += kTurn * simd::nearestInteger((seed_[v] - x) / kTurn);
        if (x > upper && x - kTurn >= lower) {
          x -= kTurn;
        } else if (x < lower && x + kTurn <= upper) {
          x += kTurn;
        }
      }
      row[v] = std::min(std::max(x, lower), upper);
      outside += squared(row[v] - x);
    }
    return outside;
  }

  [[nodiscard]] double squaredDistance(const CurveRow& row) const {
    double total = 0.0;
    for (std::size_t v = 0; v < kCurveJoints; ++v) {
      total += squared(weights_[v] * (row[v] - seed_[v]));
    }
    return total;
  }

  // Whether no branch in the same place is nearer at the angles beside it, where these have as
  // many: branches keep their order where none merge.
  [[nodiscard]] bool isLeast(std::size_t k, std::size_t b) const {
    const std::size_t beside[] = {k == 0 ? 1 : k + 2,  // NOLINT(*-avoid-c-arrays)
                                  k > 2 ? k - 2 : (k == 0 ? 2 : 0)};
    const AngleBranches& here = angles_[k];
    return std::none_of(std::begin(beside), std::end(beside), [&](std::size_t other) {
      return other < angles_.size() && angles_[other].count == here.count &&
             angles_[other].distance[b] < here.distance[b];
    });
  }

  const CurveProblem& problem_;
  const double* weights_;
  closed_form::TipPose<double> pose_;
  const double* seed_;
  CurveBounds bounds_;
  std::vector<AngleBranches>& angles_;
  double nearest_;  // of branches within the bounds, and of what is known
};

}  // namespace

void addStarts(const NearestQuestion& question, search::DescentStart start,
               NearestMemory& memory) {
  const double known = memory.descents.distance(start.target);
  BranchesAbout about(question, start.tip_pose, start.seed, known, memory.angles);
  about.look();
  start.bound = about.bound();
  if (known == kInfinity) {
    memory.descents.add(start, start.seed);
  }
  const NearestBranches nearest = about.nearest();
  for (int k = 0; k < nearest.count(); ++k) {
    memory.descents.add(start, nearest[k].data());
  }
}

}  // namespace generative_ik::answers
