#include "world_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "../simd/constants.hpp"
#include "convex_distance.hpp"
#include "shape_distance.hpp"

namespace generative_ik::collision {
namespace {

constexpr std::int64_t kFrameFloats = 35;
constexpr std::int64_t kFrameInts = 3;
constexpr std::int64_t kBodyInts = 8;
constexpr std::int64_t kCornerFloats = 24;
// Where primitives are that fill up a group of eight is further than this [m].
constexpr double kFar = 1e8;
// Radii below are those of spheres that contain nothing [m].
constexpr double kEmpty = -1e29;
// No length that is compared with these is greater, so that what is empty is near to nothing [m].
constexpr double kLongest = 1e12;

void require(bool condition, const char* fault) {
  if (!condition) {
    throw std::invalid_argument(std::string("collision world: ") + fault);
  }
}

// How many rows of some numbers there are.
template <class Number>
std::int64_t rowsOf(const std::vector<Number>& numbers, std::int64_t width, const char* fault) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  require(size % width == 0, fault);
  return size / width;
}

bool isWithin(std::int64_t first, std::int64_t count, std::int64_t size) {
  return first >= 0 && count >= 0 && count <= size && first <= size - count;
}

Point pointAt(const double* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

Rotation rotationAt(const double* numbers) {
  return {pointAt(numbers), pointAt(numbers + 3), pointAt(numbers + 6)};
}

std::vector<MovingFrame> framesOf(const CollisionWorldArrays& arrays) {
  const std::int64_t count = rowsOf(arrays.frames, kFrameFloats, "frames: not rows of 35");
  require(rowsOf(arrays.frame_ints, kFrameInts, "frame_ints: not rows of 3") == count,
          "frames and frame_ints differ in length");
  std::vector<MovingFrame> frames;
  for (std::int64_t f = 0; f < count; ++f) {
    const double* numbers = arrays.frames.data() + kFrameFloats * f;
    const std::int64_t* ints = arrays.frame_ints.data() + kFrameInts * f;
    require(ints[0] >= 0 && ints[0] <= f, "frame_ints: a parent does not come first");
    require(ints[2] >= 0 && ints[2] < arrays.num_variables, "frame_ints: no such variable");
    frames.push_back({rotationAt(numbers), rotationAt(numbers + 9), rotationAt(numbers + 18),
                      pointAt(numbers + 27), pointAt(numbers + 30), numbers[33], numbers[34],
                      ints[0], ints[2], ints[1] != 0});
  }
  return frames;
}

// A tree of some rows of eight; the lanes beside its root must be empty, for nothing is below.
SphereTree treeIn(const std::vector<double>& numbers, std::int64_t row, std::int64_t groups) {
  const auto rows = static_cast<std::int64_t>(numbers.size()) / kSiblings;
  require(groups >= 0 && groups < kMostGroups && isWithin(row, kTreeRows * groups, rows),
          "a tree is outside of the rows");
  const SphereTree tree = {numbers.data() + kSiblings * row, groups};
  for (int lane = 0; groups > 0 && lane < kRoot; ++lane) {
    require(sphereAt(tree.rows, lane).radius < kEmpty, "beside a tree's root there are spheres");
  }
  for (std::int64_t node = kRoot; node < kSiblings * groups; ++node) {
    require(sphereOf(tree, node).radius < kLongest, "a sphere's radius is too large");
  }
  return tree;
}

std::vector<Body> bodiesOf(const CollisionWorldArrays& arrays, const World& world) {
  const std::int64_t count = rowsOf(arrays.bodies, kBodyInts, "bodies: not rows of 8");
  const std::int64_t points = rowsOf(world.extremes, 3, "extremes: not rows of 3");
  rowsOf(world.trees, kSiblings, "trees: not rows of 8");
  std::vector<Body> bodies;
  for (std::int64_t b = 0; b < count; ++b) {
    const std::int64_t* ints = arrays.bodies.data() + kBodyInts * b;
    require(ints[0] >= 0 && ints[0] <= static_cast<std::int64_t>(world.frames.size()),
            "bodies: no such frame");
    require(ints[2] > 0, "bodies: one without spheres around");
    require(isWithin(ints[6], ints[7], points), "bodies: extremes outside of those given");
    bodies.push_back({ints[0], treeIn(world.trees, ints[1], ints[2]),
                      treeIn(world.trees, ints[3], ints[4]), ints[5] != 0,
                      world.extremes.data() + 3 * ints[6], ints[7]});
  }
  return bodies;
}

std::vector<BodyPair> pairsOf(const CollisionWorldArrays& arrays, std::int64_t num_bodies) {
  const std::int64_t count = rowsOf(arrays.pairs, 2, "pairs: not rows of 2");
  require(static_cast<std::int64_t>(arrays.margins.size()) == count,
          "pairs and margins differ in length");
  std::vector<BodyPair> pairs;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const BodyPair pair = {arrays.pairs[2 * at], arrays.pairs[2 * at + 1], arrays.margins[at]};
    require(isWithin(pair.one, 1, num_bodies) && isWithin(pair.other, 1, num_bodies),
            "pairs: no such body");
    require(std::fabs(pair.margin) < kLongest, "margins: too large");
    pairs.push_back(pair);
  }
  return pairs;
}

// Spheres around each group of primitives, as siblings in groups of eight. Most groups are then
// passed over eight at a time.
std::vector<double> spheresAround(const std::vector<double>& primitives, std::int64_t groups) {
  const std::int64_t blocks = (groups + kSiblings - 1) / kSiblings;
  std::vector<double> rows(static_cast<std::size_t>(kGroupSize * blocks), 0.0);
  for (std::int64_t g = 0; g < kSiblings * blocks; ++g) {
    double* sphere = rows.data() + kGroupSize * (g / kSiblings) + g % kSiblings;
    double& radius = sphere[3 * kSiblings];
    radius = 10.0 * kEmpty;
    if (g >= groups) {
      continue;
    }
    const double* group = primitives.data() + kPrimitiveRows * kSiblings * g;
    const auto is_there = [group](int lane) { return !(std::fabs(group[lane]) > kFar); };
    for (int axis = 0; axis < 3; ++axis) {
      double low = kInfinity;
      double high = -kInfinity;
      for (int lane = 0; lane < kSiblings; ++lane) {
        if (is_there(lane)) {
          low = std::min(low, group[kSiblings * axis + lane]);
          high = std::max(high, group[kSiblings * axis + lane]);
        }
      }
      sphere[kSiblings * axis] = low <= high ? 0.5 * (low + high) : 0.0;
    }
    const Point centre = {sphere[0], sphere[kSiblings], sphere[2 * kSiblings]};
    for (int lane = 0; lane < kSiblings; ++lane) {
      if (is_there(lane)) {
        const double far =
            lengthOf(sphereAt(group, lane).centre - centre) + group[kSiblings * kAroundRow + lane];
        // Rounding must not leave a primitive outside.
        radius = std::max(radius, far * (1.0 + 1e-12) + 1e-12);
      }
    }
  }
  return rows;
}

}  // namespace

