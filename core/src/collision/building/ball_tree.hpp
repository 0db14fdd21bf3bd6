/// Trees of spheres as they are built: eight below each, packed as kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "../sphere_tree.hpp"
#include "triangles.hpp"

namespace generative_ik::collision::building {

/// Radius of a node that contains nothing.
inline constexpr double kEmptyRadius = -1e30;

inline bool isThere(const Sphere& ball) {
  return ball.radius > kEmptyRadius / 2.0;
}

/// Groups of eight siblings, four rows each: x, y, z and radius. The root stands alone in the last
/// lane of group 0, so that the children of lane i of group g are group 8 g + i - 6. All leaves
/// are on one level; where there is nothing, the radius is `kEmptyRadius`. A node's sphere
/// contains what the leaves below it stand for, not these leaves' whole spheres.
struct PackedTree {
  [[nodiscard]] std::int64_t groups() const {
    return static_cast<std::int64_t>(rows.size()) / kGroupSize;
  }
  [[nodiscard]] SphereTree view() const { return {rows.data(), groups()}; }

  std::vector<double> rows;
};

/// Levels below the root of a tree that has room for some leaves.
int depthFor(std::int64_t leaves);

/// The node of the first sphere of a level; those of a level follow each other.
std::int64_t firstNode(int level);

/// Packs levels: level l has 8^l spheres.
PackedTree packed(const std::vector<std::vector<Sphere>>& levels);

/// Builds the levels above leaves, neighbours in which lie near each other. A parent's sphere is
/// centred in the box around its children.
PackedTree treeAbove(std::vector<Sphere> leaves);

/// Which leaf of `treeOver` each of some spheres is.
std::vector<std::int64_t> leavesOf(const std::vector<Sphere>& spheres);

/// Builds a tree whose leaves are spheres, those near each other below one parent.
PackedTree treeOver(const std::vector<Sphere>& spheres);

/// Writes a tree with its centres moved.
void move(const RigidPose& pose, const SphereTree& tree, double* rows);

}  // namespace generative_ik::collision::building
