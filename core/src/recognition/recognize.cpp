#include <algorithm>
#include <cmath>
#include <generative_ik/closed_form.hpp>
#include <stdexcept>
#include <utility>

#include "../model/singular_values.hpp"
#include "../simd/constants.hpp"
#include "elimination.hpp"
#include "generic_points.hpp"
#include "joint_axes.hpp"
#include "parameter_list.hpp"
#include "special_arms.hpp"

namespace generative_ik {
namespace {

using recognition::genericPoints;
using recognition::JointAxes;
using recognition::kRounding;
using recognition::ParameterList;
using recognition::Recognized;

constexpr int kSix = 6;
constexpr int kSeven = 7;
// A prismatic joint's unit is how far the others reach, halved, but not more [m].
constexpr double kLever = 2.0;
constexpr double kLongestUnit = 1.0;

const ClosedForm& familyNamed(std::string_view name) {
  const auto& all = closedForms();
  return *std::find_if(all.begin(), all.end(),
                       [name](const ClosedForm& form) { return form.name == name; });
}

// A name with numbers of joints, the first of which follows so many others; in the place of {0} to
// {5}.
std::string numbered(const std::string& name, int others, bool mirrored) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '{') {
      text += name[i];
      continue;
    }
    const int joint = name.at(i + 1) - '0';
    text += std::to_string(others + (mirrored ? kSix - joint : joint + 1));
    i += 2;
  }
  return text;
}

// How an arm was recognised, from one end or the other.
struct Found {
  Recognized arm;
  bool mirrored;
};

ArmForm formOf(const Found& found, int others) {
  const auto& [arm, mirrored] = found;
  ParameterList parameters(arm.axes, kRounding + arm.axes.moved, mirrored);
  parameters.append(arm.own);
  return {numbered(arm.name, others, mirrored), familyNamed(arm.family), parameters.numbers(),
          arm.axes.moved, std::nullopt};
}

// Whether lines of one arm were moved less than those of another.
bool isMovedLess(double one, double other) {
  constexpr double kSame = 1e-12;  // lines that were moved by less are where they were
  return std::rint(one / kSame) < std::rint(other / kSame);
}

// The family of a special kind whose lines have to be moved least. Args: others: how many joints
// come before the six, which only names tell.
std::optional<ArmForm> specialForm(const JointAxes& axes, int others) {
  std::optional<Found> best;
  const auto take = [&best](std::optional<Recognized> arm, bool mirrored) {
    if (arm && (!best || isMovedLess(arm->axes.moved, best->arm.axes.moved))) {
      best = Found{*std::move(arm), mirrored};
    }
  };
  for (const bool mirrored : {false, true}) {
    const JointAxes seen = mirrored ? axes.mirrored() : axes;
    if (axes.anyPrismatic()) {
      take(recognition::prismaticWrist(seen), mirrored);
    } else {
      take(recognition::sphericalWrist(seen), mirrored);
      take(recognition::threeParallel(seen), mirrored);
    }
  }
  return best ? std::optional<ArmForm>(formOf(*best, others)) : std::nullopt;
}

std::optional<ArmForm> formOfSix(const JointAxes& axes) {
  std::optional<ArmForm> form = specialForm(axes, 0);
  if (form || axes.anyPrismatic()) {
    return form;
  }
  for (const bool mirrored : {false, true}) {
    if (auto arm = recognition::offsetWrist(mirrored ? axes.mirrored() : axes)) {
      return formOf({*std::move(arm), mirrored}, 0);
    }
  }
  if (auto parameters = recognition::bestElimination(axes)) {
    return ArmForm{"six axes of no special kind", familyNamed("general_arm"),
                   *std::move(parameters), 0.0, std::nullopt};
  }
  return std::nullopt;
}

// The numbers of a locked joint before those of the others. These are taken as if their lines had
// not been moved: branches that nearly merge are then taken as they are, and their poses are not
// marked. On a curve that moves its ends by little, and the samples between them stay sure.
std::vector<double> lockedBefore(const std::vector<double>& own, std::vector<double> numbers) {
  const auto behind = static_cast<std::ptrdiff_t>(numbers.size());
  numbers.insert(numbers.end(), own.begin(), own.end());
  numbers.at(static_cast<std::size_t>(behind) + 2) = kRounding;
  return numbers;
}

// What follows the axis and the point of a locked joint, see `ArmForm::parameters`.
struct AboutLocked {
  double unit = 1.0;
  double reach = kInfinity;
  Eigen::Vector3d start = Eigen::Vector3d::Zero();
};

AboutLocked aboutLocked(const JointAxes& axes, int joint) {
  if (!axes.isPrismatic(joint)) {
    return {};
  }
  const JointAxes left = axes.without(joint);
  if (left.anyPrismatic()) {
    // What else is prismatic brings the tip anywhere.
    return {std::min(left.length / kLever, kLongestUnit)};
  }
  // Revolute joints leave points on two consecutive axes as far apart as they are.
  double reach = (axes.tip.translation() - left.points.rightCols<1>()).norm();
  for (Eigen::Index k = 1; k < left.points.cols(); ++k) {
    reach += (left.points.col(k) - left.points.col(k - 1)).norm();
  }
  return {std::min(reach / kLever, kLongestUnit), reach, left.points.col(0)};
}