World::World(const CollisionWorldArrays& arrays)
    : num_variables(arrays.num_variables),
      frames(framesOf(arrays)),
      trees(arrays.trees),
      extremes(arrays.extremes),
      primitives(arrays.primitives),
      corners(arrays.corners) {
  bodies = bodiesOf(arrays, *this);
  const auto num_bodies = static_cast<std::int64_t>(bodies.size());
  pairs = pairsOf(arrays, num_bodies);
  require(isWithin(0, arrays.num_moving, num_bodies), "num_moving: more than there are bodies");
  const auto groups = static_cast<std::int64_t>(arrays.kinds.size());
  const std::int64_t lanes = kSiblings * groups;
  require(rowsOf(primitives, kPrimitiveRows * kSiblings, "primitives: not (G, 17, 8)") == groups &&
              rowsOf(corners, kCornerFloats, "corners: not (8 G, 8, 3)") == lanes,
          "primitives, corners and kinds differ in length");
  for (const std::int64_t kind : arrays.kinds) {
    require(kind == 0 || kind == 1, "kinds: neither 0 nor 1");
    kinds.push_back(static_cast<PrimitiveKind>(kind));
  }
  require(std::all_of(primitives.begin(), primitives.end(),
                      [](double number) { return std::fabs(number) < kLongest; }) &&
              std::fabs(arrays.margin) < kLongest,
          "primitives, margin: a number is too large");
  group_rows = spheresAround(primitives, groups);
  const std::int64_t some = rowsOf(arrays.allowed, 2, "allowed: not rows of 2");
  if (some > 0) {
    // NOLINTNEXTLINE(*-avoid-c-arrays)
    allowed = std::make_unique<bool[]>(static_cast<std::size_t>(arrays.num_moving * lanes));
  }
  for (std::int64_t k = 0; k < some; ++k) {
    const std::int64_t body = arrays.allowed[static_cast<std::size_t>(2 * k)];
    const std::int64_t primitive = arrays.allowed[static_cast<std::size_t>(2 * k + 1)];
    require(isWithin(body, 1, arrays.num_moving) && isWithin(primitive, 1, lanes),
            "allowed: no such body or primitive");
    allowed[static_cast<std::size_t>(body * lanes + primitive)] = true;
  }
  view = {frames.data(),
          static_cast<std::int64_t>(frames.size()),
          bodies.data(),
          num_bodies,
          arrays.num_moving,
          pairs.data(),
          static_cast<std::int64_t>(pairs.size()),
          primitives.data(),
          kinds.data(),
          corners.data(),
          group_rows.data(),
          (groups + kSiblings - 1) / kSiblings,
          lanes,
          allowed.get(),
          arrays.margin};
}

