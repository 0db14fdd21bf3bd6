#include <algorithm>
#include <cmath>
#include <generative_ik/path.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "../paths/find_path.hpp"
#include "../simd/constants.hpp"
#include "prepared.hpp"
#include "target_pose.hpp"

namespace generative_ik {
namespace {

using paths::Rows;

// Largest motion from a pose to the next, in the joints' units.
constexpr double kLargestStep = 0.2;
// The last pose of a closed path is its first up to this [m and parts of axes].
constexpr double kSamePose = 1e-9;

Vector numbersOf(const Vector& given, double otherwise, Eigen::Index size, const char* name) {
  if (given.size() == 0) {
    return Vector::Constant(size, otherwise);
  }
  if (given.size() != size || !(given.array() > 0.0).all() || !given.allFinite()) {
    throw std::invalid_argument(std::string(name) + " must be above 0 and finite for each of " +
                                std::to_string(size) + " joints");
  }
  return given;
}

void checkRegions(const PathRequest& request, const SolverOptions& options) {
  const std::vector<TaskSpaceRegion>& about = request.regions;
  const std::size_t poses = request.targets_in_base.size();
  if (about.empty()) {
    return;
  }
  if (options.prefer != Preference::kNone) {
    throw std::invalid_argument("prefer is for poses, not for regions");
  }
  if (about.size() != 1 && about.size() != poses) {
    throw std::invalid_argument(std::to_string(about.size()) + " regions for " +
                                std::to_string(poses) +
                                " poses: give one for the whole path, or one for each");
  }
  if (std::any_of(about.begin(), about.end(), [](const auto& one) { return one.isFree(); })) {
    throw std::invalid_argument("region: a pose leaves the tip free");
  }
  if (request.closed && !(about.front() == about.back())) {
    throw std::invalid_argument("a closed path has the first pose's region about its last");
  }
}

void check(const PathRequest& request, const IKSolver& solver) {
  if (solver.chains().size() > 1) {
    throw std::invalid_argument("paths are for one tip");
  }
  const std::vector<Eigen::Isometry3d>& targets = request.targets_in_base;
  if (targets.empty()) {
    throw std::invalid_argument("a path needs at least one pose");
  }
  for (const std::optional<Vector>& q : {request.seed_state, request.end_state}) {
    if (q && (q->size() != solver.chain().size() || !q->allFinite())) {
      throw std::invalid_argument("seed_state and end_state are finite numbers for " +
                                  std::to_string(solver.chain().size()) + " joints");
    }
  }
  if (request.closed &&
      (request.end_state || !targets.front().isApprox(targets.back(), kSamePose))) {
    throw std::invalid_argument("a closed path ends at its first pose, and has no end_state");
  }
  checkRegions(request, solver.options());
  if (request.world != nullptr && request.world->numVariables() != solver.chain().size()) {
    throw std::invalid_argument("the world is not one of so many joints");
  }
  if (request.world == nullptr && request.objective == PathObjective::kClearance) {
    throw std::invalid_argument("clearance is an objective with a world only");
  }
}

// Whether the end state of a path, inside the limits, is on its last pose.
bool endsExactly(const PathRequest& request, const IKSolver& solver) {
  if (!request.end_state) {
    return true;
  }
  const Vector end = SearchBox(solver.variables()).clamp(*request.end_state);
  const Twist error = poseError(solver.chain().tipInBase(end), request.targets_in_base.back());
  const Tolerance& most = solver.options().tolerance;
  return error.head<3>().norm() <= most.position && error.tail<3>().norm() <= most.orientation;
}

/// Finds solutions of a pose.
using SolvePose = std::function<IKSolutions(const IKRequest&)>;

/// One call: the numbers that its task views, and what the search asks.
class PathCall {
 public:
  PathCall(const IKSolver& solver, const SearchModel& model, const PathRequest& request,
           SolvePose solve_pose)
      : solver_(solver),
        solve_pose_(std::move(solve_pose)),
        request_(request),
        units_(model.units()),
        max_step_(numbersOf(request.max_step, 0.0, units_.size(), "max_step")),
        weights_(numbersOf(request.joint_weights, 1.0, units_.size(), "joint_weights")) {
    if (request.max_step.size() == 0) {
      max_step_ = kLargestStep * units_;
    }
    weights_ = weights_.cwiseQuotient(units_);
    lower_.resize(units_.size());
    upper_.resize(units_.size());
    for (Eigen::Index v = 0; v < units_.size(); ++v) {
      const Variable& variable = model.variables()[static_cast<std::size_t>(v)];
      lower_[v] = variable.continuous ? -kInfinity : variable.lower;
      upper_[v] = variable.continuous ? kInfinity : variable.upper;
    }
    for (const Eigen::Isometry3d& target : request.targets_in_base) {
      const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> rows = target.matrix();
      targets_.insert(targets_.end(), rows.data(), rows.data() + rows.size());
    }
    calls_ = {[this](std::int64_t pose, std::int64_t count, std::int64_t seed, bool exactly) {
                return solutionsOf(pose, count, seed, exactly);
              },
              [this](const double* q) { return collides(q); },
              [this](const Rows& path, double value) { return offer(path, value); }};
    stop_.deadline = request.deadline.end();
    task_.chain = model.packed().view();
    task_.targets = targets_.data();
    task_.num_poses = std::ssize(request.targets_in_base);
    task_.size = units_.size();
    task_.lower = lower_.data();
    task_.upper = upper_.data();
    task_.max_step = max_step_.data();
    task_.unit = units_.data();
    task_.weight = weights_.data();
    task_.world = request.world;
    task_.calls = &calls_;
    task_.stop = &stop_;
    takeRegions(model);
  }
  PathCall(const PathCall&) = delete;
  PathCall& operator=(const PathCall&) = delete;
  PathCall(PathCall&&) = delete;
  PathCall& operator=(PathCall&&) = delete;
  ~PathCall() = default;

