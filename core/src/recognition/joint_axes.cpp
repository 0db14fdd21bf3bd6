#include "joint_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../model/singular_values.hpp"

namespace generative_ik::recognition {
namespace {

// The part of vectors across a unit direction.
Eigen::Matrix3d across(const Vector3& direction) {
  return Eigen::Matrix3d::Identity() - direction * direction.transpose();
}

// The columns of a matrix without one.
template <class Matrix>
Matrix withoutColumn(const Matrix& matrix, int column) {
  Matrix rest(matrix.rows(), matrix.cols() - 1);
  rest.leftCols(column) = matrix.leftCols(column);
  rest.rightCols(rest.cols() - column) = matrix.rightCols(rest.cols() - column);
  return rest;
}

}  // namespace

double lengthOf(const Vectors& points, const Vector& travel) {
  double length = 0.0;
  for (Eigen::Index k = 1; k < points.cols(); ++k) {
    length += (points.col(k) - points.col(k - 1)).norm();
  }
  for (const double far : travel) {
    length += std::isnan(far) ? 0.0 : far;
  }
  return length > 0.0 ? length : 1.0;
}

JointAxes JointAxes::of(const Chain& chain) {
  const Eigen::Index size = chain.size();
  JointAxes axes{};
  axes.directions.resize(3, size);
  axes.points.resize(3, size);
  axes.travel.resize(size);
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  for (Eigen::Index k = 0; k < size; ++k) {
    const Joint& joint = chain.joints()[static_cast<std::size_t>(k)];
    const Variable& variable = chain.variables()[static_cast<std::size_t>(k)];
    frame = frame * joint.joint_in_parent;
    axes.directions.col(k) = frame.linear() * joint.axis;
    axes.points.col(k) = frame.translation();
    axes.travel[k] = std::numeric_limits<double>::quiet_NaN();
    if (joint.type == Joint::Type::kPrismatic) {
      const double far = std::max(std::abs(variable.lower), std::abs(variable.upper));
      axes.travel[k] = std::isfinite(far) ? far : 0.0;
    }
  }
  axes.tip = frame * chain.tipInLastJoint();
  axes.length = lengthOf(axes.points, axes.travel);
  return axes;
}

bool JointAxes::isPrismatic(int joint) const {
  return !std::isnan(travel[joint]);
}

bool JointAxes::anyPrismatic() const {
  return std::any_of(travel.begin(), travel.end(), [](double far) { return !std::isnan(far); });
}

JointAxes JointAxes::without(int joint) const {
  JointAxes rest = *this;
  rest.directions = withoutColumn(directions, joint);
  rest.points = withoutColumn(points, joint);
  rest.travel = withoutColumn<Eigen::RowVectorXd>(travel.transpose(), joint).transpose();
  if (isPrismatic(joint)) {
    rest.length = lengthOf(rest.points, rest.travel);
  }
  return rest;
}

JointAxes JointAxes::mirrored() const {
  JointAxes from_tip = *this;
  from_tip.directions = -directions.rowwise().reverse();
  from_tip.points = points.rowwise().reverse();
  from_tip.travel = travel.reverse();
  return from_tip;
}

bool JointAxes::areParallel(int first, int second) const {
  const Vector3 one = directions.col(first);
  return one.cross(Vector3(directions.col(second))).norm() < kNear;
}

bool JointAxes::arePerpendicular(int first, int second) const {
  return std::abs(directions.col(first).dot(directions.col(second))) < kNear;
}

Meeting JointAxes::meeting(Indices joints) const {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  Vector3 right = Vector3::Zero();
  for (const int joint : joints) {
    const Eigen::Matrix3d part = across(directions.col(joint));
    sum += part;
    right += part * points.col(joint);
  }
  // The least squares' equations; along what all axes share, the point is open.
  const SingularValues solved = singularValuesOf(sum);
  const double none = kNear * kNear * solved.values[0];
  Vector3 point = Vector3::Zero();
  bool open = false;
  for (int k = 0; k < 3; ++k) {
    const Vector3 way = solved.left.col(k);
    const double value = solved.values[k];
    if (value > none) {
      point += way.dot(right) / value * way;
    } else {
      open = true;
    }
  }
  double apart = 0.0;
  for (const int joint : joints) {
    const Vector3 away = point - points.col(joint);
    apart = std::max(apart, (across(directions.col(joint)) * away).norm() / length);
  }
  return {point, open ? std::numeric_limits<double>::infinity() : apart};
}

JointAxes JointAxes::madeToMeet(Indices joints) const {
  const auto [point, apart] = meeting(joints);
  JointAxes met = *this;
  for (const int joint : joints) {
    met.points.col(joint) = point;
  }
  met.moved = std::max(moved, apart);
  return met;
}

JointAxes JointAxes::madeParallel(Indices joints) const {
  const Vector3 first = directions.col(*joints.begin());
  const auto sign_of = [&](int joint) { return first.dot(directions.col(joint)) < 0.0 ? -1 : 1; };
  Vector3 common = Vector3::Zero();
  for (const int joint : joints) {
    common += sign_of(joint) * directions.col(joint);
  }
  common.normalize();
  JointAxes aligned = *this;
  for (const int joint : joints) {
    aligned.directions.col(joint) = sign_of(joint) * common;
    const Vector3 turned = aligned.directions.col(joint) - directions.col(joint);
    aligned.moved = std::max(aligned.moved, turned.norm());
  }
  return aligned;
}

JointAxes JointAxes::madePerpendicular(int first, int second) const {
  JointAxes squared = *this;
  const double off = directions.col(first).dot(directions.col(second));
  squared.directions.col(first) -= off * directions.col(second);
  squared.directions.col(first).normalize();
  squared.moved = std::max(moved, std::abs(off));
  return squared;
}

}  // namespace generative_ik::recognition
