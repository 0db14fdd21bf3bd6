#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <generative_ik/urdf.hpp>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace generative_ik {
namespace {

using Model = urdf::ModelInterface;
using JointPointer = urdf::JointConstSharedPtr;
using Positions = std::map<std::string, double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;
// Exporters write limits of many turns for none.
constexpr double kMostTurns = 100.0 * 2.0 * kPi;
// Larger numbers are taken for mistakes [rad or m].
constexpr double kLargest = 1e6;
// How far a fixed joint may be beyond its limits [rad or m].
constexpr double kOvershootAngle = 0.05;
constexpr double kOvershootLength = 0.005;
// Frames of leaves that coincide differ by no more than this.
constexpr double kSame = 1e-9;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("URDF: " + why);
}

std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

bool isPrismatic(const urdf::Joint& joint) {
  return joint.type == urdf::Joint::PRISMATIC;
}

bool moves(const urdf::Joint& joint) {
  return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
         isPrismatic(joint);
}

Eigen::Isometry3d originOf(const urdf::Joint& joint) {
  const urdf::Pose& origin = joint.parent_to_joint_origin_transform;
  const urdf::Rotation& r = origin.rotation;
  const urdf::Vector3& p = origin.position;
  return Eigen::Translation3d(p.x, p.y, p.z) * Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized();
}

Eigen::Vector3d axisOf(const urdf::Joint& joint) {
  const Eigen::Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
  if (!(axis.norm() > 1e-6)) {
    refuse("joint " + quoted(joint.name) + " has a zero axis");
  }
  return axis.normalized();
}

Eigen::Isometry3d motionOf(const urdf::Joint& joint, double position) {
  if (isPrismatic(joint)) {
    return Eigen::Isometry3d(Eigen::Translation3d(position * axisOf(joint)));
  }
  return Eigen::Isometry3d(Eigen::AngleAxisd(position, axisOf(joint)));
}

/// Lower and upper [rad or m]; infinite where there are none.
struct Limits {
  double lower = -kInfinity;
  double upper = kInfinity;
};

Limits limitsOf(const urdf::Joint& joint) {
  if (joint.type == urdf::Joint::CONTINUOUS || joint.limits == nullptr) {
    return {};
  }
  const Limits limits = {joint.limits->lower, joint.limits->upper};
  if (!(limits.lower <= limits.upper)) {
    refuse("joint " + quoted(joint.name) + " has lower limit " + std::to_string(limits.lower) +
           " above its upper limit " + std::to_string(limits.upper));
  }
  const bool wide = !isPrismatic(joint) && limits.upper - limits.lower > kMostTurns;
  return wide && limits.lower <= -kPi && limits.upper >= kPi ? Limits{} : limits;
}

double velocityOf(const urdf::Joint& joint) {
  return joint.limits != nullptr && joint.limits->velocity > 0.0 ? joint.limits->velocity
                                                                 : kInfinity;
}

