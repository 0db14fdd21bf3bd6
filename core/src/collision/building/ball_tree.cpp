#include "ball_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "halving.hpp"

namespace generative_ik::collision::building {
namespace {

// Rounding must not leave a child outside.
constexpr double kGrowth = 1e-12;

// The sphere around eight.
Sphere around(const Sphere* children) {
  Bounds bounds;
  for (int k = 0; k < kSiblings; ++k) {
    const Sphere& child = children[k];
    if (isThere(child)) {
      const Point r = {child.radius, child.radius, child.radius};
      bounds.add(child.centre - r);
      bounds.add(child.centre + r);
    }
  }
  if (!(bounds.low.x <= bounds.high.x)) {
    return {{0.0, 0.0, 0.0}, kEmptyRadius};
  }
  const Point middle = bounds.middle();
  double reach = 0.0;
  for (int k = 0; k < kSiblings; ++k) {
    if (isThere(children[k])) {
      reach = std::max(reach, between(children[k].centre, middle) + children[k].radius);
    }
  }
  return {middle, reach * (1.0 + kGrowth) + kGrowth};
}

}  // namespace

int depthFor(std::int64_t leaves) {
  int depth = 0;
  for (std::int64_t room = 1; room < leaves; room *= kSiblings) {
    ++depth;
  }
  return depth;
}

std::int64_t firstNode(int level) {
  std::int64_t first = kRoot;
  std::int64_t size = 1;
  for (int above = 0; above < level; ++above) {
    first += size;
    size *= kSiblings;
  }
  return first;
}

PackedTree packed(const std::vector<std::vector<Sphere>>& levels) {
  const std::int64_t nodes = firstNode(static_cast<int>(levels.size()));
  PackedTree tree;
  tree.rows.assign(static_cast<std::size_t>(nodes * kTreeRows), 0.0);
  const auto write = [&tree](std::int64_t node, const Sphere& sphere) {
    double* at = tree.rows.data() + kGroupSize * groupOf(node) + laneOf(node);
    at[0] = sphere.centre.x;
    at[kSiblings] = sphere.centre.y;
    at[2 * kSiblings] = sphere.centre.z;
    at[3 * kSiblings] = sphere.radius;
  };
  for (std::int64_t node = 0; node < kRoot; ++node) {
    write(node, {{0.0, 0.0, 0.0}, kEmptyRadius});
  }
  std::int64_t node = kRoot;
  for (const std::vector<Sphere>& level : levels) {
    for (const Sphere& sphere : level) {
      write(node++, sphere);
    }
  }
  return tree;
}

PackedTree treeAbove(std::vector<Sphere> leaves) {
  const int depth = depthFor(static_cast<std::int64_t>(leaves.size()));
  std::size_t size = std::size_t{1} << static_cast<unsigned>(3 * depth);
  std::vector<std::vector<Sphere>> levels(static_cast<std::size_t>(depth) + 1);
  leaves.resize(size, {{0.0, 0.0, 0.0}, kEmptyRadius});
  levels.back() = std::move(leaves);
  for (std::size_t level = static_cast<std::size_t>(depth); level > 0; --level) {
    size /= kSiblings;
    levels[level - 1].reserve(size);
    for (std::size_t k = 0; k < size; ++k) {
      levels[level - 1].push_back(around(levels[level].data() + kSiblings * k));
    }
  }
  return packed(levels);
}

std::vector<std::int64_t> leavesOf(const std::vector<Sphere>& spheres) {
  std::vector<Point> places;
  places.reserve(spheres.size());
  for (const Sphere& sphere : spheres) {
    places.push_back(sphere.centre);
  }
  const int depth = depthFor(static_cast<std::int64_t>(spheres.size()));
  return halved(places, std::vector<double>(places.size(), 1.0), 3 * depth);
}

PackedTree treeOver(const std::vector<Sphere>& spheres) {
  const int depth = depthFor(static_cast<std::int64_t>(spheres.size()));
  const std::vector<std::int64_t> slots = leavesOf(spheres);
  std::vector<Sphere> leaves(std::size_t{1} << static_cast<unsigned>(3 * depth),
                             {{0.0, 0.0, 0.0}, kEmptyRadius});
  for (std::size_t k = 0; k < spheres.size(); ++k) {
    leaves[static_cast<std::size_t>(slots[k])] = spheres[k];
  }
  return treeAbove(std::move(leaves));
}

void move(const RigidPose& pose, const SphereTree& tree, double* rows) {
  std::copy(tree.rows, tree.rows + kGroupSize * tree.groups, rows);
  for (std::int64_t g = 0; g < tree.groups; ++g) {
    double* group = rows + kGroupSize * g;
    for (int lane = 0; lane < kSiblings; ++lane) {
      const Point centre = moved(pose, sphereAt(group, lane).centre);
      group[lane] = centre.x;
      group[kSiblings + lane] = centre.y;
      group[2 * kSiblings + lane] = centre.z;
    }
  }
}

}  // namespace generative_ik::collision::building
