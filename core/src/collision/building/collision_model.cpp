#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <generative_ik/collision_model.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <variant>

#include "moving_frames.hpp"
#include "packing.hpp"
#include "thing.hpp"

namespace generative_ik {
namespace {

namespace building = collision::building;
using building::Thing;
using collision::Point;
using collision::RigidPose;

// What is closer than the margin and this counts as touching [m].
constexpr double kTouching = 1e-6;

[[noreturn]] void refuseModel(const std::string& why) {
  throw std::invalid_argument("collision model: " + why);
}

void checkPadding(double padding) {
  if (!(padding >= 0.0 && padding <= kLargestSize)) {
    refuseModel("a padding must be a number from 0 on, and at most 1e4 [m]");
  }
}

std::pair<std::string, std::string> inOrder(const std::string& one, const std::string& other) {
  return one < other ? std::pair(one, other) : std::pair(other, one);
}

/// A link, not built yet.
Thing thingOf(const CollisionLink& link, std::int64_t frame) {
  checkPadding(link.padding);
  if (link.shapes.empty()) {
    refuseModel("link '" + link.name + "' has no shapes");
  }
  Thing thing;
  thing.name = link.name;
  thing.frame = frame;
  // Frames are checked as shapes are.
  checkShape({Sphere{1.0}, link.frame.in_last_joint});
  thing.pose = building::rigidPoseOf(link.frame.in_last_joint);
  thing.padding = link.padding;
  for (const Shape& shape : link.shapes) {
    thing.shapes.push_back(building::repaired(shape));
  }
  return thing;
}

}  // namespace

NamePairs adjoiningLinks(const std::vector<Chain>& chains,
                         const std::vector<CollisionLink>& links) {
  const building::MovingFrames frames(chains);
  std::vector<std::int64_t> frame_of;
  for (const CollisionLink& link : links) {
    frame_of.push_back(frames.frameOf(link.chain, link.frame.num_joints));
  }
  NamePairs pairs;
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (std::size_t j = 0; j < links.size(); ++j) {
      if (frame_of[j] > 0 && frames.parentOf(frame_of[j]) == frame_of[i]) {
        pairs.emplace_back(links[i].name, links[j].name);
      }
    }
  }
  return pairs;
}

struct CollisionModel::Robot {
  building::MovingFrames frames;
  std::vector<Thing> things;  // those that move first, from base to tip
  std::int64_t num_moving;
  std::vector<std::int64_t> pairs;
  std::vector<double> margins;

  [[nodiscard]] std::int64_t numbered(const std::string& name) const {
    for (std::size_t k = 0; k < things.size(); ++k) {
      if (things[k].name == name) {
        return static_cast<std::int64_t>(k);
      }
    }
    refuseModel("there is no link '" + name + "'");
  }
};

struct CollisionChecker::Parts {
  std::shared_ptr<const CollisionModel::Robot> robot;
  std::vector<Thing> meshes;                                        // obstacles
  std::vector<std::string> primitives;                              // their names
  std::vector<building::Solid> solids;                              // and what they are
  std::vector<std::int64_t> order;                                  // of primitives in lanes
  std::map<std::pair<std::int64_t, std::int64_t>, double> margins;  // of pairs
  double padding;
  std::optional<CollisionWorld> world;
  std::optional<ShapeDistances> shapes;

  [[nodiscard]] const Thing& thing(std::int64_t body) const {
    const auto k = static_cast<std::size_t>(body);
    return k < robot->things.size() ? robot->things[k] : meshes[k - robot->things.size()];
  }
  [[nodiscard]] std::int64_t primitiveOf(std::int64_t other) const {
    return order[static_cast<std::size_t>(-1 - other)];
  }
  [[nodiscard]] const std::string& nameOf(std::int64_t other) const {
    return other >= 0 ? thing(other).name
                      : primitives[static_cast<std::size_t>(primitiveOf(other))];
  }

