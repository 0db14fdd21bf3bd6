/// Six revolute joints of no special kind: up to 16 branches from one polynomial.
///
/// The joints close a loop, E1 E2 ... E6 G' = 1, where G' takes the target back to the tip at
/// zero. Along a joint's axis, a line with a point on it, that joint does not count; two of the
/// others can be brought to the other side. M. Raghavan and B. Roth (Inverse kinematics of the
/// general 6R manipulator and related linkages, 1993) found 14 functions of such a line that are
/// linear in the cosine and sine of every rotation of it. So six equations in the other three
/// angles are prepared once for an arm; `determinants.hpp` makes them one determinant in one of
/// the three, a trigonometric polynomial of degree 8, because only four of the functions turn with
/// it. Its values at angles all round the circle tell its coefficients without loss of precision,
/// and `trigonometric.hpp` finds all of its zeros. The other angles follow one after the other;
/// Newton steps on the whole chain bring each branch to full precision.
#pragma once

#include "determinants.hpp"
#include "newton.hpp"
#include "samples.hpp"

namespace generative_ik::closed_form {

class GeneralArm {
 public:
  GENERATIVE_IK_INLINE GeneralArm(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters), elimination_(parameters.numbers()), motion_(motion) {
    const Rotation back = transposed(motion.rotation);
    loop_ = {back, -(back * motion.shift)};
  }

  /// Writes all branches, as a `ClosedFormKernel`.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t write(double* out) const;

 private:
  static constexpr int kDegree = 8;

  /// The angle of twice the arc tangent of high by low, from their products.
  template <class Number>
  GENERATIVE_IK_INLINE static Angle<Number> twiceTheArcTangent(const Number& high_high,
                                                               const Number& high_low,
                                                               const Number& low_low) {
    const MaskOf<Number> steep = low_low < high_high;
    const Number high = select(steep, high_high, high_low);
    const Number low = select(steep, high_low, low_low);
    const Number square = high * high + low * low;
    const MaskOf<Number> some = Number(0.0) < square;
    const Number per_square = 1.0 / select(some, square, Number(1.0));
    return {select(some, (low * low - high * high) * per_square, Number(1.0)),
            2.0 * high * low * per_square};
  }

  /// The dropped axis as it is moved.
  template <class Number>
  struct Line {
    Vector3<Number> point, direction;
  };

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Line<Number> moved(const Line<Number>& line) const {
    return {loop_.rotation * line.point + loop_.shift, loop_.rotation * line.direction};
  }

  // Cosine and sine of the first eliminated joint from the dropped axis's place.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Angle<Number> firstEliminated(const Line<Number>& line) const;

  template <class Number>
  using ThreeAngles = Angle<Number>[3];  // NOLINT(*-avoid-c-arrays)

  // Writes all six angles from the three of the equations [rad].
  template <class Number>
  GENERATIVE_IK_INLINE void follow(const ThreeAngles<Number>& known,
                                   JointValues<Number>& angles) const;

  // The angle of the dropped joint, from the rotation that the others leave.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Number droppedAngle(const JointValues<Number>& angles) const;

