/// Arms with three parallel axes: joints 2, 3 and 4 (mirrored: 3, 4 and 5), as on UR arms.
///
/// Joints 2 to 4 move points in planes perpendicular to their axes. That leaves two equations for
/// joints 1 and 5; joint 6 follows, then the planar arm (after K. Hawkins, Analytic inverse
/// kinematics for the Universal Robots UR-5/UR-10 arms, 2013, and Elias and Wen, see
/// `subproblems.hpp`).
#pragma once

#include "angle_pairs.hpp"
#include "parameters.hpp"

namespace generative_ik::closed_form {

class ThreeParallel {
 public:
  GENERATIVE_IK_INLINE ThreeParallel(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters), rotation_(motion.rotation) {
    // Joints 2 to 4 change neither how far along their direction a point on axis 5 is, nor how
    // much the flange's axis points along it.
    const Vector3<double> axis = parameters_.axis(0);
    const Vector3<double> h = parameters_.axis(1);
    out_ = rotation_ * parameters_.own(1) + motion.shift - parameters_.own(0);
    const Arc<double> from_slide = arcOf(h, axis, out_);
    const Arc<double> from_bend = arcOf(h, axis, rotation_ * parameters_.axis(5));
    const Vector3<double> slide = parameters_.own(9);
    const Vector3<double> bend = parameters_.own(10);
    slide_ = {from_slide.cosine, -from_slide.sine, slide.y, slide.z,
              parameters_.own(11).x - from_slide.middle - slide.x};
    bend_ = {from_bend.cosine, -from_bend.sine, -bend.y, -bend.z, bend.x - from_bend.middle};
  }

  /// Equations for joints 1 and 5.
  [[nodiscard]] GENERATIVE_IK_INLINE const PairEquation& slide() const { return slide_; }
  [[nodiscard]] GENERATIVE_IK_INLINE const PairEquation& bend() const { return bend_; }

  /// Writes the branches of the pairs of joints 1 and 5, as a `ClosedFormKernel`.
  template <class Number, class Pairs>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t write(const Pairs& pairs, double* out) const;

 private:
  /// What a block of pairs leaves to joints 2 to 4.
  template <class Number>
  struct Planar {
    MaskOf<Number> exists;
    MaskOf<Number> doubtful;
    Number first, fifth, sixth;  // [rad]
    Number together;             // by how much joints 2 to 4 turn together [rad]
    Vector3<Number> goal;        // where joints 2 and 3 bring axis 4, in their plane
    Number off;
  };

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Planar<Number> planar(const AnglePairs<Number>& pair) const;

  // Writes the branches of a block to a table; returns whether there may be others.
  template <class Number>
  GENERATIVE_IK_INLINE bool put(const Planar<PairNumber<Number>>& pairs, int half, int block,
                                BranchTable& table) const;

