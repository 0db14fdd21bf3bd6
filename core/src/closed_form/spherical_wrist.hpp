/// Arms with a spherical wrist: joints 4, 5 and 6 intersect (mirrored: joints 1, 2 and 3).
///
/// Only joints 1 to 3 move the wrist's centre (D. Pieper, The kinematics of manipulators under
/// computer control, 1968). Seen from joint 2, its distance from a point on that axis and its
/// height along it say what joints 1 and 3 can be; joint 2 follows, then the wrist from the
/// rotation left.
#pragma once

#include "angle_pairs.hpp"
#include "wrist.hpp"

namespace generative_ik::closed_form {

/// What this family adds to the parameters: vectors, and the arcs of joint 3.
class SphericalWrist {
 public:
  GENERATIVE_IK_INLINE SphericalWrist(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters), rotation_(motion.rotation) {
    const Vector3<double> centre = ahead() + third() + (foot() - back());
    out_ = rotation_ * centre + motion.shift - foot();
    const Vector3<double> last = parameters_.own(7);
    const Vector3<double> axis = parameters_.axis(0);
    const Arc<double> from_distance = arcOf(back(), axis, out_);
    const Arc<double> from_height = arcOf(parameters_.axis(1), axis, out_);
    const Vector3<double> distance = parameters_.own(4);
    const Vector3<double> height = parameters_.own(5);
    distance_ = {from_distance.cosine, -from_distance.sine, -distance.y, -distance.z,
                 last.x - dot(out_, out_) / 2.0 - from_distance.middle + distance.x};
    height_ = {from_height.cosine, -from_height.sine, -height.y, -height.z,
               last.y - from_height.middle + height.x};
  }

  /// Equations for joints 1 and 3: of the centre's distance from joint 2, and of its height.
  [[nodiscard]] GENERATIVE_IK_INLINE const PairEquation& distance() const { return distance_; }
  [[nodiscard]] GENERATIVE_IK_INLINE const PairEquation& height() const { return height_; }

  /// Writes the branches of the pairs of joints 1 and 3, as a `ClosedFormKernel`.
  template <class Number, class Pairs>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t write(const Pairs& pairs, double* out) const;

 private:
  // Points on axis 1 and, from axis 2, on axes 1 and 3; from there the wrist's centre.
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> foot() const { return parameters_.own(0); }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> back() const { return parameters_.own(1); }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> third() const { return parameters_.own(2); }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> ahead() const { return parameters_.own(3); }

  Parameters parameters_;
  Rotation rotation_;
  Vector3<double> out_{};  // the target of the wrist's centre from the foot of axis 1
  PairEquation distance_{};
  PairEquation height_{};
};

template <class Number, class Pairs>
GENERATIVE_IK_INLINE std::int64_t SphericalWrist::write(const Pairs& pairs, double* out) const {
  const Vector3<double> axis1 = parameters_.axis(0);
  const Vector3<double> axis2 = parameters_.axis(1);
  const Vector3<double> axis3 = parameters_.axis(2);
  using Pair = PairNumber<Number>;
  FirstThreeOfAll<Number> known;
  bool some = false;
  bool doubtful = false;
  for (int block = 0; block < kPairBlocks<Number>; ++block) {
    const AnglePairs<Pair> pair = pairs.template block<Pair>(block);
    some = some || simd::anywhere(pair.exists);
    doubtful = doubtful || simd::anywhere(pair.doubtful);
    const Vector3<Pair> ahead = turn(axis3, pair.v, this->ahead()) + third();
    const Vector3<Pair> goal = turnBack(axis1, pair.u, out_) + back();
    const Pair off = pair.off + parameters_.error();
    const AngleBetween<Pair> second = angleBetween<Pair>(ahead, goal, axis2, off);
    known[block] = {
        pair.exists,
        either(pair.doubtful, both(pair.exists, negated(second.defined))),
        {pair.u, second.angle, pair.v},
        {simd::radiansOf(pair.u), simd::radiansOf(second.angle), simd::radiansOf(pair.v)},
        off + second.off};
  }
  if (!some) {
    return doubtful ? -1 : 0;
  }
  const Vector3<double> bend = parameters_.own(6);
  return writeWithWrist<Number>(parameters_, rotation_, {bend.x, bend.y, bend.z}, known, out);
}

/// Arms whose axis 2 intersects, or is parallel to, axis 1 or 3.
template <class Number>
GENERATIVE_IK_DEVICE std::int64_t sphericalWrist(const double* numbers, const double* tip_pose,
                                                 double* out) {
  // The equation that has one angle only, and which; as the parameters say.
  constexpr double kDistanceOfThird = 1.0;
  constexpr double kHeightOfFirst = 2.0;
  constexpr double kHeightOfThird = 3.0;
  const Parameters parameters(numbers);
  const SphericalWrist arm(parameters, carriedTo(tip_pose, parameters));
  const double single = parameters.own(7).z;
  const bool by_height = single >= kHeightOfFirst;
  const bool of_third = single == kDistanceOfThird || single == kHeightOfThird;
  const DecoupledPairs pairs(by_height ? arm.height() : arm.distance(),
                             by_height ? arm.distance() : arm.height(), of_third,
                             parameters.error());
  return arm.write<Number>(pairs, out);
}

/// Arms whose axis 2 is skew to axes 1 and 3: a quartic.
template <class Number>
GENERATIVE_IK_DEVICE std::int64_t sphericalWristCoupled(const double* numbers,
                                                        const double* tip_pose, double* out) {
  const Parameters parameters(numbers);
  const SphericalWrist arm(parameters, carriedTo(tip_pose, parameters));
  const CoupledPairs pairs(arm.distance(), arm.height(), parameters.error());
  return arm.write<Number>(pairs, out);
}

}  // namespace generative_ik::closed_form
