#include "tracker_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace generative_ik::tracking {
namespace {

// Newton iterations of a step at most; mostly one or two are enough.
constexpr int kIterations = 4;
// Damped steps with which the way to far targets is estimated at most.
constexpr int kApproaches = 5;
// If so much of the error is left by derivatives, the targets are near enough to trust these.
constexpr double kReached = 0.1;
// Errors, weighted, below which no iteration is of use.
constexpr double kExact = 1e-10;
// Parts of a motion that are tried before the arm brakes, where loops would open.
constexpr double kParts[] = {1.0, 0.5};  // NOLINT(*-avoid-c-arrays)
// Damping: what is left of it without an error, and per weighted error. It stands for the second
// derivatives of the errors, which are of that size.
constexpr double kLeastTrackingDamping = 1e-9;
constexpr double kDampingPerError = 1.0;
// Where derivatives leave so much of the error, the arm is stretched towards targets out of its
// reach. Each of its joints adds to the second derivatives there, which are so many times that
// size: steps with less damping would pass the nearest configuration again and again.
constexpr double kOutOfReach = 0.8;
constexpr double kStretched = 4.0;

}  // namespace

double dampingFor(double error) {
  return kLeastTrackingDamping + kDampingPerError * error;
}

TrackerState::TrackerState(TrackedModel model, TrackerSettings settings, const double* seed)
    : model_(std::move(model)),
      settings_(std::move(settings)),
      task_(model_, settings_.weights,
            settings_.position_first ? Counted::kPositions : Counted::kAll),
      approach_(model_.numVariables()),
      pacing_(model_.numVariables()),
      farther_(model_.numVariables()),
      correction_(model_.numVariables()),
      null_space_(model_.numVariables()),
      among_(model_.numVariables() + Obstacles::kMost),
      last_targets_(16 * model_.numGoals()) {
  const std::size_t n = model_.numVariables();
  for (Bounds* bounds : {&motions_, &scaled_}) {
    bounds->lower.resize(n);
    bounds->upper.resize(n);
  }
  for (std::vector<double>* numbers :
       {&among_bounds_.lower, &among_bounds_.upper, &among_gradient_, &among_solution_}) {
    numbers->resize(n + Obstacles::kMost);
  }
  for (std::vector<double>* variables :
       {&q_, &v_, &x_, &gradient_, &solution_, &projected_, &pace_, &delta_, &farther_delta_,
        &reference_, &null_motion_, &with_target_, &gap_, &goal_}) {
    variables->resize(n);
  }
  for (std::vector<double>* errors : {&error_, &last_error_, &left_, &rest_}) {
    errors->resize(task_.numErrors());
  }
  step_.positions.resize(static_cast<Eigen::Index>(n));
  step_.velocities.resize(static_cast<Eigen::Index>(n));
  if (settings_.position_first) {
    turns_.emplace(model_, settings_.weights);
  }
  if (model_.numClosures() > 0) {
    loops_.emplace(model_, settings_.weights, settings_.limits);
  }
  has_posture_ = !settings_.posture.empty();
  settings_.posture.resize(n);
  reset(seed);
}

void TrackerState::reset(const double* seed) {
  q_.assign(seed, seed + q_.size());
  for (std::vector<double>* variables : {&v_, &reference_, &null_motion_}) {
    std::fill(variables->begin(), variables->end(), 0.0);
  }
  if (turns_) {
    turns_->reference.assign(q_.size(), 0.0);
  }
  approach_.forget();
  pacing_.forget();
  correction_.forget();
  has_targets_ = has_goal_ = jumped_ = false;
  step_.positions = Eigen::Map<const Vector>(q_.data(), step_.positions.size());
  step_.velocities.setZero();
  step_.status = TrackingStatus::kHeld;
  step_.reason = HeldReason::kJump;
  step_.position_error = step_.orientation_error = 0.0;
}

void TrackerState::setPosture(const double* posture) {
  has_posture_ = posture != nullptr;
  if (has_posture_) {
    settings_.posture.assign(posture, posture + q_.size());
  }
}

void TrackerState::moveTo(const double* configuration) {
  goal_.assign(configuration, configuration + q_.size());
  has_goal_ = true;
}

bool TrackerState::isWithinLimits(const double* configuration) const {
  const MotionLimits& limits = settings_.limits;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    if (!(limits.lower[i] <= configuration[i] && configuration[i] <= limits.upper[i])) {
      return false;
    }
  }
  return true;
}

