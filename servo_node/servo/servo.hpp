// Commands an arm towards a stream of targets: what is to be done in each period.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "arm.hpp"

namespace generative_ik_servo {

// Why an arm with a target is not moved.
enum class Blocked {
  kNot,
  kNoJointStates,  // those of late do not say where all of its joints are
  kBeyondLimits,   // a joint is far beyond a limit
};

// What a servo says of itself.
struct ServoState {
  std::uint64_t commands = 0;  // that were made
  std::uint64_t followed = 0;  // of these, towards a target
  std::uint64_t motions = 0;   // that have begun
  bool moving = false;
  bool following = false;  // whether the last command was towards a target
  generative_ik::TrackingStatus status = generative_ik::TrackingStatus::kHeld;
  generative_ik::HeldReason reason = generative_ik::HeldReason::kNone;
  double position_error = 0.0;     // [m]
  double orientation_error = 0.0;  // [rad]
  Blocked blocked = Blocked::kNot;
};

// Time for which the arm is taken to be where joint states had it [s].
constexpr double kMeasuredFor = 1.0;

// Moves an arm from rest to rest: from where joint states have it, towards the newest target,
// until that is stale, or another arm is set; then it brakes.
//
// `tick` is called by one thread, once a period; it neither allocates nor waits. All else is
// called by one other thread.
class Servo {
 public:
  Servo();

  // Has motions made with an arm, or none, from now on; that of another arm ends. The arm has to
  // stay until `uses` says no.
  void setArm(Arm* arm) { wanted_ = arm; }

  // Whether an arm may still be used.
  [[nodiscard]] bool uses(const Arm* arm) const;

  // Brakes, and does not begin again until it is to resume.
  void stop() { stopping_ = true; }
  void resume() { stopping_ = false; }

  // What it says, if that is new; the newest otherwise.
  const ServoState& state();

  // By the thread that commands: what is to be commanded at a time [s], null: nothing.
  const generative_ik::TrackerStep* tick(double now);

  // The same thread's: the arm of the last tick, null if there is none.
  [[nodiscard]] Arm* arm() const { return arm_; }

  // The same thread's: whether it was told to stop, and the arm is at rest.
  [[nodiscard]] bool finished() const { return stopping_ && !state_.moving; }

  // The same thread's: leaves the motion where it is, after an error.
  void abandon();

 private:
  void useWantedArm();
  const Aim* newest(double now);
  void begin(double now);
  void command(const Aim* aim);

  std::atomic<Arm*> wanted_{nullptr};
  std::atomic<Arm*> used_{nullptr};
  std::atomic<bool> stopping_{false};
  Handover<ServoState> states_;

  Arm* arm_ = nullptr;  // the thread's own copy of used_
  ServoState state_;
  const Aim* aim_ = nullptr;
  std::vector<double> commanded_;  // last
  int commanded_joint_set_ = -1;
};

}  // namespace generative_ik_servo
