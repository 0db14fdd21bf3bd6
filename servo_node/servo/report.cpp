#include "report.hpp"

namespace generative_ik_servo {
namespace {

using generative_ik::HeldReason;
using generative_ik::TrackingStatus;

const char* nameOf(TrackingStatus status) {
  switch (status) {
    case TrackingStatus::kTracking:
      return "TRACKING";
    case TrackingStatus::kLimited:
      return "LIMITED";
    case TrackingStatus::kHeld:
      return "HELD";
    case TrackingStatus::kJumped:
      return "JUMPED";
  }
  return "";
}

const char* nameOf(HeldReason reason) {
  switch (reason) {
    case HeldReason::kNone:
      return "";
    case HeldReason::kUnreachable:
      return "unreachable";
    case HeldReason::kJointLimits:
      return "joint_limits";
    case HeldReason::kJump:
      return "jump";
    case HeldReason::kCollision:
      return "collision";
    case HeldReason::kSingular:
      return "singular";
  }
  return "";
}

std::string milliseconds(double seconds) {
  return shortNumber(1e3 * seconds);
}

}  // namespace

bool Report::fail(const std::string& why, const ServoState& state) {
  failure_ = why;
  followed_ = state.followed;
  const bool known = why == logged_ && state.motions == motions_;
  logged_ = why;
  motions_ = state.motions;
  return !known;
}

bool Report::refuse(const std::string& why, const ServoState& state) {
  ++refused_;
  return fail("refused: " + why, state);
}

Report::Status Report::status(const ServoState& state) {
  if (state.followed > followed_) {
    failure_.clear();
  }
  const std::string& failure = missing_.empty() ? failure_ : missing_;
  const Level level = failure.empty() ? Level::kOk : Level::kWarn;
  if (!state.moving) {
    return {level, failure.empty() ? "waiting for a target" : failure};
  }
  if (!state.following) {
    return {level, "stopping: " + (failure.empty() ? "no target" : failure)};
  }
  if (state.status == TrackingStatus::kHeld) {
    return {Level::kWarn, std::string("HELD: ") + nameOf(state.reason)};
  }
  return {level, nameOf(state.status) + (failure.empty() ? "" : ": " + failure)};
}

std::vector<std::pair<std::string, std::string>> Report::values(const ServoState& state,
                                                                const Lateness& lateness) const {
  const Lateness::Quantiles late = lateness.quantiles();
  std::vector<std::pair<std::string, std::string>> values = {
      {"commands", std::to_string(state.commands)},
      {"refused_messages", std::to_string(refused_)},
      {"skipped_periods", std::to_string(lateness.skipped())},
      {"late_p50_ms", milliseconds(late.p50)},
      {"late_p99_ms", milliseconds(late.p99)},
      {"late_max_ms", milliseconds(late.max)},
  };
  if (state.moving) {
    values.emplace_back("position_error_m", shortNumber(state.position_error));
    values.emplace_back("orientation_error_rad", shortNumber(state.orientation_error));
  }
  return values;
}

}  // namespace generative_ik_servo
