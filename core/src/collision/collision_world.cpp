#include <algorithm>
#include <cmath>
#include <generative_ik/collision_world.hpp>
#include <type_traits>

#include "approaches.hpp"
#include "world_arrays.hpp"

namespace generative_ik {
namespace collision {
namespace {

const Kernels& fastest() {
  static const Kernels found = simd::usable([](auto set) { return kernels(set); }).front();
  return found;
}

// The memory, as large as a world needs it.
Workspace workspaceOf(const WorldView& world, CollisionMemory& memory) {
  constexpr std::size_t kPose = sizeof(RigidPose) / sizeof(double);
  constexpr std::size_t kSphere = sizeof(Sphere) / sizeof(double);
  const auto frames = static_cast<std::size_t>(world.num_frames);
  const std::size_t eights = (frames + kSiblings - 1) / kSiblings * kSiblings;
  memory.frames.resize(kPose * (frames + 1));
  memory.sines.resize(2 * eights);
  memory.spheres.resize(kSphere * static_cast<std::size_t>(world.num_bodies));
  // NOLINTBEGIN(*-reinterpret-cast): nothing but numbers
  return {reinterpret_cast<RigidPose*>(memory.frames.data()), memory.sines.data(),
          reinterpret_cast<Sphere*>(memory.spheres.data())};
  // NOLINTEND(*-reinterpret-cast)
}

// Adds how the distance of an approach changes with the joints that move the frame of one of its
// points; `sign` is -1 for that of the other.
void addGradient(const WorldView& world, const Workspace& workspace, const Approach& approach,
                 double sign, double* gradient) {
  std::int64_t frame = sign > 0.0 ? approach.frame : approach.other;
  while (frame > 0) {
    const MovingFrame& joint = world.frames[frame - 1];
    const Point axis = workspace.frames[joint.parent].r * joint.axis;
    const Point velocity =
        joint.prismatic ? axis : cross(axis, approach.point - workspace.frames[frame].p);
    gradient[joint.variable] += sign * joint.multiplier * dot(approach.normal, velocity);
    frame = joint.parent;
  }
}

}  // namespace
}  // namespace collision

CollisionWorld::CollisionWorld(const CollisionWorldArrays& arrays)
    : world_(std::make_unique<const collision::World>(arrays)) {}

CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;

std::int64_t CollisionWorld::numVariables() const {
  return world_->num_variables;
}

std::int64_t CollisionWorld::numFrames() const {
  return world_->view.num_frames;
}

Verdict CollisionWorld::check(const double* q, double sure, CollisionMemory& memory) const {
  collision::Contacts none{};
  return collision::fastest().check(world_->view, q, std::min(sure, collision::kBeyond),
                                    collision::workspaceOf(world_->view, memory), none);
}

Verdict CollisionWorld::checkMotion(const double* before, const double* after,
                                    const double* resolution, double sure,
                                    CollisionMemory& memory) const {
  // Most motions that collide do so at their end.
  Verdict worst = check(after, sure, memory);
  const auto n = static_cast<std::size_t>(world_->num_variables);
  double longest = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    longest = std::max(longest, std::fabs(after[v] - before[v]) / resolution[v]);
  }
  memory.point.resize(n);
  const double count = std::ceil(longest);
  for (double k = 1.0; k < count && worst < Verdict::kInside; ++k) {
    for (std::size_t v = 0; v < n; ++v) {
      memory.point[v] = before[v] + k / count * (after[v] - before[v]);
    }
    worst = std::max(worst, check(memory.point.data(), sure, memory));
  }
  return worst;
}

std::vector<Contact> CollisionWorld::contacts(const double* q, CollisionMemory& memory) const {
  // Most often there are fewer.
  std::vector<Contact> found(64);
  const collision::Workspace workspace = collision::workspaceOf(world_->view, memory);
  while (true) {
    collision::Contacts room = {found.data(), static_cast<std::int64_t>(found.size()), 0};
    collision::fastest().check(world_->view, q, kSure, workspace, room);
    found.resize(static_cast<std::size_t>(room.count));
    if (room.count <= room.room) {
      return found;
    }
  }
}