/// What moves a joint: its position is multiplier * that of the driver + offset.
struct Driver {
  JointPointer joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

Driver driverOf(const Model& model, JointPointer joint) {
  Driver driver;
  std::set<std::string> followed;
  while (joint->mimic != nullptr) {
    if (!followed.insert(joint->name).second) {
      refuse("joints mimic each other in a circle, one of them " + quoted(joint->name));
    }
    driver.offset += driver.multiplier * joint->mimic->offset;
    driver.multiplier *= joint->mimic->multiplier;
    const JointPointer next = model.getJoint(joint->mimic->joint_name);
    if (next == nullptr) {
      refuse("joint " + quoted(joint->name) + " mimics " + quoted(joint->mimic->joint_name) +
             ", which is not defined");
    }
    joint = next;
  }
  if (!moves(*joint)) {
    refuse("a joint mimics " + quoted(joint->name) + ", which does not move");
  }
  if (!(std::max(std::abs(driver.multiplier), std::abs(driver.offset)) <= kLargest)) {
    refuse("what mimics joint " + quoted(joint->name) + " has too large a multiplier or offset");
  }
  driver.joint = std::move(joint);
  return driver;
}

/// A joint, passed from parent to child or the other way.
struct Step {
  JointPointer joint;
  bool down;
};

std::vector<JointPointer> jointsAbove(const Model& model, const std::string& link) {
  std::vector<JointPointer> joints;
  for (auto at = model.getLink(link); at->parent_joint != nullptr;) {
    joints.push_back(at->parent_joint);
    at = model.getLink(at->parent_joint->parent_link_name);
  }
  return joints;
}

std::vector<Step> pathBetween(const Model& model, const std::string& base,
                              const std::string& tip) {
  std::vector<JointPointer> up = jointsAbove(model, base);
  std::vector<JointPointer> down = jointsAbove(model, tip);
  while (!up.empty() && !down.empty() && up.back() == down.back()) {
    up.pop_back();
    down.pop_back();
  }
  std::vector<Step> path;
  for (const JointPointer& joint : up) {
    path.push_back({joint, false});
  }
  for (auto joint = down.rbegin(); joint != down.rend(); ++joint) {
    path.push_back({*joint, true});
  }
  return path;
}

/// A link, the last joint above it that moves it against the base, and its frame in that joint.
struct Leaf {
  urdf::LinkConstSharedPtr link;
  JointPointer mover;
  Eigen::Isometry3d in_mover = Eigen::Isometry3d::Identity();
};

std::string onlyTip(const Model& model, const std::string& base) {
  std::vector<Leaf> below = {{model.getLink(base), nullptr}};
  std::vector<Leaf> leaves;
  while (!below.empty()) {
    const Leaf at = below.back();
    below.pop_back();
    if (at.link->child_joints.empty() && at.mover != nullptr) {
      leaves.push_back(at);
    }
    for (const auto& joint : at.link->child_joints) {
      const auto child = model.getLink(joint->child_link_name);
      if (moves(*joint)) {
        below.push_back({child, joint});
      } else if (joint->type == urdf::Joint::FIXED) {
        below.push_back({child, at.mover, at.in_mover * originOf(*joint)});
      }
    }
  }
  if (leaves.empty()) {
    refuse("no joint moves any link below the base " + quoted(base));
  }
  std::vector<std::string> names;
  bool one = true;
  for (const Leaf& leaf : leaves) {
    names.push_back(leaf.link->name);
    one = one && leaf.mover == leaves.front().mover &&
          leaf.in_mover.isApprox(leaves.front().in_mover, kSame);
  }
  std::sort(names.begin(), names.end());
  if (!one) {
    refuse("the robot has several possible tip links below " + quoted(base) +
           "; choose tip_link from: " + listed(names));
  }
  return names.front();
}

void checkFixed(const Model& model, const Positions& fixed) {
  for (const auto& [name, position] : fixed) {
    const JointPointer joint = model.getJoint(name);
    if (joint == nullptr || !moves(*joint)) {
      refuse("fixed: no joint " + quoted(name) + " moves");
    }
    if (joint->mimic != nullptr) {
      refuse("fixed: joint " + quoted(name) + " mimics another; fix that one");
    }
    const Limits limits = limitsOf(*joint);
    const double margin = isPrismatic(*joint) ? kOvershootLength : kOvershootAngle;
    if (!(limits.lower - margin <= position && position <= limits.upper + margin)) {
      refuse("fixed: joint " + quoted(name) + " cannot stand at " + std::to_string(position));
    }
  }
}

/// The chain, as far as it has been put together.
class Folding {
 public:
  Folding(const Model& model, const Positions& fixed) : model_(model), fixed_(fixed) {}

  void pass(const Step& step) {
    const urdf::Joint& joint = *step.joint;
    if (!moves(joint) && joint.type != urdf::Joint::FIXED) {
      refuse("joint " + quoted(joint.name) +
             " is floating or planar; a chain may have revolute, continuous, prismatic and fixed "
             "joints only");
    }
    if (step.down) {
      gathered_ = gathered_ * originOf(joint);
    }
    if (moves(joint)) {
      move(step);
    }
    if (!step.down) {
      gathered_ = gathered_ * originOf(joint).inverse();
    }
  }

  UrdfChain finish(const std::string& base, const std::string& tip) {
    if (moving_.empty()) {
      refuse("no joint moves between " + quoted(base) + " and " + quoted(tip));
    }
    orderVariables();
    std::vector<Variable> variables;
    Vector velocity_limits(static_cast<Eigen::Index>(drivers_.size()));
    for (std::size_t v = 0; v < drivers_.size(); ++v) {
      variables.push_back(variableOf(v));
      velocity_limits[static_cast<Eigen::Index>(v)] = velocityOfVariable(v);
    }
    return {Chain(std::move(variables), joints_, gathered_), std::move(velocity_limits), base,
            tip};
  }

 private:
  void move(const Step& step) {
    Driver driver = driverOf(model_, step.joint);
    const auto stands = fixed_.find(driver.joint->name);
    if (stands != fixed_.end()) {
      const Eigen::Isometry3d motion =
          motionOf(*step.joint, driver.multiplier * stands->second + driver.offset);
      gathered_ = gathered_ * (step.down ? motion : motion.inverse());
      return;
    }
    // Seen from the child, the parent moves the other way about the same axis.
    Joint joint;
    joint.type = isPrismatic(*step.joint) ? Joint::Type::kPrismatic : Joint::Type::kRevolute;
    joint.joint_in_parent = gathered_;
    joint.axis = step.down ? axisOf(*step.joint) : Eigen::Vector3d(-axisOf(*step.joint));
    joint.multiplier = driver.multiplier;
    joint.offset = driver.offset;
    joints_.push_back(joint);
    moving_.push_back(step.joint);
    followed_.push_back(std::move(driver));
    gathered_.setIdentity();
  }