std::optional<ArmForm> formOfSeven(const JointAxes& axes) {
  std::optional<ArmForm> best;
  for (const int joint : {0, kSix}) {
    std::optional<ArmForm> form = specialForm(axes.without(joint), joint == 0 ? 1 : 0);
    if (form && (!best || isMovedLess(form->moved, best->moved))) {
      best = std::move(form);
      best->locked_joint = joint;
    }
  }
  if (!best) {
    return best;
  }
  const int joint = *best->locked_joint;
  Eigen::Vector3d axis = axes.directions.col(joint);
  Eigen::Vector3d point = axes.points.col(joint);
  if (joint > 0) {
    const Eigen::Isometry3d to_tip = axes.tip.inverse();
    axis = to_tip.linear() * axis;
    point = to_tip * point;
  }
  const bool prismatic = axes.isPrismatic(joint);
  const auto [unit, reach, start] = aboutLocked(axes, joint);
  best->parameters =
      lockedBefore(best->parameters, {static_cast<double>(joint), axis.x(), axis.y(), axis.z(),
                                      point.x(), point.y(), point.z(), prismatic ? 1.0 : 0.0, unit,
                                      reach, start.x(), start.y(), start.z()});
  best->name = (prismatic ? "prismatic joint " : "joint ") + std::to_string(joint + 1) +
               " locked: " + best->name;
  return best;
}

bool isPlain(const Chain& chain) {
  bool plain = static_cast<int>(chain.joints().size()) == chain.size();
  for (int k = 0; plain && k < chain.size(); ++k) {
    const Joint& joint = chain.joints()[static_cast<std::size_t>(k)];
    plain = joint.variable == k && joint.multiplier == 1.0 && joint.offset == 0.0;
  }
  return plain;
}

// Whether a chain cannot move its tip in all six directions, wherever it is.
bool isAlwaysSingular(const Chain& chain) {
  constexpr double kSingular = 1e-6;  // least singular value over the largest
  const Eigen::MatrixXd some = genericPoints(chain.size(), 8, kPi);
  for (Eigen::Index k = 0; k < some.cols(); ++k) {
    Jacobian jacobian;
    chain.tipInBase(some.col(k), jacobian);
    if (singularValuesOf(jacobian).rank(kSingular) == 6) {
      return false;
    }
  }
  return true;
}

// Why no family can be a chain's; empty if one may be.
std::string whyNever(const Chain& chain) {
  if (!isPlain(chain)) {
    return "takes no mimic joints";
  }
  if (chain.size() != kSix && chain.size() != kSeven) {
    return "takes 6 or 7 joints, not " + std::to_string(chain.size());
  }
  return isAlwaysSingular(chain) ? "cannot move its tip in all six directions, wherever it is"
                                 : "";
}

// Which prismatic joints are where no family takes them; empty if there are none.
std::string whyPrismatic(const Chain& chain) {
  std::vector<int> sliding;
  std::string names;
  for (int k = 0; k < chain.size(); ++k) {
    if (chain.joints()[static_cast<std::size_t>(k)].type == Joint::Type::kPrismatic) {
      names += (sliding.empty() ? "'" : ", '") +
               chain.variables()[static_cast<std::size_t>(k)].name + "'";
      sliding.push_back(k);
    }
  }
  // With such an end locked the others are revolute, and the reason is another.
  const bool at_end = chain.size() == kSeven && sliding.size() == 1 &&
                      (sliding.front() == 0 || sliding.front() == kSix);
  if (sliding.empty() || at_end) {
    return "";
  }
  std::string places = "among the three joints before, or after, a spherical wrist";
  if (chain.size() == kSeven) {
    places = "the first or the last joint, or, with an end locked, " + places;
  }
  const std::string several = sliding.size() > 1 ? "s " : " ";
  return "has the prismatic joint" + several + names + ": closed forms take one only as " + places;
}

}  // namespace

std::optional<ArmForm> findClosedForm(const Chain& chain) {
  if (!whyNever(chain).empty()) {
    return std::nullopt;
  }
  const JointAxes axes = JointAxes::of(chain);
  return chain.size() == kSix ? formOfSix(axes) : formOfSeven(axes);
}

std::string whyNoClosedForm(const Chain& chain) {
  const auto is_prismatic = [](const Joint& joint) {
    return joint.type == Joint::Type::kPrismatic;
  };
  const bool fits = isPlain(chain) && (chain.size() == kSix || chain.size() == kSeven);
  // Such a chain is always singular, but the joints are the reason.
  const bool slides =
      std::count_if(chain.joints().begin(), chain.joints().end(), is_prismatic) > 3;
  std::string reason = fits && slides ? "" : whyNever(chain);
  if (reason.empty()) {
    reason = whyPrismatic(chain);
  }
  if (!reason.empty()) {
    return reason;
  }
  return chain.size() == kSeven
             ? "leaves six axes of no special kind when its first or its last joint is locked"
             : "has six axes of which so many intersect or are parallel that the polynomial of a "
               "general arm vanishes, but neither three at an end that intersect in one point nor "
               "three parallel ones next to an end";
}

std::vector<double> lockedAtTip(const Eigen::Vector3d& axis, const std::vector<double>& parameters,
                                bool prismatic) {
  if (parameters.size() < 3) {
    throw std::invalid_argument("parameters: not those of an arm");
  }
  // Who uses it has bounds, so that the arm's reach need not be asked for.
  const double unit = prismatic ? 1.0 / parameters[1] / kLever : 1.0;
  return lockedBefore(parameters,
                      {static_cast<double>(kSix), axis.x(), axis.y(), axis.z(), 0.0, 0.0, 0.0,
                       prismatic ? 1.0 : 0.0, unit, prismatic ? kInfinity : 0.0, 0.0, 0.0, 0.0});
}

}  // namespace generative_ik
