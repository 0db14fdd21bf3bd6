#include <algorithm>
#include <cmath>
#include <generative_ik/collision_world.hpp>

#include "../simd/instruction_sets.hpp"
#include "world_arrays.hpp"

namespace generative_ik {
namespace collision {
namespace {

Kernels fastestKernels() {
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    return kernelsAvx512();
  }
  if (simd::hasAvx2()) {
    return kernelsAvx2();
  }
#endif
  return kernelsBaseline();
}

const Kernels& kernels() {
  static const Kernels fastest = fastestKernels();
  return fastest;
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
  return collision::kernels().check(world_->view, q, sure,
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
    collision::kernels().check(world_->view, q, kSure, workspace, room);
    found.resize(static_cast<std::size_t>(room.count));
    if (room.count <= room.room) {
      return found;
    }
  }
}

double CollisionWorld::clearance(const double* q, Nearest& nearest,
                                 CollisionMemory& memory) const {
  return collision::kernels().clearance(world_->view, q,
                                        collision::workspaceOf(world_->view, memory), nearest);
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
  return collision::kernels().distance(
      shapes_->view, q, collision::workspaceOf(*shapes_->view.world, memory), nearest);
}

}  // namespace generative_ik
