#include <algorithm>
#include <generative_ik/urdf.hpp>
#include <memory>
#include <utility>

#include "joints.hpp"

namespace generative_ik {
namespace {

using namespace description;  // NOLINT(google-build-using-namespace)

using Frames = std::map<std::string, ChainFrame>;

/// Adds the links that joints outside of a chain hold in place to those that move with it.
class Placing {
 public:
  Placing(const Model& model, const UrdfChain& robot, const std::map<std::string, double>& fixed)
      : model_(model), robot_(robot), fixed_(fixed), frames_(robot.links) {}

  Frames placed() {
    std::vector<std::string> reached;
    for (const auto& [name, frame] : frames_) {
      reached.push_back(name);
    }
    while (!reached.empty()) {
      const std::string name = reached.back();
      reached.pop_back();
      const auto link = model_.getLink(name);
      const ChainFrame at = frames_.at(name);
      if (link->parent_joint != nullptr) {
        const auto& joint = link->parent_joint;
        pass(at, *joint, joint->parent_link_name, false, reached);
      }
      for (const auto& joint : link->child_joints) {
        pass(at, *joint, joint->child_link_name, true, reached);
      }
    }
    return std::move(frames_);
  }

 private:
  void pass(const ChainFrame& from, const urdf::Joint& joint, const std::string& to, bool down,
            std::vector<std::string>& reached) {
    if (frames_.count(to) != 0) {
      return;
    }
    Eigen::Isometry3d step = originOf(joint);
    if (moves(joint)) {
      step = step * motionOf(joint, positionOf(joint));
    } else if (joint.type != urdf::Joint::FIXED) {
      refuse("joint " + quoted(joint.name) + " is floating or planar: where " + quoted(to) +
             " is cannot be said");
    }
    frames_[to] = {from.num_joints, from.in_last_joint * (down ? step : step.inverse())};
    reached.push_back(to);
  }

  // Where a joint stands that the chain does not pass.
  [[nodiscard]] double positionOf(const urdf::Joint& joint) const {
    const Driver driver = driverOf(model_, model_.getJoint(joint.name));
    const auto given = fixed_.find(driver.joint->name);
    if (given != fixed_.end()) {
      return driver.multiplier * given->second + driver.offset;
    }
    for (const Variable& variable : robot_.chain.variables()) {
      if (variable.name == driver.joint->name) {
        refuse("joint " + quoted(joint.name) + ", which the chain does not pass, moves with its " +
               quoted(variable.name));
      }
    }
    const Limits limits = limitsOf(*driver.joint);
    return driver.multiplier * std::clamp(0.0, limits.lower, limits.upper) + driver.offset;
  }

  const Model& model_;
  const UrdfChain& robot_;
  const std::map<std::string, double>& fixed_;
  Frames frames_;
};

/// Shorter lengths count as this [m]: descriptions have points of contact that are spheres without
/// a radius, and boxes without a size in links that need something.
constexpr double kLeastLength = 1e-6;

double lengthOf(double given) {
  return given < 0.0 ? given : std::max(given, kLeastLength);
}

Shape shapeOf(const urdf::Collision& element, bool is_capsule, const std::string& link,
              const MeshReader& read_mesh) {
  Shape shape;
  shape.pose = transformOf(element.origin);
  if (element.geometry == nullptr) {
    refuse("a collision element of link " + quoted(link) + " has no shape");
  }
  if (const auto box = std::dynamic_pointer_cast<urdf::Box>(element.geometry)) {
    shape.solid = Box{{lengthOf(box->dim.x), lengthOf(box->dim.y), lengthOf(box->dim.z)}};
  } else if (const auto sphere = std::dynamic_pointer_cast<urdf::Sphere>(element.geometry)) {
    shape.solid = Sphere{lengthOf(sphere->radius)};
  } else if (const auto cylinder = std::dynamic_pointer_cast<urdf::Cylinder>(element.geometry)) {
    if (is_capsule) {
      shape.solid = Capsule{lengthOf(cylinder->radius), lengthOf(cylinder->length)};
    } else {
      shape.solid = Cylinder{lengthOf(cylinder->radius), lengthOf(cylinder->length)};
    }
  } else if (const auto mesh = std::dynamic_pointer_cast<urdf::Mesh>(element.geometry)) {
    if (!read_mesh) {
      refuse("link " + quoted(link) + " has a mesh, and nothing reads meshes");
    }
    Mesh read = read_mesh(mesh->filename);
    for (Eigen::Vector3d& vertex : read.vertices) {
      vertex = {vertex.x() * mesh->scale.x, vertex.y() * mesh->scale.y,
                vertex.z() * mesh->scale.z};
    }
    shape.solid = std::make_shared<const Mesh>(std::move(read));
  } else {
    refuse("a collision element of link " + quoted(link) +
           " is no box, sphere, cylinder, capsule or mesh");
  }
  return shape;
}

}  // namespace

UrdfCollisions readUrdfCollisions(const std::string& urdf, const UrdfChain& robot,
                                  const MeshReader& read_mesh,
                                  const std::map<std::string, double>& fixed) {
  const Description read = modelOf(urdf);
  const std::shared_ptr<Model>& model = read.model;
  for (const auto& [name, frame] : robot.links) {
    if (model->getLink(name) == nullptr) {
      refuse("the chain is of another robot: there is no link " + quoted(name));
    }
  }
  UrdfCollisions found;
  for (const auto& [name, frame] : Placing(*model, robot, fixed).placed()) {
    const auto link = model->getLink(name);
    CollisionLink made;
    made.name = name;
    made.frame = frame;
    for (std::size_t k = 0; k < link->collision_array.size(); ++k) {
      const bool is_capsule = read.capsules.count({name, k}) != 0;
      made.shapes.push_back(shapeOf(*link->collision_array[k], is_capsule, name, read_mesh));
    }
    if (!made.shapes.empty()) {
      found.links.push_back(std::move(made));
    }
    for (const auto& joint : link->child_joints) {
      found.joined.emplace_back(name, joint->child_link_name);
    }
  }
  return found;
}

}  // namespace generative_ik