  IKPath run() {
    paths::Ends ends = {inside(request_.seed_state), std::nullopt, lastOf(request_.end_state)};
    if (const auto& seed = request_.seed_state; seed && !isInside(*seed) && mayBeRead(*seed)) {
      ends.outside = Rows(task_.size, seed->data(), 1);
    }
    std::optional<paths::Objective> objective;
    if (request_.objective) {
      objective = static_cast<paths::Objective>(*request_.objective);
    }
    const paths::Found found = paths::findPath(task_, objective, ends, request_.closed);
    return {statusOf(found), solutionsOf(found.best)};
  }

 private:
  void takeRegions(const SearchModel& poses) {
    const std::vector<TaskSpaceRegion>& about = request_.regions;
    if (std::all_of(about.begin(), about.end(), [](const auto& one) { return one.isExact(); })) {
      return;
    }
    const Tolerance& most = solver_.options().tolerance;
    within_.emplace(poses, regions::PackedRegions(about, 1, {}, most));
    task_.goals = within_->goals();
    task_.around = std::all_of(about.begin(), about.end(), [&](const TaskSpaceRegion& one) {
      return one.isAround(most.position, most.orientation);
    });
  }

  [[nodiscard]] bool isInside(const Vector& q) const {
    return (q.array() >= lower_.array()).all() && (q.array() <= upper_.array()).all();
  }

  [[nodiscard]] std::optional<Rows> inside(const std::optional<Vector>& q) const {
    if (!q) {
      return std::nullopt;
    }
    const Vector clipped = q->cwiseMax(lower_).cwiseMin(upper_);
    return Rows(task_.size, clipped.data(), 1);
  }