const TrackerStep& TrackerState::step(const double* targets) {
  if (!arePoses(targets)) {
    return brake();
  }
  task_.setTargets(targets);
  task_.measure(q_.data());
  if (turns_) {
    turns_->task.setTargets(targets);
  }
  if (loops_) {
    loops_->setTargets(targets);
  }
  if (!acceptsTargets(targets)) {
    return brake();
  }
  error_ = task_.error();
  error_before_ = lengthOf(error_);
  settings_.limits.nextMotions(q_.data(), v_.data(), motions_);
  blocked_ = false;
  if (obstacles_) {
    obstacles_->look(q_.data(), v_.data());
  }
  if (has_goal_) {
    return approachConfiguration();
  }
  task_.linearize();
  approachTargets();
  followReference();
  if (turns_) {
    prepareNullSpace();
    approachRotations();
  } else if (has_posture_ || settings_.objective != NullSpaceObjective::kNone) {
    approachObjectives();
  }
  approachFarTargets();
  has_targets_ = true;
  regulate();
  solve();
  finish();
  judge();
  return step_;
}

const TrackerStep& TrackerState::brake() {
  settings_.limits.nextMotions(q_.data(), v_.data(), motions_);
  MotionLimits::braking(motions_, gap_.data());
  if (loops_ && loops_->knowsTargets()) {
    loops_->brake(q_.data(), v_.data(), gap_.data());
  }
  commit(gap_.data());
  std::fill(reference_.begin(), reference_.end(), 0.0);
  std::fill(null_motion_.begin(), null_motion_.end(), 0.0);
  if (turns_) {
    std::fill(turns_->reference.begin(), turns_->reference.end(), 0.0);
  }
  has_goal_ = false;
  measureLeft();
  step_.status = TrackingStatus::kHeld;
  step_.reason = HeldReason::kJump;
  return step_;
}

void TrackerState::approachTargets() {
  approach_.forget();
  x_ = q_;
  // Of a target that moves on as before the way is known, however long it is.
  for (std::size_t i = 0; i < q_.size(); ++i) {
    solution_[i] = settings_.limits.period * reference_[i] / model_.tree().scale[i];
  }
  left_ = error_;
  task_.subtractMotion(solution_.data(), left_.data());
  const double unexpected = std::min(lengthOf(left_), error_before_);
  approachOnce(approach_, error_, unexpected);
  stretched_ = lengthOf(rest_) > kOutOfReach * error_before_;
  if (stretched_) {
    approach_.forget();
    x_ = q_;
    approachOnce(approach_, error_, kStretched * unexpected);
  }
  error_predicted_ = lengthOf(rest_);
  near_ = error_predicted_ < kReached * error_before_;
  refine(approach_, solution_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double way = model_.tree().scale[i] * solution_[i];
    delta_[i] = std::clamp(way, std::min(settings_.limits.lower[i] - q_[i], 0.0),
                           std::max(settings_.limits.upper[i] - q_[i], 0.0));
  }
}

void TrackerState::refine(const BoundedQuadratic& quadratic, std::vector<double>& motion) {
  if (!near_) {
    return;
  }
  task_.project(rest_.data(), gradient_.data());
  quadratic.solveFree(gradient_.data(), projected_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    motion[i] += projected_[i];
  }
  task_.subtractMotion(projected_.data(), rest_.data());
}

void TrackerState::approachFarTargets() {
  farther_delta_ = delta_;
  if (near_) {
    return;
  }
  farther_.forget();
  for (std::size_t i = 0; i < q_.size(); ++i) {
    x_[i] = q_[i] + delta_[i];
  }
  double least = error_before_;
  for (int k = 0; k < kApproaches; ++k) {
    task_.measure(x_.data());
    const double error = lengthOf(task_.error());
    if (error > least) {
      return;
    }
    error_predicted_ = least = error;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      farther_delta_[i] = x_[i] - q_[i];
    }
    task_.linearize();
    approachOnce(farther_, task_.error(), error);
  }
}

void TrackerState::approachOnce(BoundedQuadratic& quadratic, const std::vector<double>& error,
                                double unexpected) {
  task_.writeNormal(dampingFor(unexpected), quadratic.matrix());
  task_.project(error.data(), gradient_.data());
  const double* scale = model_.tree().scale;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    // Where a joint is beyond a limit, the way leads back.
    scaled_.lower[i] = (settings_.limits.lower[i] - x_[i]) / scale[i];
    scaled_.upper[i] = (settings_.limits.upper[i] - x_[i]) / scale[i];
    solution_[i] = 0.0;
  }
  quadratic.solve(gradient_.data(), scaled_.lower.data(), scaled_.upper.data(), solution_.data());
  rest_ = error;
  task_.subtractMotion(solution_.data(), rest_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    x_[i] += scale[i] * solution_[i];
  }
}

