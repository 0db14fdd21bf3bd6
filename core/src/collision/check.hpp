/// The check of one configuration: free, colliding, or too close to tell.
///
/// Spheres that contain the links and are clear of everything prove a configuration free; spheres
/// inside the links that touch something prove it colliding. What is left between is undecided.
#pragma once

#include "placement.hpp"

namespace generative_ik::collision {

/// Whether one of some points (count, 3) is outside of the eight spheres below the root of a
/// cover; `frame` is the points' frame in that of the cover.
template <class Number>
GENERATIVE_IK_DEVICE bool sticksOut(const double* points, std::int64_t count,
                                    const RigidPose& frame, const SphereTree& cover) {
  const double* group = cover.group(cover.groups > 1 ? 1 : 0);
  for (std::int64_t k = 0; k < count; ++k) {
    const Point point = moved(frame, Point{points[3 * k], points[3 * k + 1], points[3 * k + 2]});
    const unsigned around = siblingsWhere<Number>([&](int first) {
      const Number radius = simd::larger(radiiOf<Number>(group, first), Number(0.0));
      return simd::bitsWhereLess(squaredFrom<Number>(point, group, first), radius * radius);
    });
    if (around == 0) {
      return true;
    }
  }
  return false;
}

/// The verdict on a body and a primitive.
template <class Number>
GENERATIVE_IK_DEVICE Verdict checkPrimitive(const WorldView& world, const Workspace& workspace,
                                            std::int64_t b, std::int64_t p, double sure) {
  const Body& body = world.bodies[b];
  const std::int64_t g = groupOf(p);
  const PrimitiveKind kind = world.kinds[g];
  const RigidPose& frame = workspace.frames[body.frame];
  const Primitive<double> primitive = primitiveSeenFrom(frame, world.group(g), laneOf(p));
  if (!touchesPrimitive<Number>(body.cover, kind, primitive, world.margin + sure)) {
    return Verdict::kFree;
  }
  if (body.inner.groups == 0 || !touchesPrimitive<Number>(body.inner, kind, primitive,
                                                          world.margin - CollisionWorld::kSure)) {
    return Verdict::kUndecided;
  }
  // An obstacle that is wholly inside a mesh does not touch the mesh itself.
  constexpr int kCorners = 8;
  const bool out = body.exact || sticksOut<Number>(world.corners + 3 * kCorners * p, kCorners,
                                                   inverted(frame), body.cover);
  return out ? Verdict::kColliding : Verdict::kInside;
}

/// The verdict on two bodies.
template <class Number>
GENERATIVE_IK_DEVICE Verdict checkBodies(const WorldView& world, const Workspace& workspace,
                                         const BodyPair& pair, double sure) {
  const Body& one = world.bodies[pair.one];
  const Body& other = world.bodies[pair.other];
  const TreePair covers = pairOf(one.cover, other.cover, betweenBodies(world, workspace, pair));
  if (!touchesTree<Number>(covers, pair.margin + sure)) {
    return Verdict::kFree;
  }
  if (one.inner.groups == 0 || other.inner.groups == 0 ||
      !touchesTree<Number>({one.inner, other.inner, covers.other_in_one, covers.one_in_other},
                           pair.margin - CollisionWorld::kSure)) {
    return Verdict::kUndecided;
  }
  const bool out =
      (one.exact && other.exact) ||
      (sticksOut<Number>(one.extremes, one.num_extremes, covers.one_in_other, other.cover) &&
       sticksOut<Number>(other.extremes, other.num_extremes, covers.other_in_one, one.cover));
  return out ? Verdict::kColliding : Verdict::kInside;
}

/// Notes a verdict on a pair; says whether the check is over.
GENERATIVE_IK_INLINE bool note(Contacts& contacts, Verdict& worst, const Contact& contact) {
  if (contact.verdict == Verdict::kFree) {
    return false;
  }
  if (worst < contact.verdict) {
    worst = contact.verdict;
  }
  if (contacts.count < contacts.room) {
    contacts.written[contacts.count] = contact;
  }
  ++contacts.count;
  return worst == Verdict::kColliding && contacts.room == 0;
}

/// Checks bodies against primitives, from those near the tip to those near the base.
template <class Number>
GENERATIVE_IK_DEVICE Verdict againstPrimitives(const WorldView& world, const Workspace& workspace,
                                               double sure, Contacts& contacts) {
  Verdict worst = Verdict::kFree;
  bool over = false;
  for (std::int64_t b = world.num_moving - 1; b >= 0 && !over; --b) {
    const Sphere& around = workspace.spheres[b];
    const double reach = around.radius + world.margin + sure;
    withGroupsNear<Number>(
        world, around.centre, [reach] { return reach; },
        [&](std::int64_t g) {
          unsigned near = siblingsWhere<Number>([&](int first) {
            const auto some = primitivesOf<Number>(world.group(g), first);
            return simd::bitsWhereLess(signedDistance(world.kinds[g], some, around.centre),
                                       Number(reach));
          });
          while (near != 0 && !over) {
            const std::int64_t p = kSiblings * g + takeLowest(near);
            if (!world.isAllowed(b, p)) {
              over = note(contacts, worst,
                          {b, -1 - p, checkPrimitive<Number>(world, workspace, b, p, sure)});
            }
          }
          return !over;
        });
  }
  return worst;
}

template <class Number>
GENERATIVE_IK_DEVICE Verdict againstBodies(const WorldView& world, const Workspace& workspace,
                                           double sure, Contacts& contacts, Verdict worst) {
  for (std::int64_t k = 0; k < world.num_pairs; ++k) {
    const BodyPair& pair = world.pairs[k];
    if (!areNearer(pair, workspace, pair.margin + sure)) {
      continue;
    }
    if (note(contacts, worst,
             {pair.one, pair.other, checkBodies<Number>(world, workspace, pair, sure)})) {
      break;
    }
  }
  return worst;
}

template <class Number>
GENERATIVE_IK_DEVICE Verdict check(const WorldView& world, const double* q, double sure,
                                   Workspace workspace, Contacts& contacts) {
  placeBodies<Number>(world, q, workspace);
  const Verdict worst = againstPrimitives<Number>(world, workspace, sure, contacts);
  if (worst == Verdict::kColliding && contacts.room == 0) {
    return worst;
  }
  return againstBodies<Number>(world, workspace, sure, contacts, worst);
}

}  // namespace generative_ik::collision
