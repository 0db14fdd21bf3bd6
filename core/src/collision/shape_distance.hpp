/// Distances between the robot and everything else, by the shapes themselves.
///
/// As for clearances, sphere trees say what can be near, but their leaves stand for convex pieces
/// of the shapes, and the distance of two leaves is that of their pieces. The two that were
/// nearest last are measured first: what their distance rules out is mostly all the rest.
#pragma once

#include "../simd/constants.hpp"
#include "clearance.hpp"
#include "convex_distance.hpp"

namespace generative_ik::collision {

/// Places of a body: its tree's first row and groups, and where the pieces of its nodes are
/// listed. Behind those of all bodies comes the piece of each lane of primitives, or -1.
inline constexpr int kBodyPlaces = 3;

GENERATIVE_IK_INLINE SphereTree treeOf(const ShapesView& shapes, std::int64_t body) {
  const std::int64_t* places = shapes.places + kBodyPlaces * body;
  return {shapes.pieces + kSiblings * places[0], places[1]};
}

/// The place of the piece of a node, or -1: a node above leaves may have none.
GENERATIVE_IK_INLINE std::int64_t pieceOfNode(const ShapesView& shapes, std::int64_t body,
                                              std::int64_t node) {
  return shapes.places[shapes.places[kBodyPlaces * body + 2] + node];
}

/// The distance of two leaves' pieces, of the triangles in their hulls, or `best`; which are
/// nearest is noted, if they are nearer than `best`.
template <class Number>
double surfacesApart(const ShapesView& shapes, std::int64_t one, std::int64_t other,
                     const RigidPose& other_in_one, double best, Nearest& nearest) {
  const auto piece = [&shapes](std::int64_t place) { return Piece{shapes.pieces + place}; };
  const double apart = piecesApart<Number>(piece(one), piece(other), other_in_one, best);
  if (apart >= best) {
    return best;
  }
  const std::int64_t parts = piece(one).numTriangles();
  const std::int64_t other_parts = piece(other).numTriangles();
  if (parts == 0 && other_parts == 0) {
    nearest.leaf = one;
    nearest.other_leaf = other;
    return apart;
  }
  for (std::int64_t i = 0; i < (parts > 0 ? parts : 1); ++i) {
    const std::int64_t a = parts > 0 ? piece(one).firstTriangle() + kTriangleSize * i : one;
    if (other_parts > 0 &&
        piecesApart<Number>(piece(a), piece(other), other_in_one, best) >= best) {
      continue;
    }
    for (std::int64_t j = 0; j < (other_parts > 0 ? other_parts : 1); ++j) {
      const std::int64_t b =
          other_parts > 0 ? piece(other).firstTriangle() + kTriangleSize * j : other;
      const double gap = piecesApart<Number>(piece(a), piece(b), other_in_one, best);
      if (gap < best) {
        best = gap;
        nearest.leaf = a;
        nearest.other_leaf = b;
      }
    }
  }
  return best;
}

/// The distance of the piece nearest to a primitive's, or `best` if that is less.
template <class Number>
double surfaceFromPrimitive(const ShapesView& shapes, std::int64_t body, std::int64_t p,
                            const RigidPose& frame, double best, Nearest& nearest) {
  const SphereTree tree = treeOf(shapes, body);
  const WorldView& world = *shapes.world;
  const std::int64_t g = groupOf(p);
  const PrimitiveKind kind = world.kinds[g];
  const Primitive<double> primitive = primitiveSeenFrom(frame, world.group(g), laneOf(p));
  const std::int64_t other = shapes.places[kBodyPlaces * world.num_bodies + p];
  const RigidPose root_in_frame = inverted(frame);
  std::int64_t stack[kStack];  // NOLINT(*-avoid-c-arrays,*-member-init)
  double gaps[kSiblings];      // NOLINT(*-avoid-c-arrays,*-member-init)
  stack[0] = 0;
  int top = 1;
  while (top > 0) {
    const std::int64_t of_group = stack[--top];
    unsigned near = gapsFrom<Number>(kind, primitive, tree.group(of_group), best, gaps);
    while (near != 0) {
      const int lane = takeLowest(near);
      if (gaps[lane] >= best) {
        continue;
      }
      const std::int64_t node = kSiblings * of_group + lane;
      const std::int64_t one = pieceOfNode(shapes, body, node);
      const bool leaf = groupBelow(node) >= tree.groups;
      if (leaf && one >= 0) {
        best = surfacesApart<Number>(shapes, one, other, root_in_frame, best, nearest);
      } else if (!leaf &&
                 (one < 0 || piecesApart<Number>({shapes.pieces + one}, {shapes.pieces + other},
                                                 root_in_frame, best) < best)) {
        stack[top++] = groupBelow(node);
      }
    }
  }
  return best;
}

/// The distance of the two pieces that were nearest last, if any were.
template <class Number>
GENERATIVE_IK_INLINE double knownDistance(const ShapesView& shapes, const Workspace& workspace,
                                          const Nearest& nearest) {
  if (nearest.body < 0) {
    return kBeyond;
  }
  const Body* bodies = shapes.world->bodies;
  const std::int64_t frame = bodies[nearest.body].frame;
  const std::int64_t other = nearest.other >= 0 ? bodies[nearest.other].frame : 0;
  return piecesApart<Number>({shapes.pieces + nearest.leaf}, {shapes.pieces + nearest.other_leaf},
                             seenFrom(workspace.frames[frame], workspace.frames[other]), kBeyond);
}

/// The distance of the pieces of two bodies that are nearest, or `best` if that is less.
template <class Number>
double surfaceFromSurface(const ShapesView& shapes, const Workspace& workspace,
                          const BodyPair& pair, double best, Nearest& nearest) {
  const RigidPose there = betweenBodies(*shapes.world, workspace, pair);
  const auto pieces = [&](const Nodes& nodes) {
    return Nodes{pieceOfNode(shapes, pair.one, nodes.one),
                 pieceOfNode(shapes, pair.other, nodes.other)};
  };
  return treeFromTree<Number>(
      pairOf(treeOf(shapes, pair.one), treeOf(shapes, pair.other), there), -kInfinity, best,
      [&](const Nodes& nodes, double between, double /*above*/, double least) {
        const auto [one, other] = pieces(nodes);
        return one < 0 || other < 0 ? between
                                    : piecesApart<Number>({shapes.pieces + one},
                                                          {shapes.pieces + other}, there, least);
      },
      [&](const Nodes& nodes, double /*between*/, double least) {
        const auto [one, other] = pieces(nodes);
        return one < 0 || other < 0
                   ? least
                   : surfacesApart<Number>(shapes, one, other, there, least, nearest);
      });
}

/// The distance of a body and another, or a primitive, in a configuration for which the workspace
/// was filled, or `best` if that is less.
template <class Number>
double contactDistance(const ShapesView& shapes, const Contact& contact, double best,
                       Workspace workspace) {
  Nearest nearest;
  if (contact.other < 0) {
    const std::int64_t frame = shapes.world->bodies[contact.body].frame;
    return surfaceFromPrimitive<Number>(shapes, contact.body, -1 - contact.other,
                                        workspace.frames[frame], best, nearest);
  }
  return surfaceFromSurface<Number>(shapes, workspace, {contact.body, contact.other, 0.0}, best,
                                    nearest);
}

template <class Number>
double fromSurfaces(const ShapesView& shapes, const Workspace& workspace, double best,
                    Nearest& nearest) {
  const WorldView& world = *shapes.world;
  const std::int64_t first = nearestPair(world, workspace);
  for (std::int64_t turn = world.num_pairs > 0 ? -1 : 0; turn < world.num_pairs; ++turn) {
    const BodyPair& pair = world.pairs[turn < 0 ? first : turn];
    if (turn == first || gapOf(pair, workspace) >= best) {
      continue;
    }
    const double gap = surfaceFromSurface<Number>(shapes, workspace, pair, best, nearest);
    if (gap < best) {
      best = gap;
      nearest.body = pair.one;
      nearest.other = pair.other;
    }
  }
  return best;
}

/// The distance for one configuration, infinite where there is nothing.
template <class Number>
double distance(const ShapesView& shapes, const double* q, Workspace workspace, Nearest& nearest) {
  const WorldView& world = *shapes.world;
  placeBodies<Number>(world, q, workspace);
  double best = knownDistance<Number>(shapes, workspace, nearest);
  best = fromSurfaces<Number>(shapes, workspace, best, nearest);
  best = leastFromPrimitives<Number>(
      world, workspace, best, nearest,
      [&](std::int64_t b, std::int64_t p, double /*above*/, double least) {
        return surfaceFromPrimitive<Number>(shapes, b, p, workspace.frames[world.bodies[b].frame],
                                            least, nearest);
      });
  return best < kBeyond ? best : kInfinity;
}

}  // namespace generative_ik::collision