namespace {

// Whether a number is a whole one from 0 to some other.
bool isCount(double number, std::int64_t most) {
  return number >= 0.0 && number <= static_cast<double>(most) && number == std::floor(number);
}

void requirePiece(const std::vector<double>& pieces, std::int64_t place, bool with_triangles) {
  const auto size = static_cast<std::int64_t>(pieces.size());
  require(isWithin(place, kPieceHead, size), "a piece is outside of those given");
  const Piece piece = {pieces.data() + place};
  require(
      isCount(piece.head[0], size) && isCount(piece.head[3], size) && isCount(piece.head[4], size),
      "a piece has no number of points or triangles");
  const std::int64_t count = piece.numPoints();
  require(count < kSiblings || count % kSiblings == 0, "points do not come in groups of eight");
  require(isWithin(place + kPieceHead, 3 * std::max<std::int64_t>(count, 1), size),
          "points are outside of those given");
  require(with_triangles || piece.numTriangles() == 0, "a triangle has triangles");
  for (std::int64_t k = 0; k < piece.numTriangles(); ++k) {
    requirePiece(pieces, piece.firstTriangle() + kTriangleSize * k, false);
  }
}

}  // namespace

Shapes::Shapes(const World& world, const ShapeArrays& arrays)
    : pieces(arrays.pieces), places(arrays.places) {
  const auto size = static_cast<std::int64_t>(places.size());
  const std::int64_t heads = kBodyPlaces * world.view.num_bodies;
  require(isWithin(heads, world.view.num_lanes, size), "places: shorter than there are things");
  for (std::int64_t b = 0; b < world.view.num_bodies; ++b) {
    const std::int64_t* head = places.data() + kBodyPlaces * b;
    const SphereTree tree = treeIn(pieces, head[0], head[1]);
    require(tree.groups > 0 && isWithin(head[2], kSiblings * tree.groups, size),
            "places: a list is outside of those given");
    for (std::int64_t node = 0; node < kSiblings * tree.groups; ++node) {
      const std::int64_t place = places[static_cast<std::size_t>(head[2] + node)];
      if (place >= 0) {
        requirePiece(pieces, place, true);
      }
    }
  }
  for (std::int64_t p = 0; p < world.view.num_lanes; ++p) {
    const std::int64_t place = places[static_cast<std::size_t>(heads + p)];
    // What fills up a group has none, and is further away than anything is looked for.
    const std::int64_t lane = p % kSiblings;
    const bool fills = std::fabs(world.view.group(p / kSiblings)[lane]) > kFar;
    require(place >= 0 || fills, "places: a primitive without a piece");
    if (place >= 0) {
      requirePiece(pieces, place, true);
    }
  }
  view = {&world.view, pieces.data(), places.data()};
}

}  // namespace generative_ik::collision
