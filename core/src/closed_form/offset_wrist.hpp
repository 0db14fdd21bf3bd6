/// Arms whose wrist has an offset: axes 1 and 2, 3 and 4, 4 and 5 intersect, 2 and 3 are parallel.
///
/// Joints 4 and 5 do not move the point where their axes intersect, and joint 4 keeps the angle
/// between them. So both follow from joint 6, and say where joints 2 and 3 point axis 4: its
/// direction in their plane has two given scalar products and length one, which is a trigonometric
/// polynomial of degree 4 in joint 6. At each of its zeros joint 1 may also point the other way.
#pragma once

#include "newton.hpp"
#include "samples.hpp"

namespace generative_ik::closed_form {

class OffsetWrist {
 public:
  GENERATIVE_IK_INLINE OffsetWrist(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters), motion_(motion) {
    place();
  }

  /// Writes all branches, as a `ClosedFormKernel`.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t write(double* out) const;

 private:
  /// The wrist from the shoulder, and the direction of axis 5, in the arm's frame.
  template <class Number>
  struct Seen {
    Vector3<Number> wrist;
    Vector3<Number> line;
  };

  /// A vector of any length as an angle; of none as the angle zero.
  template <class Number>
  GENERATIVE_IK_INLINE static Angle<Number> ofLengthOne(const Number& c, const Number& s) {
    const Number square = c * c + s * s;
    const MaskOf<Number> some = Number(kNone) < square;
    const Number size = simd::squareRoot(select(some, square, Number(1.0)));
    return {select(some, c / size, Number(1.0)), s / size};
  }

  // The arm's frame, the shoulder, the wrist and what else is said of the arm.
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> own(int index) const {
    return parameters_.own(kJoints + index);
  }

  // Writes what 1, cosine and sine of joint 6 are multiplied by.
  GENERATIVE_IK_INLINE void place();

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Seen<Number> seenAt(const Number& c, const Number& s) const {
    const auto at = [&](const Vector3<double>(&of)[3]) {  // NOLINT(*-avoid-c-arrays)
      return of[0] + c * of[1] + s * of[2];
    };
    return {at(wrist_), at(line_)};
  }

  /// The polynomial's value, and how large the terms are that it is the sum of.
  template <class Number>
  struct Value {
    Number value, size;
  };
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Value<Number> polynomial(const Number& c,
                                                              const Number& s) const;

  // Writes all six angles where joint 6 is at some angles [rad] and joint 1 points towards the
  // wrist, side 1, or away from it, -1. Returns whether they follow: not where the wrist is on
  // axis 1, or axis 5 points at the shoulder.
  template <class Number>
  GENERATIVE_IK_INLINE MaskOf<Number> follow(const Number& zero, const Number& side,
                                             JointValues<Number>& angles) const;