  Parameters parameters_;
  Rotation rotation_;
  Vector3<double> out_{};  // the target of the point on axis 6 from that on axis 1
  PairEquation slide_{};
  PairEquation bend_{};
};

template <class Number>
GENERATIVE_IK_INLINE ThreeParallel::Planar<Number> ThreeParallel::planar(
    const AnglePairs<Number>& pair) const {
  const Vector3<double> axis1 = parameters_.axis(0);
  const Vector3<double> h = parameters_.axis(1);
  const Vector3<double> axis5 = parameters_.axis(4);
  const Vector3<double> axis6 = parameters_.axis(5);
  const Vector3<double> aside = parameters_.own(8);
  const Vector3<double> across = cross(h, aside);
  Number off = pair.off + parameters_.error();
  const Vector3<Number> pointing = transposed(rotation_) * turn(axis1, pair.u, h);
  const AngleBetween<Number> sixth =
      angleBetween<Number>(pointing, turnBack(axis5, pair.v, h), axis6, off);
  off = off + sixth.off;
  Vector3<Number> turned = turnBack(axis6, sixth.angle, turnBack(axis5, pair.v, aside));
  turned = turnBack(axis1, pair.u, rotation_ * turned);
  Vector3<Number> last = turnBack(axis5, pair.v, parameters_.own(3)) + parameters_.own(2);
  last = rotation_ * turnBack(axis6, sixth.angle, last) + out_;
  const Vector3<Number> goal = turnBack(axis1, pair.u, last) + parameters_.own(4);
  return {pair.exists,
          either(pair.doubtful, both(pair.exists, negated(sixth.defined))),
          simd::radiansOf(pair.u),
          simd::radiansOf(pair.v),
          simd::radiansOf(sixth.angle),
          simd::radiansOf(Angle<Number>{dot(aside, turned), dot(across, turned)}),
          perpendicular(h, goal),
          off};
}

template <class Number>
GENERATIVE_IK_INLINE bool ThreeParallel::put(const Planar<PairNumber<Number>>& pairs, int half,
                                             int block, BranchTable& table) const {
  const Vector3<double> h = parameters_.axis(1);
  const Vector3<double> upper = parameters_.own(5);
  const Vector3<double> fore = parameters_.own(6);
  const Vector3<double> elbow = parameters_.own(7);
  const Vector3<double> signs = parameters_.own(11);
  const Vector3<Number> goal = doubled<Number>(pairs.goal, half);
  const auto off = doubled<Number>(pairs.off, half);
  const AngleOnLine<Number> third =
      angleOnLine(Number(elbow.y), Number(elbow.z), dot(goal, goal) / 2.0 - elbow.x, off,
                  secondChoice<Number>(block));
  const MaskOf<Number> there = doubledMask<Number>(pairs.exists, half);
  const MaskOf<Number> exists = both(there, third.exists);
  const Vector3<Number> reach = upper + turn(h, third.angle, fore);
  const AngleBetween<Number> second = angleBetween<Number>(reach, goal, h, off + third.off);
  const Number q2 = simd::radiansOf(second.angle);
  const Number q3 = simd::radiansOf(third.angle);
  const JointValues<Number> values = {doubled<Number>(pairs.first, half),
                                      q2,
                                      signs.y * q3,
                                      signs.z * (doubled<Number>(pairs.together, half) - q2 - q3),
                                      doubled<Number>(pairs.fifth, half),
                                      doubled<Number>(pairs.sixth, half)};
  table.put<Number>(block, exists, values);
  return simd::anywhere(
      either(both(there, negated(third.certain)), both(exists, negated(second.defined))));
}

template <class Number, class Pairs>
GENERATIVE_IK_INLINE std::int64_t ThreeParallel::write(const Pairs& pairs, double* out) const {
  using Pair = PairNumber<Number>;
  BranchTable table;
  bool doubtful = false;
  for (int block = 0; block < kPairBlocks<Number>; ++block) {
    const AnglePairs<Pair> pair = pairs.template block<Pair>(block);
    doubtful = doubtful || simd::anywhere(pair.doubtful);
    if (!simd::anywhere(pair.exists)) {
      continue;
    }
    const Planar<Pair> left = planar(pair);
    doubtful = doubtful || simd::anywhere(left.doubtful);
    for (int half = 0; half < kHalves<Number>; ++half) {
      doubtful = put<Number>(left, half, kHalves<Number> * block + half, table) || doubtful;
    }
  }
  const std::int64_t count = table.write(out, parameters_.mirrored());
  return doubtful ? -1 - count : count;
}

/// Arms whose axes 5 and 6 intersect.
template <class Number>
GENERATIVE_IK_DEVICE std::int64_t threeParallel(const double* numbers, const double* tip_pose,
                                                double* out) {
  const Parameters parameters(numbers);
  const ThreeParallel arm(parameters, carriedTo(tip_pose, parameters));
  return arm.write<Number>(DecoupledPairs(arm.slide(), arm.bend(), false, parameters.error()),
                           out);
}

/// Arms whose axes 5 and 6 are skew: a quartic.
template <class Number>
GENERATIVE_IK_DEVICE std::int64_t threeParallelCoupled(const double* numbers,
                                                       const double* tip_pose, double* out) {
  const Parameters parameters(numbers);
  const ThreeParallel arm(parameters, carriedTo(tip_pose, parameters));
  return arm.write<Number>(CoupledPairs(arm.slide(), arm.bend(), parameters.error()), out);
}

}  // namespace generative_ik::closed_form
