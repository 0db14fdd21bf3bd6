/// The arrays of a world, checked, and what kernels read of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "world.hpp"

namespace generative_ik::collision {

/// Owns what its view points to.
struct World {
  /// Throws std::invalid_argument if the arrays are not consistent.
  explicit World(const CollisionWorldArrays& arrays);

  WorldView view{};
  std::int64_t num_variables = 0;
  std::vector<MovingFrame> frames;
  std::vector<Body> bodies;
  std::vector<BodyPair> pairs;
  std::vector<double> trees;
  std::vector<double> extremes;
  std::vector<double> primitives;
  std::vector<PrimitiveKind> kinds;
  std::vector<double> corners;
  std::vector<double> group_rows;
  std::unique_ptr<bool[]> allowed;  // NOLINT(*-avoid-c-arrays): a vector of bools has bits
};

struct Shapes {
  /// Throws std::invalid_argument if the arrays are not consistent.
  Shapes(const World& world, const ShapeArrays& arrays);

  ShapesView view{};
  std::vector<double> pieces;
  std::vector<std::int64_t> places;
};

}  // namespace generative_ik::collision
