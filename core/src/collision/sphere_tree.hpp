/// Trees of spheres, eight below each, and the search for spheres that touch something.
#pragma once

#include <cstdint>

#include "primitive.hpp"

namespace generative_ik::collision {

/// Siblings side by side, whatever the width of the lanes.
inline constexpr int kSiblings = 8;
/// Rows of eight siblings: x, y, z and radius.
inline constexpr int kTreeRows = 4;
/// Numbers of a group of siblings.
inline constexpr int kGroupSize = kSiblings * kTreeRows;
/// The root's node: the last lane of group 0. Node 8 g + i is lane i of group g.
inline constexpr std::int64_t kRoot = kSiblings - 1;
/// Entries of a stack. Eight below each of at most 14 levels of two trees need 200.
inline constexpr int kStack = 256;
/// Groups of a tree at most.
inline constexpr std::int64_t kMostGroups = std::int64_t{1} << 40;

/// A tree in the frame of its body. What would be the group below a leaf is beyond the last.
struct SphereTree {
  const double* rows;
  std::int64_t groups;

  [[nodiscard]] GENERATIVE_IK_INLINE const double* group(std::int64_t g) const {
    return rows + kGroupSize * g;
  }
};

/// A node's group, and its lane there; nodes are not negative, for which compilers divide.
GENERATIVE_IK_INLINE std::int64_t groupOf(std::int64_t node) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(node) / kSiblings);
}

GENERATIVE_IK_INLINE int laneOf(std::int64_t node) {
  return static_cast<int>(static_cast<std::uint64_t>(node) % kSiblings);
}

/// The group below a node.
GENERATIVE_IK_INLINE std::int64_t groupBelow(std::int64_t node) {
  return node - (kSiblings - 2);
}

/// The siblings for which a condition holds, as bits; `bits_of` returns those of the lanes from
/// `first` on, as many as there are in a `Number`.
template <class Number, class Function>
GENERATIVE_IK_INLINE unsigned siblingsWhere(const Function& bits_of) {
  unsigned bits = 0;
  for (int first = 0; first < kSiblings; first += simd::kWidth<Number>) {
    bits |= bits_of(first) << static_cast<unsigned>(first);
  }
  return bits;
}

/// Takes the lowest of some bits out; returns its place.
GENERATIVE_IK_INLINE int takeLowest(unsigned& bits) {
  const int lowest = simd::lowestOf(bits);
  bits &= bits - 1;
  return lowest;
}

/// Centres of siblings.
template <class Number>
GENERATIVE_IK_INLINE simd::Vector3<Number> centresOf(const double* group, int first) {
  return {simd::load<Number>(group + first), simd::load<Number>(group + kSiblings + first),
          simd::load<Number>(group + 2 * kSiblings + first)};
}

template <class Number>
GENERATIVE_IK_INLINE Number radiiOf(const double* group, int first) {
  return simd::load<Number>(group + 3 * kSiblings + first);
}

/// A sphere of a tree.
struct Sphere {
  Point centre;
  double radius;
};

GENERATIVE_IK_INLINE Sphere sphereAt(const double* group, int lane) {
  return {{group[lane], group[kSiblings + lane], group[2 * kSiblings + lane]},
          group[3 * kSiblings + lane]};
}

GENERATIVE_IK_INLINE Sphere sphereOf(const SphereTree& tree, std::int64_t node) {
  return sphereAt(tree.group(groupOf(node)), laneOf(node));
}

/// Whether a leaf of a tree is nearer to a primitive in its frame than `margin`; below 0, deeper
/// in it than that [m].
template <class Number>
GENERATIVE_IK_DEVICE bool touchesPrimitive(const SphereTree& tree, PrimitiveKind kind,
                                           const Primitive<double>& primitive, double margin) {
  std::int64_t stack[kStack];  // NOLINT(*-avoid-c-arrays,*-member-init)
  stack[0] = 0;
  int top = 1;
  while (top > 0) {
    const std::int64_t g = stack[--top];
    const double* group = tree.group(g);
    unsigned near = siblingsWhere<Number>([&](int first) {
      const Number gap = signedDistance(kind, primitive, centresOf<Number>(group, first));
      return simd::bitsWhereLess(gap, radiiOf<Number>(group, first) + Number(margin));
    });
    while (near != 0) {
      const std::int64_t below = groupBelow(kSiblings * g + takeLowest(near));
      if (below >= tree.groups) {
        return true;
      }
      stack[top++] = below;
    }
  }
  return false;
}

