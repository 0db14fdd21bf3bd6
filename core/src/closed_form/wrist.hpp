/// The angles of a spherical wrist, from the rotation that other joints leave.
#pragma once

#include "branches.hpp"
#include "parameters.hpp"

namespace generative_ik::closed_form {

/// Joints 1 to 3, for a block of pairs.
template <class Number>
struct FirstThree {
  MaskOf<Number> exists;
  MaskOf<Number> doubtful;  // whether there may be others
  Angle<Number> angles[3];  // NOLINT(*-avoid-c-arrays): zero for prismatic joints
  Number values[3];         // NOLINT(*-avoid-c-arrays): what is written [rad or m]
  Number off;               // how far the angles are expected to be off [rad]
};

/// All pairs of an arm, in blocks.
template <class Number>
using FirstThreeOfAll =
    FirstThree<PairNumber<Number>>[kPairBlocks<Number>];  // NOLINT(*-avoid-c-arrays)

/// Writes the branches of an arm whose first three joints are known: two of each at most.
///
/// `bend` is the arc of axes 4, 5 and 6. Returns what a `ClosedFormKernel` does.
template <class Number>
GENERATIVE_IK_INLINE std::int64_t writeWithWrist(const Parameters& parameters,
                                                 const Rotation& rotation, const Arc<double>& bend,
                                                 const FirstThreeOfAll<Number>& pairs,
                                                 double* out) {
  using Pair = PairNumber<Number>;
  const Vector3<double> axis1 = parameters.axis(0);
  const Vector3<double> axis2 = parameters.axis(1);
  const Vector3<double> axis3 = parameters.axis(2);
  const Vector3<double> axis4 = parameters.axis(3);
  const Vector3<double> axis5 = parameters.axis(4);
  const Vector3<double> axis6 = parameters.axis(5);
  const Rotation back = transposed(rotation);
  BranchTable table;
  bool doubtful = false;
  for (int pair_block = 0; pair_block < kPairBlocks<Number>; ++pair_block) {
    const FirstThree<Pair>& known = pairs[pair_block];
    const auto behind_three = [&](const Vector3<double>& p) {
      return turnBack(axis3, known.angles[2],
                      turnBack(axis2, known.angles[1], turnBack(axis1, known.angles[0], p)));
    };
    const Vector3<Pair> four_pointing = behind_three(rotation * axis6);
    const Vector3<Pair> four_roll =
        back * turn(axis1, known.angles[0],
                    turn(axis2, known.angles[1], turn(axis3, known.angles[2], axis4)));
    const Pair four_levels = dot(axis4, four_pointing) - bend.middle;
    doubtful = doubtful || simd::anywhere(known.doubtful);
    for (int half = 0; half < kHalves<Number>; ++half) {
      const int block = kHalves<Number> * pair_block + half;
      const Vector3<Number> pointing = doubled<Number>(four_pointing, half);
      const Vector3<Number> roll = doubled<Number>(four_roll, half);
      const auto off = doubled<Number>(known.off, half);
      const AngleOnLine<Number> fifth =
          angleOnLine(Number(bend.cosine), Number(bend.sine), doubled<Number>(four_levels, half),
                      off, secondChoice<Number>(block));
      const MaskOf<Number> exists = both(doubledMask<Number>(known.exists, half), fifth.exists);
      const Number error = off + fifth.off;
      const AngleBetween<Number> fourth =
          angleBetween<Number>(turn(axis5, fifth.angle, axis6), pointing, axis4, error);
      AngleBetween<Number> sixth =
          angleBetween<Number>(roll, turnBack(axis5, fifth.angle, axis4), axis6, error);
      const MaskOf<Number> regular = both(both(fourth.defined, sixth.defined), fifth.certain);
      if (simd::anywhere(both(exists, negated(regular)))) {
        // Only the sum of joints 4 and 6 is well defined.
        doubtful = true;
        Vector3<Number> aside = doubled<Number>(behind_three(rotation * axis5), half);
        aside = turnBack(axis5, fifth.angle, turnBack(axis4, fourth.angle, aside));
        const Angle<Number> instead = angleBetween<Number>(axis5, aside, axis6, error).angle;
        sixth.angle = {select(regular, sixth.angle.cosine, instead.cosine),
                       select(regular, sixth.angle.sine, instead.sine)};
      }
      const JointValues<Number> values = {
          doubled<Number>(known.values[0], half), doubled<Number>(known.values[1], half),
          doubled<Number>(known.values[2], half), simd::radiansOf(fourth.angle),
          simd::radiansOf(fifth.angle),           simd::radiansOf(sixth.angle)};
      table.put<Number>(block, exists, values);
    }
  }
  const std::int64_t count = table.write(out, parameters.mirrored());
  return doubtful ? -1 - count : count;
}

}  // namespace generative_ik::closed_form
