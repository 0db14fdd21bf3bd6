/// Lower bounds of the distance between the robot and everything else, by spheres.
///
/// Leaves can stick out of the spheres above them. What they cover is inside those spheres, too,
/// so that of a leaf and all above it the largest distance counts: the bound does not depend on
/// what is measured first.
#pragma once

#include "../simd/constants.hpp"
#include "placement.hpp"

namespace generative_ik::collision {

/// Nothing is further away, but for what fills up groups of eight [m].
inline constexpr double kBeyond = 1e6;

/// The distances of siblings, and which are less than the best.
// NOLINTBEGIN(*-avoid-c-arrays)
template <class Number, class Function>
GENERATIVE_IK_INLINE unsigned gapsBelow(double best, double (&gaps)[kSiblings],
                                        const Function& gap_of) {
  return siblingsWhere<Number>([&](int first) {
    const Number gap = gap_of(first);
    simd::store(gaps + first, gap);
    return simd::bitsWhereLess(gap, Number(best));
  });
}

/// The same of the spheres of a group from a primitive.
template <class Number>
GENERATIVE_IK_INLINE unsigned gapsFrom(PrimitiveKind kind, const Primitive<double>& primitive,
                                       const double* group, double best,
                                       double (&gaps)[kSiblings]) {
  return gapsBelow<Number>(best, gaps, [&](int first) {
    return signedDistance(kind, primitive, centresOf<Number>(group, first)) -
           radiiOf<Number>(group, first);
  });
}

/// The same of a point from the primitives of a group.
template <class Number>
GENERATIVE_IK_INLINE unsigned gapsAround(const WorldView& world, std::int64_t g,
                                         const Point& point, double best,
                                         double (&gaps)[kSiblings]) {
  return gapsBelow<Number>(best, gaps, [&](int first) {
    return signedDistance(world.kinds[g], primitivesOf<Number>(world.group(g), first), point);
  });
}
// NOLINTEND(*-avoid-c-arrays)

/// The place of a leaf in the rows of its tree.
GENERATIVE_IK_INLINE std::int64_t leafPlace(std::int64_t node) {
  return kGroupSize * groupOf(node) + laneOf(node);
}

/// The distance of the leaf nearest to a primitive, noted as `nearest.leaf`; `best` if that is
/// less. `above` is that of the sphere around the body.
template <class Number>
double treeFromPrimitive(const SphereTree& tree, PrimitiveKind kind,
                         const Primitive<double>& primitive, double above, double best,
                         Nearest& nearest) {
  struct Entry {
    std::int64_t group;
    double above;
  };
  Entry stack[kStack];     // NOLINT(*-avoid-c-arrays,*-member-init)
  double gaps[kSiblings];  // NOLINT(*-avoid-c-arrays,*-member-init)
  stack[0] = {0, above};
  int top = 1;
  while (top > 0) {
    --top;
    const std::int64_t of_group = stack[top].group;
    const double above_group = stack[top].above;
    if (above_group >= best) {
      continue;
    }
    unsigned near = gapsFrom<Number>(kind, primitive, tree.group(of_group), best, gaps);
    while (near != 0) {
      const int lane = takeLowest(near);
      const double gap = simd::larger(gaps[lane], above_group);
      if (gap >= best) {
        continue;
      }
      const std::int64_t node = kSiblings * of_group + lane;
      if (groupBelow(node) >= tree.groups) {
        best = gap;
        nearest.leaf = leafPlace(node);
      } else {
        stack[top++] = {groupBelow(node), gap};
      }
    }
  }
  return best;
}

/// The nodes of a meeting's lane and node, the first tree's first.
struct Nodes {
  std::int64_t one;
  std::int64_t other;
};

GENERATIVE_IK_INLINE Nodes nodesOf(const Meeting& meeting, int lane) {
  const std::int64_t node = kSiblings * meeting.group + lane;
  return meeting.swapped ? Nodes{meeting.node, node} : Nodes{node, meeting.node};
}

/// What is nearest is looked at first, and rules most of the others out.
GENERATIVE_IK_INLINE void bringToTop(Meeting* stack, int nearest, int top) {
  const Meeting last = copyOf(stack[top - 1]);
  const Meeting first = copyOf(stack[nearest]);
  stack[top - 1] = {first.group, first.node, first.swapped, first.above};
  stack[nearest] = {last.group, last.node, last.swapped, last.above};
}

/// The distance between the nearest leaves of two trees, or `best` if that is less. `above` is
/// that of the spheres around the bodies; `measure(nodes, gap, best)` returns the distance of two
/// nodes whose spheres are `gap` apart, and `leaves(nodes, gap, best)` that of two leaves.
template <class Number, class Measure, class Leaves>
double treeFromTree(const TreePair& pair, double above, double best, const Measure& measure,
                    const Leaves& leaves) {
  Meeting stack[kStack];      // NOLINT(*-avoid-c-arrays,*-member-init)
  double squares[kSiblings];  // NOLINT(*-avoid-c-arrays,*-member-init)
  const Number none = 0.0;
  stack[0] = {0, kRoot, false, above};
  int top = 1;
  while (top > 0) {
    const Meeting meeting = copyOf(stack[--top]);
    if (meeting.above >= best) {
      continue;
    }
    const MeetingSpheres spheres = spheresOf(pair, meeting);
    // Most are further away than the best, which squares tell.
    unsigned near = siblingsWhere<Number>([&](int first) {
      const Number reach = simd::larger(
          radiiOf<Number>(spheres.group, first) + Number(spheres.node.radius + best), none);
      const Number square = squaredFrom<Number>(spheres.node.centre, spheres.group, first);
      simd::store(squares + first, square);
      return simd::bitsWhereLess(square, reach * reach);
    });
    int nearest = -1;
    double nearest_gap = kInfinity;
    while (near != 0) {
      const int lane = takeLowest(near);
      const Nodes nodes = nodesOf(meeting, lane);
      double gap = simd::squareRoot(squares[lane]) -
                   (spheres.group[3 * kSiblings + lane] + spheres.node.radius);
      // Another lane may have come nearer meanwhile.
      if (gap < best) {
        gap = measure(nodes, gap, meeting.above, best);
      }
      if (gap >= best) {
        continue;
      }
      if (!descend(meeting, spheres, lane, stack[top])) {
        best = leaves(nodes, gap, best);
        continue;
      }
      stack[top].above = gap;
      if (gap < nearest_gap) {
        nearest = top;
        nearest_gap = gap;
      }
      ++top;
    }
    if (nearest >= 0) {
      bringToTop(stack, nearest, top);
    }
  }
  return best;
}

/// The distance of the two leaves, or leaf and primitive, that were nearest last, if any were.
GENERATIVE_IK_INLINE double knownClearance(const WorldView& world, const Workspace& workspace,
                                           const Nearest& nearest) {
  if (nearest.body < 0) {
    return kBeyond;
  }
  const Body& body = world.bodies[nearest.body];
  const RigidPose& frame = workspace.frames[body.frame];
  const Sphere leaf = sphereAt(body.cover.rows + nearest.leaf, 0);
  if (nearest.other < 0) {
    const std::int64_t p = -1 - nearest.other;
    const std::int64_t g = groupOf(p);
    const Primitive<double> primitive = primitiveSeenFrom(frame, world.group(g), laneOf(p));
    return signedDistance(world.kinds[g], primitive, leaf.centre) - leaf.radius;
  }
  const Body& other = world.bodies[nearest.other];
  const Sphere other_leaf = sphereAt(other.cover.rows + nearest.other_leaf, 0);
  const Point way =
      moved(frame, leaf.centre) - moved(workspace.frames[other.frame], other_leaf.centre);
  return lengthOf(way) - (leaf.radius + other_leaf.radius);
}

template <class Number>
double fromBodies(const WorldView& world, const Workspace& workspace, double best,
                  Nearest& nearest) {
  const std::int64_t first = nearestPair(world, workspace);
  for (std::int64_t turn = world.num_pairs > 0 ? -1 : 0; turn < world.num_pairs; ++turn) {
    if (turn == first) {
      continue;
    }
    const BodyPair& pair = world.pairs[turn < 0 ? first : turn];
    const double above = gapOf(pair, workspace);
    if (above >= best) {
      continue;
    }
    const double gap = treeFromTree<Number>(
        pairOf(world.bodies[pair.one].cover, world.bodies[pair.other].cover,
               betweenBodies(world, workspace, pair)),
        above, best,
        [](const Nodes& /*nodes*/, double between, double least, double /*best*/) {
          return simd::larger(between, least);
        },
        [&](const Nodes& nodes, double between, double /*best*/) {
          nearest.leaf = leafPlace(nodes.one);
          nearest.other_leaf = leafPlace(nodes.other);
          return between;
        });
    if (gap < best) {
      best = gap;
      nearest.body = pair.one;
      nearest.other = pair.other;
    }
  }
  return best;
}

/// Calls `measure(body, primitive, gap, best)` for what may be nearer than the best; returns the
/// least that it returned.
template <class Number, class Measure>
GENERATIVE_IK_INLINE double leastFromPrimitives(const WorldView& world, const Workspace& workspace,
                                                double best, Nearest& nearest,
                                                const Measure& measure) {
  double gaps[kSiblings];  // NOLINT(*-avoid-c-arrays,*-member-init)
  for (std::int64_t b = world.num_moving - 1; b >= 0; --b) {
    const Sphere& around = workspace.spheres[b];
    withGroupsNear<Number>(
        world, around.centre, [&] { return around.radius + best; },
        [&](std::int64_t g) {
          unsigned near = gapsAround<Number>(world, g, around.centre, around.radius + best, gaps);
          while (near != 0) {
            const int lane = takeLowest(near);
            const std::int64_t p = kSiblings * g + lane;
            const double above = gaps[lane] - around.radius;
            if (world.isAllowed(b, p) || above >= best) {
              continue;
            }
            const double gap = measure(b, p, above, best);
            if (gap < best) {
              best = gap;
              nearest.body = b;
              nearest.other = -1 - p;
            }
          }
          return true;
        });
  }
  return best;
}

template <class Number>
double fromPrimitives(const WorldView& world, const Workspace& workspace, double best,
                      Nearest& nearest) {
  return leastFromPrimitives<Number>(
      world, workspace, best, nearest,
      [&](std::int64_t b, std::int64_t p, double above, double least) {
        const Body& body = world.bodies[b];
        const std::int64_t g = groupOf(p);
        return treeFromPrimitive<Number>(
            body.cover, world.kinds[g],
            primitiveSeenFrom(workspace.frames[body.frame], world.group(g), laneOf(p)), above,
            least, nearest);
      });
}

/// The lower bound for one configuration, infinite where there is nothing. Below 0 it is how deep
/// spheres are in each other, so that it grows towards what is clear.
template <class Number>
double clearance(const WorldView& world, const double* q, Workspace workspace, Nearest& nearest) {
  // What is nearest is mostly no further away than what was last, by no more than that [m].
  constexpr double kShare = 1.05;
  constexpr double kNearly = 2e-3;
  placeBodies<Number>(world, q, workspace);
  const double known = knownClearance(world, workspace, nearest);
  double first = simd::smaller(kShare * simd::larger(known, 0.0) + kNearly, kBeyond);
  while (true) {
    // What is nearest is mostly another link, and then it rules most of the obstacles out.
    double best = fromBodies<Number>(world, workspace, first, nearest);
    best = fromPrimitives<Number>(world, workspace, best, nearest);
    if (best < first) {
      return best;
    }
    if (first == kBeyond) {
      return kInfinity;
    }
    first = kBeyond;
  }
}

}  // namespace generative_ik::collision
