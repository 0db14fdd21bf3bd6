#include <algorithm>
#include <cmath>
#include <generative_ik/urdf.hpp>
#include <utility>
#include <vector>

#include "joints.hpp"
#include "links.hpp"

namespace generative_ik {
namespace {

using namespace description;  // NOLINT(google-build-using-namespace)

using Positions = std::map<std::string, double>;

// How far a fixed joint may be beyond its limits [rad or m].

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
  Folding(const Model& model, const Positions& fixed, const std::string& base)
      : model_(model), fixed_(fixed), links_{{base, ChainFrame{}}} {}

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
    links_[step.link()] = {static_cast<int>(joints_.size()), gathered_};
  }

  UrdfChain finish(const std::string& base, const std::string& tip) {
    if (moving_.empty()) {
      refuse("no joint moves between " + quoted(base) + " and " + quoted(tip));
    }
    orderVariables();
    attachFixed(model_, links_);
    std::vector<Variable> variables;
    Vector velocity_limits(static_cast<Eigen::Index>(drivers_.size()));
    for (std::size_t v = 0; v < drivers_.size(); ++v) {
      variables.push_back(variableOf(v));
      velocity_limits[static_cast<Eigen::Index>(v)] = velocityOfVariable(v);
    }
    return {Chain(std::move(variables), joints_, gathered_), std::move(velocity_limits), base, tip,
            links_};
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
  std::map<std::string, ChainFrame> links_;
};

}  // namespace

UrdfChain readUrdf(const std::string& urdf, const std::string& base_link,
                   const std::string& tip_link, const std::map<std::string, double>& fixed) {
  const std::shared_ptr<Model> model = modelOf(urdf).model;
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
  Folding folding(*model, fixed, base);
  for (const Step& step : pathBetween(*model, base, tip)) {
    folding.pass(step);
  }
  return folding.finish(base, tip);
}

}  // namespace generative_ik
