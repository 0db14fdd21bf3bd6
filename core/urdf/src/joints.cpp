#include "joints.hpp"

#include <tinyxml2.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace generative_ik::description {
namespace {

constexpr double kPi = 3.14159265358979323846;
// Exporters write limits of many turns for none.
constexpr double kMostTurns = 100.0 * 2.0 * kPi;

// Makes cylinders of a link's capsules; returns which of its elements of a kind they were.
std::vector<std::size_t> replaceCapsules(tinyxml2::XMLElement& link, const char* kind) {
  std::vector<std::size_t> capsules;
  std::size_t count = 0;
  for (auto* element = link.FirstChildElement(kind); element != nullptr;
       element = element->NextSiblingElement(kind), ++count) {
    auto* geometry = element->FirstChildElement("geometry");
    auto* capsule = geometry != nullptr ? geometry->FirstChildElement("capsule") : nullptr;
    if (capsule != nullptr) {
      capsule->SetName("cylinder");
      capsules.push_back(count);
    }
  }
  return capsules;
}

std::string withoutCapsules(const std::string& urdf, Description& read) {
  tinyxml2::XMLDocument document;
  if (urdf.find("<capsule") == std::string::npos ||
      document.Parse(urdf.data(), urdf.size()) != tinyxml2::XML_SUCCESS ||
      document.RootElement() == nullptr) {
    return urdf;
  }
  for (auto* link = document.RootElement()->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    replaceCapsules(*link, "visual");
    const char* name = link->Attribute("name");
    for (const std::size_t k : replaceCapsules(*link, "collision")) {
      read.capsules.emplace(name != nullptr ? name : "", k);
    }
  }
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace

void refuse(const std::string& why) {
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

Description modelOf(const std::string& urdf) {
  Description read;
  read.model = urdf::parseURDF(withoutCapsules(urdf, read));
  if (read.model == nullptr || read.model->getRoot() == nullptr) {
    refuse("the text is no robot description that urdfdom reads");
  }
  return read;
}

Eigen::Isometry3d transformOf(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  const urdf::Vector3& p = pose.position;
  return Eigen::Translation3d(p.x, p.y, p.z) * Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized();
}

Eigen::Isometry3d originOf(const urdf::Joint& joint) {
  return transformOf(joint.parent_to_joint_origin_transform);
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

}  // namespace generative_ik::description
