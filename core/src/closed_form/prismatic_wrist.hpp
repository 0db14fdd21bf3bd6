/// Arms with prismatic joints among the three before a spherical wrist (mirrored: behind it).
///
/// Gantries, Stanford's arm, cylindrical ones: joints 1 to 3 bring the wrist's centre c to its
/// target t, by lines, circles and planes. Each order of prismatic (P) and revolute (R) joints is
/// a case:
///
///     PPP       three linear equations                                            1 solution
///     PPR, RPP  a turn into a plane, two linear equations                         2
///     PRP       height and distance of joint 2's axis, linear but for one square  2
///     RPR       two equations across the slide for two angles                     4, angle_pairs
///     PRR, RRP  a slide and a turn, seen from joint 2                             4, slides
#pragma once

#include "angle_pairs.hpp"
#include "slides.hpp"
#include "wrist.hpp"

namespace generative_ik::closed_form {

class PrismaticWrist {
 public:
  GENERATIVE_IK_INLINE PrismaticWrist(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters),
        rotation_(motion.rotation),
        target_(motion.rotation * centre() + motion.shift),
        order_(static_cast<Order>(static_cast<int>(parameters_.own(0).x))),
        which_(static_cast<SlideOrder>(static_cast<int>(parameters_.own(0).y))) {}

  /// Writes all branches, as a `ClosedFormKernel`.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t write(double* out) const {
    if (order_ != Order::kRpr) {
      const PairRows places = placesOfThree();
      return writeOf<Number>(
          [&](int block) { return ofPlaces<PairNumber<Number>>(places, block); }, out);
    }
    const auto& [row, beside] = equationsAcross();
    if (which_ == SlideOrder::kBoth) {
      const CoupledPairs pairs(row, beside, parameters_.error());
      return writeOf<Number>([&](int block) { return across<PairNumber<Number>>(pairs, block); },
                             out);
    }
    const DecoupledPairs pairs(row, beside, static_cast<int>(which_) == kOfSecond,
                               parameters_.error());
    return writeOf<Number>([&](int block) { return across<PairNumber<Number>>(pairs, block); },
                           out);
  }

 private:
  /// 1, 2 and 4 are added for joints 1, 2 and 3 where these are prismatic.
  enum class Order { kPrr = 1, kRpr, kPpr, kRrp, kPrp, kRpp, kPpp };
  /// Of the order RPR: the equation that has one angle only is that of the second, 1: of the
  /// first.
  static constexpr int kOfSecond = 0;

  struct TwoEquations {
    PairEquation first, second;
  };

