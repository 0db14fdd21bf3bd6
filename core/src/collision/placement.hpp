/// Places the frames and the bodies of a robot.
#pragma once

#include "../simd/constants.hpp"
#include "world.hpp"

namespace generative_ik::collision {

/// Writes sine and 1 - cosine of the joints' positions to two rows.
template <class Number>
GENERATIVE_IK_INLINE void writeSines(const WorldView& world, const double* q, double* sines) {
  const std::int64_t length = (world.num_frames + kSiblings - 1) / kSiblings * kSiblings;
  for (std::int64_t f = 0; f < length; ++f) {
    const MovingFrame& frame = world.frames[f < world.num_frames ? f : 0];
    sines[f] = frame.multiplier * q[frame.variable] + frame.offset;
  }
  for (std::int64_t f = 0; f < length; f += simd::kWidth<Number>) {
    Number sine = 0.0;
    Number cosine = 0.0;
    simd::halfAngle(simd::load<Number>(sines + f), sine, cosine);
    simd::store(sines + f, sine * cosine * Number(2.0));
    simd::store(sines + length + f, sine * sine * Number(2.0));
  }
}

GENERATIVE_IK_INLINE Rotation rotationOf(const MovingFrame& frame, double sine, double versine) {
  return {frame.at_zero.x + sine * frame.sine_part.x + versine * frame.versine_part.x,
          frame.at_zero.y + sine * frame.sine_part.y + versine * frame.versine_part.y,
          frame.at_zero.z + sine * frame.sine_part.z + versine * frame.versine_part.z};
}

/// A row of a rotation times another rotation.
GENERATIVE_IK_INLINE Point rowTimes(const Point& row, const Rotation& r) {
  return row.x * r.x + row.y * r.y + row.z * r.z;
}

/// Writes all frames, parents first.
template <class Number>
GENERATIVE_IK_INLINE void placeFrames(const WorldView& world, const double* q,
                                      const Workspace& workspace) {
  writeSines<Number>(world, q, workspace.sines);
  const std::int64_t length = (world.num_frames + kSiblings - 1) / kSiblings * kSiblings;
  workspace.frames[0] = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  for (std::int64_t f = 0; f < world.num_frames; ++f) {
    const MovingFrame& frame = world.frames[f];
    const RigidPose& parent = workspace.frames[frame.parent];
    double sine = workspace.sines[f];
    double versine = workspace.sines[length + f];
    Point shift = frame.shift;
    if (frame.prismatic) {
      shift = shift + (frame.multiplier * q[frame.variable] + frame.offset) * frame.axis;
      sine = versine = 0.0;
    }
    const Rotation turned = rotationOf(frame, sine, versine);
    workspace.frames[f + 1] = {
        {rowTimes(parent.r.x, turned), rowTimes(parent.r.y, turned), rowTimes(parent.r.z, turned)},
        moved(parent, shift)};
  }
}

/// Writes the frames, and then the spheres around the bodies.
template <class Number>
GENERATIVE_IK_INLINE void placeBodies(const WorldView& world, const double* q,
                                      const Workspace& workspace) {
  placeFrames<Number>(world, q, workspace);
  for (std::int64_t b = 0; b < world.num_bodies; ++b) {
    const Body& body = world.bodies[b];
    Sphere around = sphereAt(body.cover.rows, kRoot);
    around.centre = moved(workspace.frames[body.frame], around.centre);
    workspace.spheres[b] = around;
  }
}

/// The distance of the spheres around two bodies.
GENERATIVE_IK_INLINE double gapOf(const BodyPair& pair, const Workspace& workspace) {
  const Sphere& a = workspace.spheres[pair.one];
  const Sphere& b = workspace.spheres[pair.other];
  return lengthOf(a.centre - b.centre) - a.radius - b.radius;
}

/// Whether the spheres around two bodies are nearer to each other than `most`.
GENERATIVE_IK_INLINE bool areNearer(const BodyPair& pair, const Workspace& workspace,
                                    double most) {
  const Sphere& a = workspace.spheres[pair.one];
  const Sphere& b = workspace.spheres[pair.other];
  const Point way = a.centre - b.centre;
  const double reach = a.radius + b.radius + most;
  return reach >= 0.0 && dot(way, way) <= reach * reach;
}

/// The pair whose spheres are nearest, which rules most of the others out if it comes first.
GENERATIVE_IK_INLINE std::int64_t nearestPair(const WorldView& world, const Workspace& workspace) {
  std::int64_t nearest = 0;
  double least = kInfinity;
  for (std::int64_t k = 0; k < world.num_pairs; ++k) {
    const double gap = gapOf(world.pairs[k], workspace);
    if (gap < least) {
      nearest = k;
      least = gap;
    }
  }
  return nearest;
}

/// Frame of a pair's second body in that of the first.
GENERATIVE_IK_INLINE RigidPose betweenBodies(const WorldView& world, const Workspace& workspace,
                                             const BodyPair& pair) {
  return seenFrom(workspace.frames[world.bodies[pair.one].frame],
                  workspace.frames[world.bodies[pair.other].frame]);
}

/// Calls `with(group)` for the groups of primitives that may be nearer to a point than `reach()`,
/// until it returns false.
template <class Number, class Reach, class Function>
GENERATIVE_IK_INLINE void withGroupsNear(const WorldView& world, const Point& point,
                                         const Reach& reach, const Function& with) {
  for (std::int64_t block = 0; block < world.num_blocks; ++block) {
    const double* spheres = world.group_rows + kGroupSize * block;
    const double beyond = reach();
    unsigned groups = siblingsWhere<Number>([&](int first) {
      const Number far =
          simd::larger(radiiOf<Number>(spheres, first) + Number(beyond), Number(0.0));
      return simd::bitsWhereLess(squaredFrom<Number>(point, spheres, first), far * far);
    });
    while (groups != 0) {
      const std::int64_t g = kSiblings * block + takeLowest(groups);
      const double* group = world.group(g);
      const double within = reach();
      // Spheres around the eight are quick to compare, and often are not near.
      const unsigned near = siblingsWhere<Number>([&](int first) {
        const Number around = simd::load<Number>(group + kSiblings * kAroundRow + first);
        const Number far = simd::larger(around + Number(within), Number(0.0));
        return simd::bitsWhereLess(squaredFrom<Number>(point, group, first), far * far);
      });
      if (near != 0 && !with(g)) {
        return;
      }
    }
  }
}

}  // namespace generative_ik::collision
