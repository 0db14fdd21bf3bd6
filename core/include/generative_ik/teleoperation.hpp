/// What makes targets for a tracker of a device in a hand, or of a stream of messages.
///
///   generative_ik::TargetFilter filter(period, 5.0);
///   while (running) {
///     const Eigen::Isometry3d tip = chain.tipInBase(tracker.last().positions);
///     tracker.step(filter.jog(velocity_of_the_tip, Eigen::Matrix3d::Identity(), tip));
///   }
///
/// Nothing here allocates after it is made. All are for one thread at a time. What is not finite,
/// or too large to compute with, makes targets that are not, which stop a tracker, and changes
/// nothing else.
#pragma once

#include <generative_ik/chain.hpp>
#include <generative_ik/pose_error.hpp>
#include <optional>

namespace generative_ik {

/// Moves a target with a device for as long as the clutch is engaged, from wherever the device and
/// the tip are when it is.
class Clutch {
 public:
  /// Args:
  ///   scale: Distance of the tip for each metre of the device, above 0 and at most 1e6.
  ///   orientation_scale: Angle of the tip for each radian of the device, at most 1e6; 0 keeps its
  ///     orientation.
  ///   frame_in_base: Orientation of the frame that the device's poses are given in.
  /// Throws std::invalid_argument for a scale that it cannot have, or a frame that is not finite.
  explicit Clutch(double scale = 1.0, double orientation_scale = 1.0,
                  const Eigen::Matrix3d& frame_in_base = Eigen::Matrix3d::Identity());

  [[nodiscard]] bool engaged() const { return origins_.has_value(); }

  void release() { origins_.reset(); }

  /// The target in base, with the clutch engaged. Args: device: in its own frame; tip: where the
  /// tip is in base, at which the target begins.
  Eigen::Isometry3d step(const Eigen::Isometry3d& device, const Eigen::Isometry3d& tip);

 private:
  struct Origins {
    Eigen::Isometry3d device;
    Eigen::Isometry3d tip;
  };

  double scale_;
  double orientation_scale_;
  Eigen::Matrix3d frame_in_base_;
  std::optional<Origins> origins_;  // where both were when it was engaged
  Eigen::Vector3d turned_ = Eigen::Vector3d::Zero();
};

/// Moves a target by velocities. It does not run away from a tip that cannot follow, as at a joint
/// limit: when the device is reversed, the tip moves back at once.
class Jog {
 public:
  /// Args: period: time between two steps [s]; largest_lead: distance and angle by which the
  /// target may be ahead of the tip. Throws std::invalid_argument if one of them is not above 0.
  explicit Jog(double period, const Tolerance& largest_lead = {0.05, 0.2});

  /// Begins at wherever the tip is at the next step.
  void reset() { target_.reset(); }

  /// The target in base. Args: velocity: of the tip, along the axes of a frame [m/s, rad/s];
  /// frame_in_base: orientation of that frame; tip: where the tip is in base.
  Eigen::Isometry3d step(const Twist& velocity, const Eigen::Matrix3d& frame_in_base,
                         const Eigen::Isometry3d& tip);

 private:
  double period_;
  Tolerance largest_lead_;
  std::optional<Eigen::Isometry3d> target_;
};

/// Smooths target poses by a critically damped filter of second order: it does not overshoot a
/// target that stands, and is 1 / (pi cutoff) behind one that moves.
class PoseFilter {
 public:
  /// Args: period: time between two steps [s]; cutoff: what is faster is attenuated [Hz]. Throws
  /// std::invalid_argument if one of them is not above 0.
  PoseFilter(double period, double cutoff);

  /// Begins anew at the next target, at rest.
  void reset();

  /// Begins anew at a pose, at rest.
  void reset(const Eigen::Isometry3d& pose);

  /// The filtered target, one period on.
  Eigen::Isometry3d step(const Eigen::Isometry3d& target);

 private:
  double period_;
  double rate_;  // [rad/s]
  std::optional<Eigen::Isometry3d> pose_;
  Twist velocity_ = Twist::Zero();
};

/// Targets of a stream of poses or velocities, smoothed alike.
///
/// Poses are filtered. Velocities are filtered before they move a target, so that it is not
/// further ahead of the tip than the tip lags. Each change from poses to velocities or back begins
/// where the tip is.
class TargetFilter {
 public:
  /// Args: period: time between two steps [s]; cutoff: of the filters [Hz]; 0: none. Throws
  /// std::invalid_argument if the period is not above 0, or the cutoff is below 0.
  TargetFilter(double period, double cutoff);

  /// Begins anew, at rest, where the tip is at the next step.
  void reset() { followed_ = Followed::kNothing; }

  /// The target in base for a pose in base. Args: tip: where the tip is in base.
  Eigen::Isometry3d follow(const Eigen::Isometry3d& target, const Eigen::Isometry3d& tip);

  /// The target in base for a velocity of the tip. Args: as of `Jog::step`.
  Eigen::Isometry3d jog(const Twist& velocity, const Eigen::Matrix3d& frame_in_base,
                        const Eigen::Isometry3d& tip);

 private:
  enum class Followed { kNothing, kPoses, kVelocities };

  void begin(Followed followed, const Eigen::Isometry3d& tip);

  Jog jog_;
  std::optional<PoseFilter> poses_;
  double share_;  // of a velocity that a filter of first order takes over in a period
  Twist once_ = Twist::Zero();
  Twist twice_ = Twist::Zero();
  Followed followed_ = Followed::kNothing;
};

}  // namespace generative_ik