void TrackerState::prepareNullSpace() {
  // Motions that move the tips by less than a thousandth of what others do are taken to be free.
  constexpr double kFree = 1e-6;
  task_.writeNormal(kFree, null_space_.matrix());
  null_space_.factorLike(approach_);
}

void TrackerState::projectToNullSpace(double* motion) {
  std::fill(rest_.begin(), rest_.end(), 0.0);
  task_.subtractMotion(motion, rest_.data());
  task_.project(rest_.data(), gradient_.data());
  null_space_.solveFree(gradient_.data(), projected_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    motion[i] = null_space_.boundOf(i) == 0 ? motion[i] + projected_[i] : 0.0;
  }
}

void TrackerState::solve() {
  for (int k = 0; k < kIterations; ++k) {
    task_.measure(x_.data());
    for (std::size_t e = 0; e < rest_.size(); ++e) {
      rest_[e] = task_.error()[e] - left_[e];
    }
    const bool near = obstacles_ && obstacles_->count() > 0;
    // What is near may ask for another motion than that of the target.
    if (lengthOf(rest_) < kExact && (k > 0 || !near)) {
      break;
    }
    near ? iterateAmongObstacles() : iterate();
  }
}

double TrackerState::dampingOfRest() const {
  return dampingFor((stretched_ ? kStretched : 1.0) * lengthOf(rest_));
}

void TrackerState::iterate() {
  const double* scale = model_.tree().scale;
  task_.linearize();
  task_.writeNormal(dampingOfRest(), correction_.matrix());
  task_.project(rest_.data(), gradient_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double moved = x_[i] - q_[i];
    scaled_.lower[i] = std::min((motions_.lower[i] - moved) / scale[i], 0.0);
    scaled_.upper[i] = std::max((motions_.upper[i] - moved) / scale[i], 0.0);
    solution_[i] = 0.0;
  }
  correction_.solve(gradient_.data(), scaled_.lower.data(), scaled_.upper.data(),
                    solution_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double moved = x_[i] - q_[i] + scale[i] * solution_[i];
    x_[i] = q_[i] + std::clamp(moved, motions_.lower[i], motions_.upper[i]);
  }
}

void TrackerState::keepClosed() {
  held_back_ = false;
  if (!loops_ || !loops_->knowsTargets()) {
    return;
  }
  // The motions may have been bound by the goal.
  settings_.limits.nextMotions(q_.data(), v_.data(), motions_);
  loops_->brake(q_.data(), v_.data(), pace_.data());
  x_ = gap_;
  for (const double share : kParts) {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      gap_[i] = pace_[i] + share * (x_[i] - pace_[i]);
    }
    if (loops_->close(q_.data(), motions_, gap_.data()) &&
        loops_->canBrakeAfter(q_.data(), gap_.data())) {
      return;
    }
    held_back_ = true;
  }
  gap_ = pace_;
}

void TrackerState::commit(const double* motion) {
  const MotionLimits& limits = settings_.limits;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    v_[i] = motion[i] / limits.period;
    const double before = q_[i];
    // Rounding does not take a joint beyond its limits.
    q_[i] = std::clamp(before + motion[i], std::min(limits.lower[i], before),
                       std::max(limits.upper[i], before));
    const auto row = static_cast<Eigen::Index>(i);
    step_.positions[row] = q_[i];
    step_.velocities[row] = v_[i];
  }
}

void TrackerState::finish() {
  if (!std::all_of(x_.begin(), x_.end(), [](double x) { return std::isfinite(x); })) {
    // Lengths whose squares are not finite give no motion, nor bounds of one.
    settings_.limits.nextMotions(q_.data(), v_.data(), motions_);
    x_ = q_;
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] = std::clamp(x_[i] - q_[i], motions_.lower[i], motions_.upper[i]);
  }
  if (obstacles_) {
    keepFree();
  }
  keepClosed();
  commit(gap_.data());
  measureLeft();
}

void TrackerState::measureLeft() {
  task_.measure(q_.data());
  last_error_ = task_.error();
  if (turns_) {
    turns_->task.measure(q_.data());
    turns_->last_error = turns_->task.error();
  }
  step_.position_error = task_.positionError();
  step_.orientation_error = task_.orientationError();
}

const TrackerStep& TrackerState::approachConfiguration() {
  constexpr double kThere = 1e-4;  // From there the target is followed [of a variable's scale].
  approachGoal();
  finish();
  has_goal_ = false;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    has_goal_ = has_goal_ || std::abs(goal_[i] - q_[i]) > kThere * model_.tree().scale[i];
  }
  has_targets_ = jumped_ = true;
  step_.status = TrackingStatus::kJumped;
  step_.reason = HeldReason::kNone;
  return step_;
}

}  // namespace generative_ik::tracking