  // Drivers on the way come first, in its order.
  void orderVariables() {
    for (const bool on_the_way : {true, false}) {
      for (std::size_t i = 0; i < moving_.size(); ++i) {
        const JointPointer& driver = on_the_way ? moving_[i] : followed_[i].joint;
        const bool drives = std::any_of(followed_.begin(), followed_.end(),
                                        [&](const Driver& d) { return d.joint == driver; });
        if (drives && std::find(drivers_.begin(), drivers_.end(), driver) == drivers_.end()) {
          drivers_.push_back(driver);
        }
      }
    }
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto driver = std::find(drivers_.begin(), drivers_.end(), followed_[i].joint);
      joints_[i].variable = static_cast<int>(driver - drivers_.begin());
    }
  }

  [[nodiscard]] bool follows(std::size_t i, std::size_t v) const {
    return followed_[i].joint == drivers_[v];
  }

  [[nodiscard]] Variable variableOf(std::size_t v) const {
    const urdf::Joint& driver = *drivers_[v];
    Limits limits = limitsOf(driver);
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      if (follows(i, v) && moving_[i] != drivers_[v] && followed_[i].multiplier != 0.0) {
        narrow(limits, i);
      }
    }
    const bool endless = std::isinf(limits.lower) || std::isinf(limits.upper);
    if (endless && isPrismatic(driver)) {
      refuse("prismatic joint " + quoted(driver.name) + " has no limits");
    }
    if (!endless && std::max(-limits.lower, limits.upper) > kLargest) {
      refuse("joint " + quoted(driver.name) + " has limits that are too large");
    }
    Variable variable;
    variable.name = driver.name;
    variable.lower = endless ? -kInfinity : limits.lower;
    variable.upper = endless ? kInfinity : limits.upper;
    variable.continuous = endless;
    variable.revolute = !isPrismatic(driver);
    if (endless) {
      checkTurns(v);
    }
    return variable;
  }

  // A driver stays where a joint that follows it is within its own limits, too.
  void narrow(Limits& limits, std::size_t i) const {
    const Limits own = limitsOf(*moving_[i]);
    const Driver& driver = followed_[i];
    const double a = (own.lower - driver.offset) / driver.multiplier;
    const double b = (own.upper - driver.offset) / driver.multiplier;
    limits = {std::max(limits.lower, std::min(a, b)), std::min(limits.upper, std::max(a, b))};
    if (limits.lower > limits.upper) {
      refuse("joint " + quoted(moving_[i]->name) + " follows " + quoted(driver.joint->name) +
             "; nowhere are both within their limits");
    }
  }

  void checkTurns(std::size_t v) const {
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const double multiplier = followed_[i].multiplier;
      if (follows(i, v) && (isPrismatic(*moving_[i]) || multiplier != std::rint(multiplier))) {
        refuse("joint " + quoted(drivers_[v]->name) + " has no limits, but " +
               quoted(moving_[i]->name) + " follows it so that a full turn changes it");
      }
    }
  }

  [[nodiscard]] double velocityOfVariable(std::size_t v) const {
    double velocity = velocityOf(*drivers_[v]);
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      if (follows(i, v) && followed_[i].multiplier != 0.0) {
        velocity = std::min(velocity, velocityOf(*moving_[i]) / std::abs(followed_[i].multiplier));
      }
    }
    return velocity;
  }

  const Model& model_;
  const Positions& fixed_;
  Eigen::Isometry3d gathered_ = Eigen::Isometry3d::Identity();  // since the last moving joint
  std::vector<Joint> joints_;
  std::vector<JointPointer> moving_;   // those of `joints_`
  std::vector<Driver> followed_;       // what moves each
  std::vector<JointPointer> drivers_;  // the variables
};

}  // namespace

UrdfChain readUrdf(const std::string& urdf, const std::string& base_link,
                   const std::string& tip_link, const std::map<std::string, double>& fixed) {
  const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(urdf);
  if (model == nullptr || model->getRoot() == nullptr) {
    refuse("the text is no robot description that urdfdom reads");
  }
  for (const std::string& name : {base_link, tip_link}) {
    if (!name.empty() && model->getLink(name) == nullptr) {
      std::vector<std::string> names;
      for (const auto& [known, link] : model->links_) {
        names.push_back(known);
      }
      refuse("no link " + quoted(name) + "; links: " + listed(names));
    }
  }
  checkFixed(*model, fixed);
  const std::string base = base_link.empty() ? model->getRoot()->name : base_link;
  const std::string tip = tip_link.empty() ? onlyTip(*model, base) : tip_link;
  Folding folding(*model, fixed);
  for (const Step& step : pathBetween(*model, base, tip)) {
    folding.pass(step);
  }
  return folding.finish(base, tip);
}

}  // namespace generative_ik