  Parameters parameters_;
  EliminationNumbers elimination_;
  Motion motion_;
  Motion loop_{};  // G'
};

template <class Number>
GENERATIVE_IK_INLINE Angle<Number> GeneralArm::firstEliminated(const Line<Number>& line) const {
  const auto& [point, direction] = line;
  const Number along = dot(point, direction);
  const Number square = dot(point, point);
  const Vector3<Number> moment = cross(point, direction);
  const Vector3<Number> last = square * direction - (2.0 * along) * point;
  const Number functions[kFunctions] = {// NOLINT(*-avoid-c-arrays)
                                        point.x,     point.y,     point.z,     square, 1.0,
                                        direction.x, direction.y, direction.z, along,  moment.x,
                                        moment.y,    moment.z,    last.x,      last.y, last.z};
  Angle<Number> angle = {elimination_.offset().cosine, elimination_.offset().sine};
  for (int k = 0; k < kFunctions; ++k) {
    angle.cosine += elimination_.forCosine(k) * functions[k];
    angle.sine += elimination_.forSine(k) * functions[k];
  }
  return angle;
}

template <class Number>
GENERATIVE_IK_INLINE void GeneralArm::follow(const ThreeAngles<Number>& known,
                                             JointValues<Number>& angles) const {
  const int dropped = elimination_.dropped();
  const Vector3<double> start = parameters_.own(dropped);
  const Vector3<double> axis = parameters_.axis(dropped);
  Line<Number> line = {{start.x, start.y, start.z}, {axis.x, axis.y, axis.z}};
  for (int k = 2; k >= 0; --k) {
    int joint = dropped + 3 + k;
    if (joint == kJoints - 1) {
      line = moved(line);
    }
    joint %= kJoints;
    const Vector3<double> foot = parameters_.own(joint);
    line.point = turn(parameters_.axis(joint), known[k], line.point - foot) + foot;
    line.direction = turn(parameters_.axis(joint), known[k], line.direction);
    angles[joint] = simd::radiansOf(known[k]);
  }
  if (dropped == 3) {
    line = moved(line);
  }
  const Angle<Number> first = firstEliminated(line);
  angles[dropped + 1] = simd::radiansOf(first.cosine, first.sine);
  const Vector3<double> axis1 = parameters_.axis(dropped + 1);
  const Vector3<double> foot1 = parameters_.own(dropped + 1);
  const Vector3<Number> place = turnBack(axis1, first, start - foot1) + foot1;
  const Vector3<Number> target = turnBack(axis1, first, axis);
  const Vector3<double> axis2 = parameters_.axis(dropped + 2);
  const Vector3<double> foot2 = parameters_.own(dropped + 2);
  const Vector3<Number> p = line.point - foot2;
  const Vector3<Number> q = place - foot2;
  const Number c = dot(p, q) - dot(axis2, p) * dot(axis2, q) + dot(line.direction, target) -
                   dot(axis2, line.direction) * dot(axis2, target);
  const Number s = dot(axis2, cross(p, q)) + dot(axis2, cross(line.direction, target));
  angles[dropped + 2] = simd::radiansOf(c, s);
  angles[dropped] = droppedAngle(angles);
}

template <class Number>
GENERATIVE_IK_INLINE Number GeneralArm::droppedAngle(const JointValues<Number>& angles) const {
  const int dropped = elimination_.dropped();
  const Vector3<double> axis = parameters_.axis(dropped);
  const Vector3<double> aside =
      cross(axis, std::fabs(axis.x) < 0.7 ? Vector3<double>{1.0, 0.0, 0.0}
                                          : Vector3<double>{0.0, 1.0, 0.0});
  const Rotation back = transposed(loop_.rotation);
  Vector3<Number> turned = {aside.x, aside.y, aside.z};
  for (int k = 1; k <= kJoints; ++k) {
    const int joint = (dropped + k) % kJoints;
    if (joint == 0) {
      turned = back * turned;
    }
    if (k < kJoints) {
      turned = turnBack(parameters_.axis(joint), simd::angleOf(angles[joint]), turned);
    }
  }
  return simd::radiansOf<Number>(dot(aside, turned) - dot(axis, aside) * dot(axis, turned),
                                 dot(axis, cross(aside, turned)));
}

template <class Number>
GENERATIVE_IK_INLINE std::int64_t GeneralArm::write(double* out) const {
  constexpr int kWidth = simd::kWidth<Number>;
  // Below so many times its rounding the polynomial may be zero.
  constexpr double kSafety = 100.0;
  constexpr double kEpsilon = 2.2e-16;
  Equations equations;  // NOLINT(*-member-init): it is computed at once
  equations.compute<Number>(elimination_, loop_);
  DialyticMatrix<Number> matrix(elimination_, equations);
  double values[kSampleRoom];  // NOLINT(*-avoid-c-arrays)
  Number most = 0.0;
  for (int k = 0; k < kSamples; k += kWidth) {
    const auto& [value, error] =
        matrix.determinant({simd::load<Number>(sampleAngles().cosines + k),
                            simd::load<Number>(sampleAngles().sines + k)});
    simd::store(values + k, value);
    most = simd::larger(most, error);
  }
  TrigonometricPolynomial<kDegree> f{};
  const double noise = interpolate(values, kEpsilon * simd::largestOf(most), f);
  Zeros zeros;
  findZeros(f, kSafety * noise, zeros);
  BranchList branches(out, parameters_.mirrored());
  for (int first = 0; first < zeros.count; first += kWidth) {
    const int size = zeros.count - first < kWidth ? zeros.count - first : kWidth;
    const Angle<Number> zero = simd::angleOf(simd::lanesOf<Number>(
        [&](int k) { return zeros.angles[first + (k < size ? k : size - 1)]; }));
    Number v[kEquations];  // NOLINT(*-avoid-c-arrays)
    matrix.nullVector(zero, v);
    const Angle<Number> y = twiceTheArcTangent(v[0] * v[0] + v[1] * v[1] + v[2] * v[2],
                                               v[0] * v[3] + v[1] * v[4] + v[2] * v[5],
                                               v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    const Angle<Number> z =
        twiceTheArcTangent(v[0] * v[0] + v[1] * v[1] + v[3] * v[3] + v[4] * v[4],
                           v[0] * v[1] + v[1] * v[2] + v[3] * v[4] + v[4] * v[5],
                           v[1] * v[1] + v[2] * v[2] + v[4] * v[4] + v[5] * v[5]);
    JointValues<Number> angles;
    follow<Number>({zero, y, z}, angles);
    branches.add(parameters_, motion_, size, angles);
  }
  // The others are complex and come in pairs.
  const bool sure = zeros.sure && branches.sure() && branches.count() % 2 == 0;
  return sure ? branches.count() : -1 - branches.count();
}

template <class Number>
std::int64_t generalArm(const double* numbers, const double* tip_pose, double* out) {
  const Parameters parameters(numbers);
  return GeneralArm(parameters, carriedTo(tip_pose, parameters)).write<Number>(out);
}

}  // namespace generative_ik::closed_form
