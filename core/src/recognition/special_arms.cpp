#include "special_arms.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "../simd/constants.hpp"
#include "generic_points.hpp"
#include "parameter_list.hpp"

namespace generative_ik::recognition {
namespace {

// The row of a spherical wrist that has one angle only, and which; else none has.
enum class SingleAngle { kNone = -1, kDistanceOf1, kDistanceOf3, kHeightOf1, kHeightOf3 };

// What follows first of a slide and a turn beside joint 2: the angle from the height, the line
// being at right angles to the axis; the slide from the height, the circle being parallel to it;
// the slide from the distance, as the axes of both turns intersect; or both from a quartic.
enum class FirstFound { kAngle, kSlideByHeight, kSlideByDistance, kBoth };
// Of the order RPR: the row that has one angle only is that of the second or the first; else
// kBoth.
constexpr auto kOfSecond = FirstFound::kAngle;
constexpr auto kOfFirst = FirstFound::kSlideByHeight;

// Orders of three joints: 1, 2 and 4 are added for joints 1, 2 and 3 where these are prismatic.
enum Order { kPrr = 1, kRpr = 2, kPpr = 3, kRrp = 4, kRpp = 6, kPpp = 7 };

// (o, a, b) with h . turn(k, u, p) = o + a cos u + b sin u.
Vector3 arcOf(const Vector3& h, const Vector3& k, const Vector3& p) {
  const double middle = h.dot(k) * k.dot(p);
  return {middle, h.dot(p) - middle, h.dot(k.cross(p))};
}

// A unit vector at right angles to a direction.
Vector3 asideOf(const Vector3& direction) {
  Eigen::Index least = 0;
  direction.cwiseAbs().minCoeff(&least);
  return direction.cross(Vector3(Vector3::Unit(least))).normalized();
}

double signOf(double number) {
  return number < 0.0 ? -1.0 : 1.0;
}

std::vector<double> ownOfSphericalWrist(const JointAxes& axes, SingleAngle single) {
  const Vectors points = axes.points / axes.length;
  const Vectors& directions = axes.directions;
  const Vector3 back = points.col(0) - points.col(1);
  const Vector3 fore = points.col(2) - points.col(1);
  const Vector3 ahead = points.col(5) - points.col(2);
  const double squares = (ahead.dot(ahead) + fore.dot(fore) - back.dot(back)) / 2.0;
  ParameterList own;
  own.add(points.col(0));
  for (const Vector3& vector : {back, fore, ahead}) {
    own.add(vector);
  }
  own.add(arcOf(fore, directions.col(2), ahead));
  own.add(arcOf(directions.col(1), directions.col(2), ahead));
  own.add(arcOf(directions.col(3), directions.col(4), directions.col(5)));
  own.add({squares, directions.col(1).dot(fore - back), static_cast<double>(single)});
  return own.numbers();
}

// Whether joints 1 to 3 move the wrist in all directions, in some configuration.
bool canPlace(const JointAxes& axes) {
  constexpr double kSingular = 1e-6;  // volume of the directions that is none [shares]
  const Vector3 wrist = axes.meeting({3, 4, 5}).point / axes.length;
  const Eigen::MatrixXd some = genericPoints(3, 8, 1.0);
  for (Eigen::Index k = 0; k < some.cols(); ++k) {
    Vector3 place = wrist;
    Eigen::Matrix3d ways = Eigen::Matrix3d::Zero();
    for (int joint = 2; joint >= 0; --joint) {
      const Vector3 axis = axes.directions.col(joint);
      if (axes.isPrismatic(joint)) {
        place += some(joint, k) * axis;
        ways.col(joint) = axis;
      } else {
        const Vector3 point = axes.points.col(joint) / axes.length;
        const Eigen::Matrix3d turn =
            Eigen::AngleAxisd(kPi * some(joint, k), axis).toRotationMatrix();
        place = point + turn * (place - point);
        ways = (turn * ways).eval();
        ways.col(joint) = axis.cross(place - point);
      }
    }
    if (std::abs(ways.determinant()) > kSingular) {
      return true;
    }
  }
  return false;
}

struct Prepared {
  JointAxes axes;  // moved for it
  FirstFound first;
};

Prepared aroundJoint2(const JointAxes& axes, int slide, int circle) {
  if (axes.arePerpendicular(slide, 1)) {
    return {axes.madePerpendicular(slide, 1), FirstFound::kAngle};
  }
  if (axes.areParallel(circle, 1)) {
    return {axes.madeParallel({circle, 1}), FirstFound::kSlideByHeight};
  }
  if (axes.meet({circle, 1})) {
    return {axes.madeToMeet({circle, 1}), FirstFound::kSlideByDistance};
  }
  return {axes, FirstFound::kBoth};
}

Prepared preparedFor(int order, const JointAxes& axes) {
  if (order == kPrr) {
    return aroundJoint2(axes, 0, 2);
  }
  if (order == kRrp) {
    return aroundJoint2(axes, 2, 0);
  }
  if (order == kRpr && axes.arePerpendicular(1, 0)) {
    return {axes.madePerpendicular(1, 0), kOfSecond};
  }
  if (order == kRpr && axes.arePerpendicular(1, 2)) {
    return {axes.madePerpendicular(1, 2), kOfFirst};
  }
  return {axes, FirstFound::kBoth};
}

// What scalar products tell of a point: slides of two or three prismatic joints and the distance
// from their plane; of joints in the order RPR the places across the slide, the row with one angle
// first, and the slide.
Eigen::Matrix3d rowsOf(const Vectors& directions, int order, FirstFound first) {
  if (order == kPpr || order == kRpp || order == kPpp) {
    const int from = order == kRpp ? 1 : 0;
    const Vector3 one = directions.col(from);
    const Vector3 other = directions.col(from + 1);
    Eigen::Matrix3d columns;
    columns << one, other,
        order == kPpp ? Vector3(directions.col(2)) : one.cross(other).normalized();
    return columns.inverse();
  }
  Eigen::Matrix3d rows = Eigen::Matrix3d::Zero();
  if (order == kRpr) {
    const Vector3 slide = directions.col(1);
    Vector3 aside = asideOf(slide);
    if (first != FirstFound::kBoth) {
      aside = directions.col(first == kOfSecond ? 0 : 2).normalized();
    }
    rows << aside.transpose(), slide.cross(aside).transpose(), slide.transpose();
  }
  return rows;
}

std::string nameOfPrismaticWrist(int order) {
  constexpr std::array<const char*, 8> kWhich = {
      "",     " {0}",          " {1}",          "s {0} and {1}",
      " {2}", "s {0} and {2}", "s {1} and {2}", "s {0}, {1} and {2}"};
  const std::string which = kWhich.at(static_cast<std::size_t>(order));
  return "spherical wrist of joints {3}, {4} and {5}, joint" + which + " prismatic";
}

}  // namespace

std::optional<Recognized> sphericalWrist(const JointAxes& given) {
  if (given.areParallel(3, 4) || given.areParallel(4, 5) || !given.meet({3, 4, 5})) {
    return std::nullopt;
  }
  if (given.meet({0, 1, 2}) || (given.areParallel(0, 1) && given.areParallel(1, 2))) {
    return std::nullopt;
  }
  JointAxes axes = given.madeToMeet({3, 4, 5});
  auto single = SingleAngle::kNone;
  std::string name = "spherical wrist of joints {3}, {4} and {5}, ";
  if (axes.areParallel(1, 2)) {
    axes = axes.madeParallel({1, 2});
    single = SingleAngle::kHeightOf1;
    name += "{1} and {2} parallel";
  } else if (axes.meet({0, 1})) {
    axes = axes.madeToMeet({0, 1});
    single = SingleAngle::kDistanceOf3;
    name += "{0} and {1} intersect";
  } else if (axes.meet({1, 2})) {
    axes = axes.madeToMeet({1, 2});
    single = SingleAngle::kDistanceOf1;
    name += "{1} and {2} intersect";
  } else if (axes.areParallel(0, 1)) {
    axes = axes.madeParallel({0, 1});
    single = SingleAngle::kHeightOf3;
    name += "{0} and {1} parallel";
  } else {
    name += "{0}, {1} and {2} skew";
  }
  std::vector<double> own = ownOfSphericalWrist(axes, single);
  return Recognized{std::move(name),
                    single == SingleAngle::kNone ? "spherical_wrist_coupled" : "spherical_wrist",
                    std::move(axes), std::move(own)};
}

std::optional<Recognized> prismaticWrist(const JointAxes& given) {
  const bool turning_wrist =
      !given.isPrismatic(3) && !given.isPrismatic(4) && !given.isPrismatic(5);
  if (!turning_wrist || given.areParallel(3, 4) || given.areParallel(4, 5) ||
      !given.meet({3, 4, 5}) || !canPlace(given)) {
    return std::nullopt;
  }
  int order = 0;
  for (int joint = 0; joint < 3; ++joint) {
    order += given.isPrismatic(joint) ? 1 << joint : 0;
  }
  auto [axes, first] = preparedFor(order, given.madeToMeet({3, 4, 5}));
  const Vectors& directions = axes.directions;
  const Vectors points = axes.points / axes.length;
  const Eigen::Matrix3d rows = rowsOf(directions, order, first);
  ParameterList own;
  own.add({static_cast<double>(order), static_cast<double>(first),
           rows.cwiseAbs().rowwise().sum().maxCoeff()});
  own.addAll(points.leftCols(3));
  own.add(points.col(5));
  own.add(arcOf(directions.col(3), directions.col(4), directions.col(5)));
  own.addAll(rows.transpose());
  return Recognized{nameOfPrismaticWrist(order), "prismatic_wrist", std::move(axes),
                    own.numbers()};
}

std::optional<Recognized> threeParallel(const JointAxes& given) {
  if (!given.areParallel(1, 2) || !given.areParallel(2, 3) || given.areParallel(0, 1) ||
      given.areParallel(3, 4) || given.areParallel(4, 5)) {
    return std::nullopt;
  }
  JointAxes axes = given.madeParallel({1, 2, 3});
  const bool meet = axes.meet({4, 5});
  if (meet) {
    axes = axes.madeToMeet({4, 5});
  }
  const Vectors points = axes.points / axes.length;
  const Vectors& directions = axes.directions;
  const Vector3 h = directions.col(1);
  const auto flat = [&h](const Vector3& vector) { return Vector3(vector - h.dot(vector) * h); };
  const Vector3 upper = flat(points.col(2) - points.col(1));
  const Vector3 fore = flat(points.col(3) - points.col(2));
  const Vector3 lever = points.col(4) - points.col(5);
  Vector3 elbow = arcOf(upper, h, fore);
  elbow[0] = (upper.dot(upper) + fore.dot(fore)) / 2.0;
  ParameterList own;
  own.add(points.col(0));
  own.add(points.col(5));
  own.add(lever);
  own.add(points.col(3) - points.col(4));
  own.add(points.col(0) - points.col(1));
  for (const Vector3& vector : {upper, fore, elbow, asideOf(h)}) {
    own.add(vector);
  }
  own.add(arcOf(h, directions.col(4), lever));
  own.add(arcOf(h, directions.col(4), directions.col(5)));
  own.add({h.dot(points.col(4) - points.col(0)), signOf(directions.col(2).dot(h)),
           signOf(directions.col(3).dot(h))});
  const std::string pair = meet ? "{4} and {5} intersect" : "{4} and {5} skew";
  return Recognized{"joints {1}, {2} and {3} parallel, " + pair,
                    meet ? "three_parallel" : "three_parallel_coupled", std::move(axes),
                    own.numbers()};
}

std::optional<Recognized> offsetWrist(const JointAxes& given) {
  const Vectors& axes = given.directions;
  const std::array<Meeting, 3> meetings = {given.meeting({0, 1}), given.meeting({2, 3}),
                                           given.meeting({3, 4})};
  double moved = 0.0;
  for (const Meeting& meeting : meetings) {
    moved = std::max(moved, meeting.apart);
  }
  if (given.areParallel(0, 1) || given.areParallel(3, 4) || !given.areParallel(1, 2) ||
      moved > kNear) {
    return std::nullopt;
  }
  const Vector3 shoulder = meetings[0].point / given.length;
  const Vector3 wrist = meetings[2].point / given.length;
  Vector3 elbow = meetings[1].point / given.length;
  const Vector3 up = axes.col(0);
  const double sign = signOf(axes.col(1).dot(axes.col(2)));
  Vector3 across = axes.col(1) + sign * axes.col(2);
  across = (across - up.dot(across) * up).normalized();
  const Vector3 forth = (axes.col(3) - across.dot(axes.col(3)) * across).normalized();
  elbow -= across.dot(elbow - shoulder) * across;
  const double fore = forth.dot(wrist - elbow);
  const Vector3 upper = elbow - shoulder;
  moved = std::max({moved, (axes.col(1) - across).norm(), (axes.col(2) - sign * across).norm(),
                    (forth - axes.col(3)).norm(), (elbow + fore * forth - wrist).norm()});
  if (moved > kNear || std::min(std::abs(fore), upper.norm()) < kNear) {
    return std::nullopt;
  }
  const Vector3 ahead = across.cross(up);
  ParameterList own;
  own.addAll(given.points / given.length);
  for (const Vector3& vector : {ahead, across, up, shoulder}) {
    own.add(vector);
  }
  own.add(elbow + fore * forth);
  own.add({fore, upper.dot(upper), axes.col(3).dot(axes.col(4))});
  own.add({ahead.dot(forth), up.dot(forth), 1.0});
  own.add({ahead.dot(upper), up.dot(upper), sign});
  Recognized found = {
      "joints {1} and {2} parallel, {0} and {1}, {2} and {3}, {3} and {4} intersect",
      "offset_wrist", given, own.numbers()};
  found.axes.moved = moved;
  return found;
}

}  // namespace generative_ik::recognition
