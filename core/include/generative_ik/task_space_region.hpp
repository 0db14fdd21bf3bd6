/// Task space regions: bounds within which a tip may be, instead of one pose.
///
///   request.target_in_base = above_the_hole;
///   request.regions = {generative_ik::TaskSpaceRegion::freeAxis()};  // a drill may spin
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>

namespace generative_ik {

/// Bounds of the tip in the frame of its target (D. Berenson, S. Srinivasa, J. Kuffner, Task Space
/// Regions, IJRR 30(12), 2011, section 4).
///
/// The tip is inside if it is at target * Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll) for some
/// numbers within the bounds. A rotation has two such triples of angles, each up to full turns;
/// one of them has to be inside. A cone bounds the angle between two axes instead of the angles.
class TaskSpaceRegion {
 public:
  /// Of x, y, z [m], roll, pitch, yaw [rad].
  using Bounds = Eigen::Matrix<double, 6, 1>;

  enum class Axis : std::uint8_t { kX, kY, kZ };

  struct Cone {
    Axis axis;          ///< Of the tip and of the target.
    double half_angle;  ///< Largest angle between the two [rad].
  };

  /// The target itself.
  TaskSpaceRegion() : TaskSpaceRegion(Bounds::Zero(), Bounds::Zero()) {}

  /// Args: lower, upper: -infinity and infinity leave a coordinate free. cone: bounds the rotation
  /// instead of the angles. Throws std::invalid_argument if a bound is NaN, bounds are inverted or
  /// leave no tip anywhere, an angle is beyond two turns, or the half angle is not between 0 and
  /// pi: the message says which.
  TaskSpaceRegion(const Bounds& lower, const Bounds& upper,
                  const std::optional<Cone>& cone = std::nullopt);

  /// All poses: the tip need not be anywhere.
  static TaskSpaceRegion free();
  /// The tip may turn about one of the target's axes.
  static TaskSpaceRegion freeAxis(Axis axis = Axis::kZ);
  /// An axis of the tip is within half an angle [rad] of the target's, spin free. Args: lower,
  /// upper: of x, y and z [m]. Throws what the constructor throws.
  static TaskSpaceRegion cone(Axis axis, double half_angle,
                              const Eigen::Vector3d& lower = Eigen::Vector3d::Zero(),
                              const Eigen::Vector3d& upper = Eigen::Vector3d::Zero());
  /// The tip may turn as it likes.
  static TaskSpaceRegion positionOnly();
  /// The tip may be anywhere.
  static TaskSpaceRegion orientationOnly();
  /// The tip may slide over a plane through the target.
  static TaskSpaceRegion plane(Axis normal = Axis::kZ);

  [[nodiscard]] const Bounds& lower() const { return lower_; }
  [[nodiscard]] const Bounds& upper() const { return upper_; }
  [[nodiscard]] const std::optional<Cone>& boundingCone() const { return cone_; }

  /// The same with any position, or any orientation, or both.
  [[nodiscard]] TaskSpaceRegion freed(bool position, bool orientation) const;

  /// How many coordinates of the tip's position, and of its rotation, have one value only.
  struct Held {
    int position;
    int rotation;
  };
  [[nodiscard]] Held heldCoordinates() const;

  /// Whether it has room for errors [m] and [rad] all about the target.
  [[nodiscard]] bool isAround(double position, double orientation) const;
  /// Whether it is the target itself.
  [[nodiscard]] bool isExact() const;
  /// Whether it is all poses, by bounds that are infinite.
  [[nodiscard]] bool isFree() const;

  /// Whether the bounds are the same.
  friend bool operator==(const TaskSpaceRegion& one, const TaskSpaceRegion& other);

 private:
  Bounds lower_;
  Bounds upper_;
  std::optional<Cone> cone_;
};

}  // namespace generative_ik