double CollisionWorld::clearance(const double* q, Nearest& nearest,
                                 CollisionMemory& memory) const {
  return collision::fastest().clearance(world_->view, q,
                                        collision::workspaceOf(world_->view, memory), nearest);
}

void CollisionWorld::nearDistances(const double* q, double within, std::size_t most,
                                   NearDistances& found, CollisionMemory& memory) const {
  static_assert(std::is_trivially_copyable_v<collision::Approach>);
  constexpr std::size_t kNumbers = sizeof(collision::Approach) / sizeof(double);
  const collision::WorldView& world = world_->view;
  const auto n = static_cast<std::size_t>(world_->num_variables);
  memory.numbers.resize(kNumbers * most);
  found.gaps.reserve(most);
  found.gradients.reserve(most * n);
  const collision::Workspace workspace = collision::workspaceOf(world, memory);
  // NOLINTNEXTLINE(*-reinterpret-cast): nothing but numbers
  auto* written = reinterpret_cast<collision::Approach*>(memory.numbers.data());
  collision::Approaches near = {written, static_cast<std::int64_t>(most), 0};
  collision::fastest().approaches(world, q, std::min(within, collision::kBeyond), workspace, near);
  found.gaps.clear();
  found.gradients.assign(static_cast<std::size_t>(near.count) * n, 0.0);
  for (std::int64_t k = 0; k < near.count; ++k) {
    double* gradient = found.gradients.data() + static_cast<std::size_t>(k) * n;
    found.gaps.push_back(written[k].gap);
    collision::addGradient(world, workspace, written[k], 1.0, gradient);
    collision::addGradient(world, workspace, written[k], -1.0, gradient);
  }
}

void CollisionWorld::writeReaches(const double* travel, double* reaches) const {
  const collision::WorldView& world = world_->view;
  // From the origin of each frame; parents come first.
  std::vector<double> extents(static_cast<std::size_t>(world.num_frames) + 1, 0.0);
  for (std::int64_t b = 0; b < world.num_bodies; ++b) {
    const collision::Body& body = world.bodies[b];
    const collision::Sphere around = collision::sphereAt(body.cover.rows, collision::kRoot);
    double& extent = extents[static_cast<std::size_t>(body.frame)];
    extent = std::max(extent, lengthOf(around.centre) + around.radius);
  }
  std::fill_n(reaches, world_->num_variables, 0.0);
  for (std::int64_t f = world.num_frames; f > 0; --f) {
    const collision::MovingFrame& joint = world.frames[f - 1];
    const double factor = std::fabs(joint.multiplier);
    double extent = extents[static_cast<std::size_t>(f)];
    double& reach = reaches[joint.variable];
    // Mimic joints add up.
    reach += factor * (joint.prismatic ? 1.0 : extent);
    if (joint.prismatic) {
      extent += factor * travel[joint.variable] + std::fabs(joint.offset);
    }
    double& above = extents[static_cast<std::size_t>(joint.parent)];
    above = std::max(above, extent + lengthOf(joint.shift));
  }
}

CollisionCheck checkIn(const CollisionWorld& world, double sure) {
  return [&world, sure, memory = CollisionMemory()](const double* q) mutable {
    return world.check(q, sure, memory);
  };
}

ShapeDistances::ShapeDistances(const CollisionWorld& world, const ShapeArrays& arrays)
    : shapes_(std::make_unique<const collision::Shapes>(*world.world_, arrays)) {}

ShapeDistances::~ShapeDistances() = default;
ShapeDistances::ShapeDistances(ShapeDistances&&) noexcept = default;
ShapeDistances& ShapeDistances::operator=(ShapeDistances&&) noexcept = default;

double ShapeDistances::distance(const double* q, Nearest& nearest, CollisionMemory& memory) const {
  return collision::fastest().distance(
      shapes_->view, q, collision::workspaceOf(*shapes_->view.world, memory), nearest);
}

double ShapeDistances::between(const Contact& contact, double most,
                               CollisionMemory& memory) const {
  return collision::fastest().contact_distance(
      shapes_->view, contact, most, collision::workspaceOf(*shapes_->view.world, memory));
}

}  // namespace generative_ik