/// Two trees, and each one's frame in that of the other.
struct TreePair {
  SphereTree one;
  SphereTree other;
  RigidPose other_in_one;
  RigidPose one_in_other;
};

GENERATIVE_IK_INLINE TreePair pairOf(const SphereTree& one, const SphereTree& other,
                                     const RigidPose& other_in_one) {
  return {one, other, other_in_one, inverted(other_in_one)};
}

/// A group of one tree of a pair, and a node of the other.
struct Meeting {
  std::int64_t group;
  std::int64_t node;
  bool swapped;  ///< Whether the group is of the other tree.
  double above;  ///< How far apart the spheres above are at least [m].
};

/// A copy number by number: what was written so is slow to load as a whole.
GENERATIVE_IK_INLINE Meeting copyOf(const Meeting& meeting) {
  return {meeting.group, meeting.node, meeting.swapped, meeting.above};
}

/// What is needed of a meeting: the group, and the node's sphere in the frame of its tree.
struct MeetingSpheres {
  const double* group;
  std::int64_t groups;  ///< Of the group's tree.
  std::int64_t nodes;   ///< Groups of the node's tree.
  Sphere node;
};

GENERATIVE_IK_INLINE MeetingSpheres spheresOf(const TreePair& pair, const Meeting& meeting) {
  const SphereTree& tree = meeting.swapped ? pair.other : pair.one;
  const SphereTree& node_tree = meeting.swapped ? pair.one : pair.other;
  Sphere node = sphereOf(node_tree, meeting.node);
  node.centre = moved(meeting.swapped ? pair.one_in_other : pair.other_in_one, node.centre);
  return {tree.group(meeting.group), tree.groups, node_tree.groups, node};
}

/// Squared distances between the centres of siblings and a point.
template <class Number>
GENERATIVE_IK_INLINE Number squaredFrom(const Point& point, const double* group, int first) {
  const simd::Vector3<Number> way = centresOf<Number>(group, first) - point;
  return dot(way, way);
}

/// Writes the meeting below a lane of the group and the node; false if both are leaves.
GENERATIVE_IK_INLINE bool descend(const Meeting& from, const MeetingSpheres& spheres, int lane,
                                  Meeting& to) {
  const std::int64_t node = kSiblings * from.group + lane;
  const std::int64_t below = groupBelow(node);
  const std::int64_t node_below = groupBelow(from.node);
  const bool leaf = below >= spheres.groups;
  const bool node_leaf = node_below >= spheres.nodes;
  if (leaf && node_leaf) {
    return false;
  }
  const bool larger = spheres.group[3 * kSiblings + lane] >= spheres.node.radius;
  if (node_leaf || (larger && !leaf)) {
    to = {below, from.node, from.swapped, 0.0};
  } else {
    to = {node_below, node, !from.swapped, 0.0};
  }
  return true;
}

/// Whether leaves of two trees are nearer to each other than `margin`, as above.
template <class Number>
GENERATIVE_IK_DEVICE bool touchesTree(const TreePair& pair, double margin) {
  const Number none = 0.0;
  Meeting stack[kStack];  // NOLINT(*-avoid-c-arrays,*-member-init)
  stack[0] = {0, kRoot, false, 0.0};
  int top = 1;
  while (top > 0) {
    const Meeting meeting = copyOf(stack[--top]);
    const MeetingSpheres spheres = spheresOf(pair, meeting);
    unsigned near = siblingsWhere<Number>([&](int first) {
      // Empty spheres have radii far below 0, whose squares must not count.
      const Number reach = simd::larger(
          radiiOf<Number>(spheres.group, first) + Number(spheres.node.radius + margin), none);
      return simd::bitsWhereLess(squaredFrom<Number>(spheres.node.centre, spheres.group, first),
                                 reach * reach);
    });
    while (near != 0) {
      if (!descend(meeting, spheres, takeLowest(near), stack[top])) {
        return true;
      }
      ++top;
    }
  }
  return false;
}

}  // namespace generative_ik::collision