  // Points on axes 1 to 3, the wrist's centre, and what scalar products tell of a point.
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> point(int joint) const {
    return parameters_.own(1 + joint);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> centre() const { return parameters_.own(4); }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> row(int index) const {
    return parameters_.own(6 + index);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE bool slides(int joint) const {
    return (static_cast<unsigned>(order_) >> static_cast<unsigned>(joint) & 1U) != 0;
  }

  GENERATIVE_IK_INLINE static void put(PairRows& places, double first, double second, double third,
                                       double off) {
    const int k = places.count;
    places.columns[0][k] = first;
    places.columns[1][k] = second;
    places.columns[2][k] = third;
    places.columns[4][k] = off;
    ++places.count;
  }

  GENERATIVE_IK_INLINE static double radians(const Angle<double>& angle) {
    return std::atan2(angle.sine, angle.cosine);
  }

  // What joints 1 to 3 can be: in columns their places [rad, and shares of the arm's length], and
  // how far these are expected to be off.
  [[nodiscard]] GENERATIVE_IK_INLINE PairRows placesOfThree() const {
    PairRows places;
    if (order_ == Order::kPrr || order_ == Order::kRrp) {
      placeBesideJoint2(places);
    } else if (order_ == Order::kPrp) {
      placeAlongJoint2(places);
    } else {
      placeInPlane(places);
    }
    return places;
  }

  GENERATIVE_IK_INLINE void placeInPlane(PairRows& places) const;
  GENERATIVE_IK_INLINE void placeAlongJoint2(PairRows& places) const;
  GENERATIVE_IK_INLINE void placeBesideJoint2(PairRows& places) const;
  [[nodiscard]] GENERATIVE_IK_INLINE TwoEquations equationsAcross() const;

  template <class Pair>
  [[nodiscard]] GENERATIVE_IK_INLINE FirstThree<Pair> ofPlaces(const PairRows& places,
                                                               int block) const;
  template <class Pair, class Pairs>
  [[nodiscard]] GENERATIVE_IK_INLINE FirstThree<Pair> across(const Pairs& pairs, int block) const;

  template <class Number, class Three>
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t writeOf(const Three& three, double* out) const {
    FirstThreeOfAll<Number> known;
    bool some = false;
    bool doubtful = false;
    for (int block = 0; block < kPairBlocks<Number>; ++block) {
      known[block] = three(block);
      some = some || simd::anywhere(known[block].exists);
      doubtful = doubtful || simd::anywhere(known[block].doubtful);
    }
    if (!some) {
      return doubtful ? -1 : 0;
    }
    const Vector3<double> bend = parameters_.own(5);
    return writeWithWrist<Number>(parameters_, rotation_, {bend.x, bend.y, bend.z}, known, out);
  }

  Parameters parameters_;
  Rotation rotation_;
  Vector3<double> target_;  // of the wrist's centre
  Order order_;
  SlideOrder which_;
};

template <class Pair>
GENERATIVE_IK_INLINE FirstThree<Pair> PrismaticWrist::ofPlaces(const PairRows& places,
                                                               int block) const {
  const Pair length = 1.0 / parameters_.perLength();
  FirstThree<Pair> known{};
  known.exists = places.exists<Pair>(block);
  known.doubtful = everywhere<Pair>(!places.sure);
  known.off = places.column<Pair>(4, block) + parameters_.error();
  for (int joint = 0; joint < 3; ++joint) {
    const Pair place = places.column<Pair>(joint, block);
    known.angles[joint] = slides(joint) ? Angle<Pair>{1.0, 0.0} : simd::angleOf(place);
    known.values[joint] = slides(joint) ? place * length : place;
  }
  return known;
}

/// Two or three prismatic joints in a row, and a turn into their plane.
GENERATIVE_IK_INLINE void PrismaticWrist::placeInPlane(PairRows& places) const {
  const Vector3<double> a = row(0);
  const Vector3<double> b = row(1);
  const Vector3<double> normal = row(2);
  const double error = parameters_.error();
  const double worst = parameters_.own(0).z;
  if (order_ == Order::kPpp) {
    const Vector3<double> way = target_ - centre();
    put(places, dot(a, way), dot(b, way), dot(normal, way), error * worst);
    places.sure = error * worst < kMost;
    return;
  }
  const bool turns_last = order_ == Order::kPpr;
  const int joint = turns_last ? 2 : 0;
  const Vector3<double> axis = parameters_.axis(joint);
  const Vector3<double> turned = (turns_last ? centre() : target_) - point(joint);
  const Vector3<double> still = (turns_last ? target_ : centre()) - point(joint);
  const Arc<double> arc = arcOf(normal, axis, turned);
  // What comes before the slides is turned back.
  const double way = turns_last ? 1.0 : -1.0;
  const AnglesOnLine turns =
      anglesOnLine(arc.cosine, way * arc.sine, dot(normal, still) - arc.middle, error);
  places.sure = turns.certain;
  for (int i = 0; i < turns.count; ++i) {
    const Angle<double>& u = turns.angles[i];
    const Vector3<double> between =
        turn(axis, Angle<double>{u.cosine, way * u.sine}, turned) - still;
    const double q = -way * dot(a, between);
    const double r = -way * dot(b, between);
    const double off = turns.off + worst * (error + turns.off);
    if (turns_last) {
      put(places, q, r, radians(u), off);
    } else {
      put(places, radians(u), q, r, off);
    }
  }
}

/// A turn between two slides: they make up for height and distance of its axis.
GENERATIVE_IK_INLINE void PrismaticWrist::placeAlongJoint2(PairRows& places) const {
  const Vector3<double> first = parameters_.axis(0);
  const Vector3<double> axis = parameters_.axis(1);
  const Vector3<double> third = parameters_.axis(2);
  const Vector3<double> outer = target_ - point(1);
  const Vector3<double> inner = centre() - point(1);
  // rise q1 + fall q3 = height: the slides are those nearest to zero, and a multiple of others.
  const double rise = dot(axis, first);
  const double fall = dot(axis, third);
  const double square = rise * rise + fall * fall;
  const double height = (dot(axis, outer) - dot(axis, inner)) / square;
  const Vector3<double> a = perpendicular(axis, first);
  const Vector3<double> b = perpendicular(axis, third);
  const double q1 = height * rise;
  const double q3 = height * fall;
  const Vector3<double> u = perpendicular(axis, outer) - q1 * a;
  const Vector3<double> v = perpendicular(axis, inner) + q3 * b;
  const double size = std::sqrt(square);
  const double d1 = fall / size;
  const double d3 = -rise / size;
  const double error = parameters_.error() / simd::smaller(1.0, square);
  const Slides slides = slidesOf(d1 * d1 * dot(a, a) - d3 * d3 * dot(b, b),
                                 -d1 * dot(a, u) - d3 * dot(b, v), dot(u, u) - dot(v, v), error);
  places.sure = slides.certain;
  for (int i = 0; i < slides.count; ++i) {
    const double s = slides.values[i];
    const AngleBetween<double> second =
        angleBetween<double>(v + (s * d3) * b, u - (s * d1) * a, axis, error + slides.off);
    places.sure = places.sure && second.defined;
    put(places, q1 + s * d1, radians(second.angle), q3 + s * d3, slides.off + second.off);
  }
}

/// A slide on one side of joint 2, and a turn on the other.
GENERATIVE_IK_INLINE void PrismaticWrist::placeBesideJoint2(PairRows& places) const {
  const bool slide_first = order_ == Order::kPrr;
  const Vector3<double> h = parameters_.axis(1);
  const Vector3<double> foot = point(1);
  const Vector3<double> far = point(slide_first ? 2 : 0);
  const SlidingLine line = slide_first ? SlidingLine{target_ - foot, -parameters_.axis(0)}
                                       : SlidingLine{centre() - foot, parameters_.axis(2)};
  const Circle circle = slide_first ? Circle{far - foot, parameters_.axis(2), centre() - far, 1.0}
                                    : Circle{far - foot, parameters_.axis(0), target_ - far, -1.0};
  SlidePairs found;
  findSlidePairs(which_, line, circle, h, parameters_.error(), found);
  places.sure = found.sure;
  for (int i = 0; i < found.count; ++i) {
    const SlidePair& pair = found.pairs[i];
    const Vector3<double> s = line.at(pair.slide);
    const Vector3<double> y = circle.at(pair.angle);
    const AngleBetween<double> second = angleBetween<double>(
        slide_first ? y : s, slide_first ? s : y, h, parameters_.error() + pair.off);
    places.sure = places.sure && second.defined;
    const double angle = radians(pair.angle);
    put(places, slide_first ? pair.slide : angle, radians(second.angle),
        slide_first ? angle : pair.slide, pair.off + second.off);
  }
}

/// A slide between two turns: it does not move what is seen across it.
GENERATIVE_IK_INLINE PrismaticWrist::TwoEquations PrismaticWrist::equationsAcross() const {
  const Vector3<double> first = parameters_.axis(0);
  const Vector3<double> third = parameters_.axis(2);
  const Vector3<double> outer = target_ - point(0);
  const Vector3<double> inner = centre() - point(2);
  const Vector3<double> between = point(2) - point(0);
  const auto equation = [&](const Vector3<double>& seen) {
    const Arc<double> out = arcOf(seen, first, outer);
    const Arc<double> in = arcOf(seen, third, inner);
    return PairEquation{out.cosine, -out.sine, -in.cosine, -in.sine,
                        dot(seen, between) + in.middle - out.middle};
  };
  return {equation(row(0)), equation(row(1))};
}

template <class Pair, class Pairs>
GENERATIVE_IK_INLINE FirstThree<Pair> PrismaticWrist::across(const Pairs& pairs, int block) const {
  const AnglePairs<Pair> pair = pairs.template block<Pair>(block);
  const Vector3<double> outer = target_ - point(0);
  const Vector3<double> inner = centre() - point(2);
  const Vector3<Pair> way = turnBack(parameters_.axis(0), pair.u, outer) - (point(2) - point(0));
  const Pair q = dot(row(2), way - turn(parameters_.axis(2), pair.v, inner));
  return {pair.exists,
          pair.doubtful,
          {pair.u, {1.0, 0.0}, pair.v},
          {simd::radiansOf(pair.u), q * (1.0 / parameters_.perLength()), simd::radiansOf(pair.v)},
          pair.off + parameters_.error()};
}

template <class Number>
std::int64_t prismaticWrist(const double* numbers, const double* tip_pose, double* out) {
  const Parameters parameters(numbers);
  return PrismaticWrist(parameters, carriedTo(tip_pose, parameters)).write<Number>(out);
}

}  // namespace generative_ik::closed_form
