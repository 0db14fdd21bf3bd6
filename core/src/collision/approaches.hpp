/// What is near a robot in a configuration: the nearest spheres of each two things, and how they
/// lie to each other.
#pragma once

#include "clearance.hpp"

namespace generative_ik::collision {

/// The nearest spheres of two things.
struct Approach {
  double gap;          ///< Distance of the spheres, less the margin [m].
  std::int64_t frame;  ///< That carries the one,
  std::int64_t other;  ///< and the other; 0: it stands.
  Point point;         ///< Where the one is, and the other is nearly, in frame 0 [m].
  Point normal;        ///< From the other to the one: the gap grows that way.
};

/// The nearest ones of those that are noted, as many as there is room for.
struct Approaches {
  Approach* written;
  std::int64_t room;
  std::int64_t count;

  GENERATIVE_IK_INLINE void note(const Approach& approach) {
    if (count < room) {
      written[count++] = approach;
      return;
    }
    std::int64_t farthest = 0;
    for (std::int64_t k = 1; k < count; ++k) {
      farthest = written[farthest].gap < written[k].gap ? k : farthest;
    }
    if (room > 0 && approach.gap < written[farthest].gap) {
      written[farthest] = approach;
    }
  }
};

/// The direction in which the distance from a primitive grows, by differences: they are exact to
/// rounding on faces, and edges are round.
GENERATIVE_IK_INLINE Point awayFrom(PrimitiveKind kind, const Primitive<double>& primitive,
                                    const Point& point) {
  constexpr double kStep = 1e-5;
  const auto slope = [&](const Point& step) {
    return signedDistance(kind, primitive, point + step) -
           signedDistance(kind, primitive, point - step);
  };
  const Point way = {slope({kStep, 0.0, 0.0}), slope({0.0, kStep, 0.0}), slope({0.0, 0.0, kStep})};
  return (1.0 / simd::larger(lengthOf(way), 1e-300)) * way;
}

template <class Number>
void noteBodies(const WorldView& world, const Workspace& workspace, double within,
                Approaches& approaches) {
  for (std::int64_t k = 0; k < world.num_pairs; ++k) {
    const BodyPair& pair = world.pairs[k];
    const double most = within + pair.margin;
    if (!areNearer(pair, workspace, most)) {
      continue;
    }
    const double above = gapOf(pair, workspace);
    const Body& one = world.bodies[pair.one];
    const Body& other = world.bodies[pair.other];
    Nodes found = {0, 0};
    const double gap = treeFromTree<Number>(
        pairOf(one.cover, other.cover, betweenBodies(world, workspace, pair)), above, most,
        [](const Nodes& /*nodes*/, double between, double least, double /*best*/) {
          return simd::larger(between, least);
        },
        [&](const Nodes& nodes, double between, double /*best*/) {
          found = {nodes.one, nodes.other};
          return between;
        });
    if (gap < most) {
      const Point a = moved(workspace.frames[one.frame], sphereOf(one.cover, found.one).centre);
      const Point b =
          moved(workspace.frames[other.frame], sphereOf(other.cover, found.other).centre);
      const Point way = a - b;
      const double length = simd::larger(lengthOf(way), 1e-300);
      approaches.note({gap - pair.margin, one.frame, other.frame, a, (1.0 / length) * way});
    }
  }
}

template <class Number>
void notePrimitives(const WorldView& world, const Workspace& workspace, double within,
                    Approaches& approaches) {
  double gaps[kSiblings];  // NOLINT(*-avoid-c-arrays,*-member-init)
  const double most = within + world.margin;
  for (std::int64_t b = 0; b < world.num_moving; ++b) {
    const Body& body = world.bodies[b];
    const Sphere& around = workspace.spheres[b];
    const double reach = around.radius + most;
    withGroupsNear<Number>(
        world, around.centre, [&] { return reach; },
        [&](std::int64_t g) {
          unsigned near = gapsAround<Number>(world, g, around.centre, reach, gaps);
          while (near != 0) {
            const int lane = takeLowest(near);
            if (world.isAllowed(b, kSiblings * g + lane)) {
              continue;
            }
            const RigidPose& frame = workspace.frames[body.frame];
            const auto primitive = primitiveSeenFrom(frame, world.group(g), lane);
            Nearest nearest;
            const double gap = treeFromPrimitive<Number>(
                body.cover, world.kinds[g], primitive, gaps[lane] - around.radius, most, nearest);
            if (gap < most) {
              const Point centre = sphereAt(body.cover.rows + nearest.leaf, 0).centre;
              const Point away = awayFrom(world.kinds[g], primitive, centre);
              approaches.note(
                  {gap - world.margin, body.frame, 0, moved(frame, centre), frame.r * away});
            }
          }
          return true;
        });
  }
}

/// Notes what is nearer than `within` [m]; the frames are left in the workspace.
template <class Number>
void approaches(const WorldView& world, const double* q, double within, Workspace workspace,
                Approaches& found) {
  placeBodies<Number>(world, q, workspace);
  noteBodies<Number>(world, workspace, within, found);
  notePrimitives<Number>(world, workspace, within, found);
}

}  // namespace generative_ik::collision