  Parameters parameters_;
  Motion motion_;
  Vector3<double> wrist_[3] = {};  // NOLINT(*-avoid-c-arrays)
  Vector3<double> line_[3] = {};   // NOLINT(*-avoid-c-arrays)
};

GENERATIVE_IK_INLINE void OffsetWrist::place() {
  const Vector3<double> axis = parameters_.axis(5);
  const Vector3<double> foot = parameters_.own(5);
  const Vector3<double> arm = own(4) - foot;
  const Vector3<double> fifth = parameters_.axis(4);
  const Rotation& rotation = motion_.rotation;
  const Rotation frame = {own(0), own(1), own(2)};
  const auto seen = [&](const Vector3<double>& p) { return frame * (rotation * p); };
  // The mean of two opposite angles, and what is added to it at 0 and at pi / 2.
  const Vector3<double> middle = dot(axis, arm) * axis;
  const Vector3<double> level = dot(axis, fifth) * axis;
  wrist_[0] = frame * (rotation * (middle + foot) + motion_.shift - own(3));
  wrist_[1] = seen(arm - middle);
  wrist_[2] = seen(cross(arm, axis));
  line_[0] = seen(level);
  line_[1] = seen(fifth - level);
  line_[2] = seen(cross(fifth, axis));
}

template <class Number>
GENERATIVE_IK_INLINE OffsetWrist::Value<Number> OffsetWrist::polynomial(const Number& c,
                                                                        const Number& s) const {
  const auto& [wrist, line] = seenAt(c, s);
  const Number across = wrist.x * wrist.x + wrist.y * wrist.y;
  const Number along = wrist.x * line.x + wrist.y * line.y;
  const Number square = across + wrist.z * wrist.z;
  const auto& [fore, upper, bend] = own(5);
  const Number reach = (square + fore * fore - upper) * (0.5 / fore);
  const Number level = across * line.z - wrist.z * along;
  const Number first = level * level;
  const Number second = reach * reach * (along * along + across * line.z * line.z);
  const Number third = bend * bend * square * across;
  const Number fourth = 2.0 * reach * bend * across * (along + wrist.z * line.z);
  return {first - second - third + fourth, first + second + third + absolute(fourth)};
}

template <class Number>
GENERATIVE_IK_INLINE MaskOf<Number> OffsetWrist::follow(const Number& zero, const Number& side,
                                                        JointValues<Number>& angles) const {
  // Distance of the wrist from axis 1, and its plane's determinant, that are too small [shares of
  // the arm's length, and squares of it].
  constexpr double kSingular = 1e-8;
  const Number one = 1.0;
  const Angle<Number> sixth = simd::angleOf(zero);
  const auto& [wrist, line] = seenAt(sixth.cosine, sixth.sine);
  Number across = simd::squareRoot(wrist.x * wrist.x + wrist.y * wrist.y);
  MaskOf<Number> regular = negated(across < Number(kSingular));
  across = select(regular, across, one);
  const auto& [fore, upper, bend] = own(5);
  const Number ahead = side * across;
  const Number aside = side * (wrist.x * line.x + wrist.y * line.y) / across;
  const Number reach = (ahead * ahead + wrist.z * wrist.z + fore * fore - upper) * (0.5 / fore);
  Number plane = ahead * line.z - wrist.z * aside;
  regular = both(regular, negated(absolute(plane) < Number(kSingular)));
  plane = select(regular, plane, one);
  // The direction of axis 4, ahead and up.
  const Number a = (reach * line.z - wrist.z * bend) / plane;
  const Number b = (ahead * bend - reach * aside) / plane;
  const auto& [c4, s4, sign2] = own(6);
  const Angle<Number> joined = ofLengthOne(a * c4 + b * s4, a * s4 - b * c4);
  const Number forth = ahead - a * fore;
  const Number up = wrist.z - b * fore;
  const auto& [c3, s3, sign3] = own(7);
  const Number second = simd::radiansOf(ofLengthOne(forth * c3 + up * s3, forth * s3 - up * c3));
  const Angle<Number> first = ofLengthOne(side * wrist.x / across, side * wrist.y / across);
  angles[0] = simd::radiansOf(first);
  angles[1] = second * sign2;
  angles[2] = (simd::radiansOf(joined) - second) * sign3;
  angles[5] = zero;
  const Vector3<double> axis4 = parameters_.axis(3);
  const Vector3<double> axis5 = parameters_.axis(4);
  const auto behind_three = [&](const Vector3<double>& axis) {
    const Vector3<Number> turned = motion_.rotation * turnBack(parameters_.axis(5), sixth, axis);
    return turnBack(own(1), joined, turnBack(own(2), first, turned));
  };
  const Angle<Number> fourth =
      angleBetween<Number>(axis5, behind_three(axis5), axis4, Number(0.0)).angle;
  const Angle<Number> fifth =
      angleBetween<Number>(axis4, turnBack(axis4, fourth, behind_three(axis4)), axis5, Number(0.0))
          .angle;
  angles[3] = simd::radiansOf(fourth);
  angles[4] = simd::radiansOf(fifth);
  return regular;
}

template <class Number>
GENERATIVE_IK_INLINE std::int64_t OffsetWrist::write(double* out) const {
  constexpr int kWidth = simd::kWidth<Number>;
  // Below so many times what it may be off the polynomial may be zero.
  constexpr double kSafety = 100.0;
  constexpr double kRounding = 4e-15;
  double values[kSampleRoom];  // NOLINT(*-avoid-c-arrays)
  Number most = 0.0;
  for (int k = 0; k < kSamples; k += kWidth) {
    const Value<Number> sample = polynomial(simd::load<Number>(sampleAngles().cosines + k),
                                            simd::load<Number>(sampleAngles().sines + k));
    simd::store(values + k, sample.value);
    most = simd::larger(most, sample.size);
  }
  TrigonometricPolynomial<4> f{};
  const double noise =
      interpolate(values, simd::largestOf(most) * (kRounding + parameters_.error()), f);
  Zeros zeros;
  findZeros(f, kSafety * noise, zeros);
  BranchList branches(out, parameters_.mirrored());
  bool sure = zeros.sure;
  // Each zero twice: joint 1 towards the wrist and away from it.
  const int size = 2 * zeros.count;
  for (int first = 0; first < size; first += kWidth) {
    const auto zero = simd::lanesOf<Number>([&](int k) {
      const int branch = first + k < size ? first + k : size - 1;
      return zeros.angles[branch / 2];
    });
    const auto side =
        simd::lanesOf<Number>([&](int k) { return (first + k) % 2 == 0 ? 1.0 : -1.0; });
    JointValues<Number> angles;
    const MaskOf<Number> regular = follow(zero, side, angles);
    sure = sure && !simd::anywhere(negated(regular));
    branches.add(parameters_, motion_, size - first < kWidth ? size - first : kWidth, angles);
  }
  return sure && branches.sure() ? branches.count() : -1 - branches.count();
}

template <class Number>
std::int64_t offsetWrist(const double* numbers, const double* tip_pose, double* out) {
  const Parameters parameters(numbers);
  return OffsetWrist(parameters, carriedTo(tip_pose, parameters)).write<Number>(out);
}

}  // namespace generative_ik::closed_form