  /// The contact of two things that collide, if there is one.
  [[nodiscard]] std::optional<Contact> collision(const double* q) const {
    thread_local CollisionMemory memory;
    std::vector<Contact> contacts = world->contacts(q, memory);
    // What is certain comes first.
    std::stable_sort(contacts.begin(), contacts.end(),
                     [](const Contact& a, const Contact& b) { return a.verdict > b.verdict; });
    for (const Contact& contact : contacts) {
      if (contact.verdict != Verdict::kUndecided || touch(contact, memory)) {
        return contact;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool touch(const Contact& contact, CollisionMemory& memory) const {
    const bool primitive = contact.other < 0;
    const double most =
        kTouching + (primitive ? padding : margins.at({contact.body, contact.other}));
    if (shapes->between(contact, most, memory) < most) {
      return true;
    }
    const Thing& one = thing(contact.body);
    const RigidPose one_here = placed(one, memory);
    if (primitive) {
      const Point middle = solids[static_cast<std::size_t>(primitiveOf(contact.other))].pose.p;
      return building::encloses(one.closed, inverted(one_here), {middle});
    }
    const Thing& other = thing(contact.other);
    const RigidPose other_in_one = seenFrom(one_here, placed(other, memory));
    return building::encloses(one.closed, other_in_one, other.points) ||
           building::encloses(other.closed, inverted(other_in_one), one.points);
  }

  /// Its own frame in that of the base.
  static RigidPose placed(const Thing& thing, const CollisionMemory& memory) {
    const double* at = memory.frames.data() + 12 * thing.frame;
    const RigidPose frame = {{{at[0], at[1], at[2]}, {at[3], at[4], at[5]}, {at[6], at[7], at[8]}},
                             {at[9], at[10], at[11]}};
    return {collision::turnedBack(transposed(frame.r), thing.pose.r), moved(frame, thing.pose.p)};
  }
};

CollisionModel::CollisionModel(const Chain& chain, const std::vector<CollisionLink>& links,
                               const std::optional<NamePairs>& unchecked)
    : CollisionModel(std::vector<Chain>{chain}, links, unchecked) {}

CollisionModel::CollisionModel(const std::vector<Chain>& chains,
                               const std::vector<CollisionLink>& links,
                               const std::optional<NamePairs>& unchecked) {
  auto robot = std::make_shared<Robot>(Robot{building::MovingFrames(chains), {}, 0, {}, {}});
  std::set<std::string> names;
  for (const CollisionLink& link : links) {
    if (!names.insert(link.name).second) {
      refuseModel("two links are called '" + link.name + "'");
    }
    robot->things.push_back(
        thingOf(link, robot->frames.frameOf(link.chain, link.frame.num_joints)));
  }
  std::stable_sort(robot->things.begin(), robot->things.end(), [](const Thing& a, const Thing& b) {
    return a.frame != 0 && (b.frame == 0 || a.frame < b.frame);
  });
  robot->num_moving = std::count_if(robot->things.begin(), robot->things.end(),
                                    [](const Thing& thing) { return thing.frame != 0; });
  std::set<std::pair<std::string, std::string>> spared;
  for (const auto& [one, other] : unchecked ? *unchecked : adjoiningLinks(chains, links)) {
    // An SRDF names links that have no shapes, too.
    spared.insert(inOrder(one, other));
  }
  const auto count = static_cast<std::int64_t>(robot->things.size());
  for (std::int64_t i = 0; i < robot->num_moving; ++i) {
    for (std::int64_t j = i + 1; j < count; ++j) {
      const Thing& one = robot->things[static_cast<std::size_t>(i)];
      const Thing& other = robot->things[static_cast<std::size_t>(j)];
      if (one.frame != other.frame && !spared.contains(inOrder(one.name, other.name))) {
        robot->pairs.insert(robot->pairs.end(), {i, j});
        robot->margins.push_back(one.padding + other.padding);
      }
    }
  }
  building::buildAll(robot->things);
  robot_ = std::move(robot);
}

/// Puts a robot and a scene together.
class CollisionModel::Assembly {
 public:
  Assembly(std::shared_ptr<const Robot> robot, const CollisionScene& scene)
      : scene_(scene), parts_(std::make_shared<CollisionChecker::Parts>()) {
    arrays_.pairs = robot->pairs;
    arrays_.margins = robot->margins;
    arrays_.num_variables = robot->frames.numVariables();
    arrays_.frames = robot->frames.numbers();
    arrays_.frame_ints = robot->frames.ints();
    arrays_.num_moving = robot->num_moving;
    arrays_.margin = scene.padding;
    for (const auto& [object, link] : scene.allowed) {
      spared_[object].insert(robot->numbered(link));
    }
    parts_->padding = scene.padding;
    parts_->robot = std::move(robot);
  }

  std::shared_ptr<const CollisionChecker::Parts> assembled() {
    for (const CollisionObject& object : scene_.objects) {
      const Shape shape = building::repaired(object.shape);
      if (std::holds_alternative<std::shared_ptr<const Mesh>>(shape.solid)) {
        addMesh(object.name, shape);
      } else {
        addPrimitive(object.name, shape);
      }
    }
    building::buildAll(parts_->meshes);
    packBodies();
    packPrimitives();
    for (std::size_t k = 0; k < arrays_.margins.size(); ++k) {
      parts_->margins[{arrays_.pairs[2 * k], arrays_.pairs[2 * k + 1]}] = arrays_.margins[k];
    }
    parts_->world.emplace(arrays_);
    parts_->shapes.emplace(*parts_->world,
                           building::packedSurfaces(surfaces_, parts_->solids, parts_->order));
    return std::move(parts_);
  }

 private:
  void addPrimitive(const std::string& name, const Shape& shape) {
    const auto primitive = static_cast<std::int64_t>(parts_->solids.size());
    for (const std::int64_t link : spared_[name]) {
      if (link < arrays_.num_moving) {
        allowed_.emplace_back(link, primitive);
      }
    }
    parts_->primitives.push_back(name);
    parts_->solids.push_back(building::solidOf(shape));
  }

  void addMesh(const std::string& name, const Shape& shape) {
    const auto body =
        static_cast<std::int64_t>(parts_->robot->things.size() + parts_->meshes.size());
    for (std::int64_t link = 0; link < arrays_.num_moving; ++link) {
      if (!spared_[name].contains(link)) {
        arrays_.pairs.insert(arrays_.pairs.end(), {link, body});
        arrays_.margins.push_back(scene_.padding);
      }
    }
    Thing thing;
    thing.name = name;
    thing.pose = building::rigidPoseOf(Eigen::Isometry3d::Identity());
    thing.shapes = {shape};
    parts_->meshes.push_back(std::move(thing));
  }

  void packBodies() {
    std::vector<building::PlacedBody> bodies;
    for (const std::vector<Thing>* things :
         {&parts_->robot->things, &std::as_const(parts_->meshes)}) {
      for (const Thing& thing : *things) {
        const building::BuiltBody& body = thing.body;
        bodies.push_back({body.cover.view(), body.exact ? body.cover.view() : body.inner.view(),
                          body.exact, &body.extremes, thing.frame, thing.pose});
        surfaces_.push_back({&thing.surface, thing.pose});
      }
    }
    building::PackedBodies packed = building::packedBodies(bodies);
    arrays_.bodies = std::move(packed.ints);
    arrays_.trees = std::move(packed.trees);
    arrays_.extremes = std::move(packed.extremes);
  }

  void packPrimitives() {
    building::PackedPrimitives packed = building::packedPrimitives(parts_->solids);
    std::vector<std::int64_t> lanes(parts_->solids.size());
    for (std::size_t lane = 0; lane < packed.order.size(); ++lane) {
      if (packed.order[lane] >= 0) {
        lanes[static_cast<std::size_t>(packed.order[lane])] = static_cast<std::int64_t>(lane);
      }
    }
    for (const auto& [link, primitive] : allowed_) {
      arrays_.allowed.insert(arrays_.allowed.end(),
                             {link, lanes[static_cast<std::size_t>(primitive)]});
    }
    arrays_.primitives = std::move(packed.rows);
    arrays_.kinds = std::move(packed.kinds);
    arrays_.corners = std::move(packed.corners);
    parts_->order = std::move(packed.order);
  }

  const CollisionScene& scene_;
  std::shared_ptr<CollisionChecker::Parts> parts_;
  CollisionWorldArrays arrays_;
  std::map<std::string, std::set<std::int64_t>> spared_;        // links, by objects
  std::vector<std::pair<std::int64_t, std::int64_t>> allowed_;  // links and primitives
  std::vector<building::PlacedSurface> surfaces_;
};

CollisionChecker CollisionModel::among(const CollisionScene& scene) const {
  checkPadding(scene.padding);
  return CollisionChecker(Assembly(robot_, scene).assembled());
}

const Vector& CollisionChecker::checked(const Vector& q) const {
  if (q.size() != parts_->world->numVariables()) {
    refuseModel("a configuration of " + std::to_string(q.size()) + " entries for " +
                std::to_string(parts_->world->numVariables()) + " variables");
  }
  if (!q.allFinite()) {
    refuseModel("a configuration is not finite");
  }
  return q;
}

bool CollisionChecker::collides(const double* q) const {
  return parts_->collision(q).has_value();
}

bool CollisionChecker::collides(const Vector& q) const {
  return collides(checked(q).data());
}

std::optional<std::pair<std::string, std::string>> CollisionChecker::collidingPair(
    const Vector& q) const {
  const std::optional<Contact> contact = parts_->collision(checked(q).data());
  if (!contact) {
    return std::nullopt;
  }
  return std::pair(parts_->thing(contact->body).name, parts_->nameOf(contact->other));
}

double CollisionChecker::distance(const Vector& q) const {
  CollisionMemory memory;
  Nearest nearest;
  return parts_->shapes->distance(checked(q).data(), nearest, memory);
}

const CollisionWorld& CollisionChecker::world() const {
  return *parts_->world;
}

}  // namespace generative_ik