  [[nodiscard]] bool mayBeRead(const Vector& q) const {
    for (Eigen::Index v = 0; v < q.size(); ++v) {
      if (!generative_ik::mayBeRead(solver_.variables()[static_cast<std::size_t>(v)], q[v])) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::optional<Rows> lastOf(const std::optional<Vector>& end) const {
    std::optional<Rows> last = inside(end);
    if (last && (!mayBeRead(*end) || paths::solved(task_, *last, {task_.num_poses - 1})[0] == 0)) {
      throw std::invalid_argument("end_state is no solution of the last pose inside the limits");
    }
    if (last && !isFree((*last)[0])) {
      throw std::invalid_argument("end_state collides");
    }
    return last;
  }

  // Args: exactly: of the pose itself, not of the region about it.
  [[nodiscard]] Rows solutionsOf(std::int64_t pose, std::int64_t count, std::int64_t seed,
                                 bool exactly) const {
    IKRequest request;
    if (within_ && !exactly) {
      const std::vector<TaskSpaceRegion>& about = request_.regions;
      request.regions = {about.size() > 1 ? about[static_cast<std::size_t>(pose)] : about.front()};
    }
    request.target_in_base = targetOf(pose);
    request.num_solutions = static_cast<std::size_t>(count);
    request.random_seed = static_cast<std::uint64_t>(seed);
    request.deadline = request_.deadline;
    request.world = request_.world;
    request.collides = request_.collides;
    Rows rows(task_.size);
    for (const Solution& solution : solve_pose_(request).solutions) {
      rows.append(solution.q.data());
    }
    return rows;
  }

  [[nodiscard]] bool isFree(const double* q) const {
    if (request_.world == nullptr) {
      return true;
    }
    const Verdict verdict = request_.world->check(q, CollisionWorld::kSure, memory_);
    return verdict == Verdict::kFree || (verdict < Verdict::kColliding && !collides(q));
  }

  [[nodiscard]] bool collides(const double* q) const {
    return !request_.collides || request_.collides(Eigen::Map<const Vector>(q, task_.size));
  }

  [[nodiscard]] bool offer(const Rows& path, double value) const {
    if (!request_.on_path) {
      return true;
    }
    std::vector<Vector> better;
    for (std::int64_t i = 0; i < path.size(); ++i) {
      better.emplace_back(Eigen::Map<const Vector>(path[i], task_.size));
    }
    return request_.on_path(better, value);
  }

  [[nodiscard]] std::vector<Solution> solutionsOf(const Rows& path) const {
    std::vector<Solution> solutions;
    for (std::int64_t i = 0; i < path.size(); ++i) {
      const Vector q = Eigen::Map<const Vector>(path[i], task_.size);
      const Twist error = poseError(solver_.chain().tipInBase(q), targetOf(i));
      solutions.push_back({q, error.head<3>().norm(), error.tail<3>().norm()});
    }
    if (within_) {
      paths::withProblem(task_, [&](const auto& problem) {
        for (std::int64_t i = 0; i < path.size(); ++i) {
          const search::Verification verified = problem.verify(path[i], i);
          Solution& solution = solutions[static_cast<std::size_t>(i)];
          solution.position_error = verified.position;
          solution.orientation_error = verified.angle;
        }
      });
    }
    return solutions;
  }

  [[nodiscard]] PathStatus statusOf(const paths::Found& found) const {
    if (found.best.size() == task_.num_poses) {
      return PathStatus::kComplete;
    }
    if (found.timed_out) {
      return PathStatus::kTimedOut;
    }
    switch (found.end.ending) {
      case paths::Ending::kTooFar:
        return PathStatus::kTooFar;
      case paths::Ending::kColliding:
        return PathStatus::kColliding;
      default:
        return PathStatus::kUnreached;
    }
  }

  [[nodiscard]] const Eigen::Isometry3d& targetOf(std::int64_t pose) const {
    return request_.targets_in_base[static_cast<std::size_t>(pose)];
  }

  const IKSolver& solver_;
  SolvePose solve_pose_;
  const PathRequest& request_;
  Vector units_;
  Vector max_step_;
  Vector weights_;
  Vector lower_;
  Vector upper_;
  std::vector<double> targets_;
  paths::PathCalls calls_;
  parallel::StopWhen stop_;
  paths::PathTask task_;
  std::optional<SearchModel> within_;  // the regions, if there are any
  mutable CollisionMemory memory_;
};

}  // namespace

IKPath IKSolver::solvePath(const PathRequest& given) const {
  PathRequest request = given;
  std::transform(given.targets_in_base.begin(), given.targets_in_base.end(),
                 request.targets_in_base.begin(), targetPose);
  check(request, *this);
  const auto solve_pose = [this](const IKRequest& pose) { return solve(pose); };
  if (prepared_->approximate == nullptr) {
    return PathCall(*this, prepared_->model, request, solve_pose).run();
  }
  IKPath found = PathCall(*this, prepared_->approximate->model, request, solve_pose).run();
  if (found.status == PathStatus::kComplete || found.status == PathStatus::kTimedOut ||
      !endsExactly(request, *this)) {
    return found;
  }
  // Beside a singularity minima of an error may end, and exact solutions go on.
  const auto exactly = [this](const IKRequest& pose) { return solveExactly(pose, pose.deadline); };
  IKPath exact = PathCall(*this, prepared_->model, request, exactly).run();
  if (exact.solutions.size() > found.solutions.size()) {
    return exact;
  }
  return found;
}

}  // namespace generative_ik
