// Stored seeds: capability maps, postures of trees and their limbs.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <parallel/for_each.hpp>
#include <samplers/capability_map.hpp>
#include <samplers/stored_postures.hpp>
#include <samplers/tip_places.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using samplers::CapabilityMap;
using samplers::EndKind;
using samplers::Ends;

/// The numbers of an `Ends`.
using EndNumbers =
    std::tuple<std::int64_t, std::int64_t, double, std::int64_t, std::int64_t, double>;

/// Checked ends of a chain of some variables.
Ends endsOf(const EndNumbers& numbers, std::int64_t num_variables) {
  const auto& [first, first_variable, first_sign, last, last_variable, last_sign] = numbers;
  const auto is_variable = [num_variables](std::int64_t v) { return v >= 0 && v < num_variables; };
  if (first < 0 || first > 2 || last < 0 || last > 1 || !is_variable(first_variable) ||
      !is_variable(last_variable)) {
    throw py::value_error("ends: not those of a chain of " + std::to_string(num_variables) +
                          " joints");
  }
  return {static_cast<EndKind>(first), first_variable, first_sign,
          static_cast<EndKind>(last),  last_variable,  last_sign};
}

void reducePoses(const EndNumbers& ends, const py::array& poses, py::array azimuths,
                 py::array turned, py::array coordinates) {
  const auto* from = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = poses.shape(0);
  // Which variables the ends are makes no difference here.
  const Ends joints = endsOf(ends, std::int64_t{1} << 32);
  auto* angles = writable<double>(azimuths, "azimuths", Shape<1>{count});
  auto* out = writable<double>(turned, "turned", Shape<3>{count, 3, 4});
  const py::ssize_t size = joints.numCoordinates();
  auto* left = writable<double>(coordinates, "coordinates", Shape<2>{count, size});
  const GilReleased released;
  for (py::ssize_t i = 0; i < count; ++i) {
    angles[i] = samplers::reducePose(joints, from + 16 * i, out + samplers::kTurnedNumbers * i,
                                     left + size * i);
  }
}

/// The numbers of a CapabilityGrid: ends, origin, cells per unit, bins, circles, where cells
/// start, positions, poses, and offsets.
using GridNumbers = std::tuple<EndNumbers, py::array, py::array, py::array, py::array, py::array,
                               py::array, py::array, py::array>;

CapabilityMap mapOf(const GridNumbers& from) {
  const auto& [ends, origin, per_unit, bins, circles, starts, positions, poses, offsets] = from;
  CapabilityMap map{};
  map.positions = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  map.num_stored = positions.shape(0);
  map.num_variables = positions.shape(1);
  map.ends = endsOf(ends, map.num_variables);
  map.dimensions = map.ends.numCoordinates();
  const Shape<1> each = {map.dimensions};
  map.origin = readable<double>(origin, "origin", each);
  map.per_unit = readable<double>(per_unit, "per_unit", each);
  map.bins = readable<std::int64_t>(bins, "bins", each);
  map.circles = readable<bool>(circles, "circles", each);
  map.starts = readable<std::int64_t>(starts, "starts", Shape<1>{kAny});
  map.poses = readable<double>(poses, "poses", Shape<3>{map.num_stored, 3, 4});
  map.offsets = readable<std::int64_t>(offsets, "offsets", Shape<2>{kAny, map.dimensions});
  map.num_offsets = offsets.shape(0);
  const std::int64_t cells = starts.size() - 1;
  std::int64_t product = 1;
  for (std::int64_t d = 0; d < map.dimensions; ++d) {
    if (map.bins[d] < 1 || map.bins[d] > cells / product) {
      throw py::value_error("bins: not those of " + std::to_string(cells) + " cells");
    }
    product *= map.bins[d];
  }
  if (product != cells) {
    throw py::value_error("bins: not those of " + std::to_string(cells) + " cells");
  }
  // Offsets are of a few cells, or of a turn of them.
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (std::any_of(map.offsets, map.offsets + offsets.size(),
                  [](std::int64_t offset) { return offset < -kFar || offset > kFar; })) {
    throw py::value_error("offsets: further than there are cells");
  }
  return map;
}

void lookUpSeeds(const GridNumbers& grid, const py::array& targets, const py::array& shift,
                 std::int64_t first, const py::array& lower, const py::array& upper,
                 py::array seeds, py::array found) {
  const CapabilityMap map = mapOf(grid);
  samplers::CapabilityQuery query{};
  query.targets = readable<double>(targets, "targets", Shape<3>{kAny, 4, 4});
  query.num_targets = targets.shape(0);
  query.shift = readable<double>(shift, "shift", Shape<1>{map.dimensions});
  query.first = first;
  const Shape<1> variables = {map.num_variables};
  query.lower = readable<double>(lower, "lower", variables);
  query.upper = readable<double>(upper, "upper", variables);
  auto* out =
      writable<double>(seeds, "seeds", Shape<3>{query.num_targets, kAny, map.num_variables});
  query.count = seeds.shape(1);
  auto* counts = writable<std::int64_t>(found, "found", Shape<1>{query.num_targets});
  const GilReleased released;
  samplers::lookUp(map, query, out, counts);
}

void gather(py::array points, const py::array& mean, py::array turns, py::array centres) {
  auto* sets = writable<double>(points, "points", Shape<3>{kAny, kAny, 3});
  const py::ssize_t count = points.shape(0);
  const py::ssize_t size = points.shape(1);
  const auto* towards = readable<double>(mean, "mean", Shape<2>{size, 3});
  auto* turned = writable<double>(turns, "turns", Shape<3>{count, 3, 3});
  auto* moved = writable<double>(centres, "centres", Shape<2>{count, 3});
  if (size == 0) {
    throw py::value_error("points: sets of none");
  }
  const GilReleased released;
  samplers::gatherPoints(sets, count, size, towards, turned, moved);
}

void nearest(const py::array& columns, const py::array& squares, std::int64_t begin,
             std::int64_t end, const py::array& features, std::int64_t first, py::array rows) {
  samplers::StoredPlaces stored{};
  stored.columns = readable<float>(columns, "columns", Shape<2>{kAny, kAny});
  stored.num_features = columns.shape(0);
  stored.count = columns.shape(1);
  stored.squares = readable<float>(squares, "squares", Shape<1>{stored.count});
  stored.begin = begin;
  stored.end = end;
  const auto* others = readable<float>(features, "features", Shape<2>{kAny, stored.num_features});
  const py::ssize_t targets = features.shape(0);
  auto* out = writable<std::int64_t>(rows, "rows", Shape<2>{targets, kAny});
  const py::ssize_t ranks = rows.shape(1);
  if (stored.num_features % 3 != 0) {
    throw py::value_error("columns: expected three features for each point");
  }
  if (begin < 0 || begin > end || end > stored.count || first < 0 || first > end - begin ||
      ranks > end - begin - first) {
    throw py::value_error("rows: there are not so many sets from begin to end");
  }
  const GilReleased released;
  samplers::nearestPlaces(stored, others, targets, first, ranks, out);
}

/// Tip, variables, roots and tips in these of a limb.
using LimbArrays = std::tuple<std::int64_t, py::array, py::array, py::array>;

/// Limbs of `count` postures of `size` variables.
std::vector<samplers::Limb> limbsOf(const std::vector<LimbArrays>& arrays, py::ssize_t count,
                                    std::int64_t size, float length) {
  std::vector<samplers::Limb> limbs;
  for (const auto& [tip, variables, roots, tips] : arrays) {
    const auto* own = readable<std::int64_t>(variables, "variables", Shape<1>{kAny});
    checkIndices(own, variables.size(), size, "variables");
    checkIndices(&tip, 1, std::int64_t{1} << 32, "tip");
    const Shape<3> each = {count, 3, 4};
    const auto* from = readable<double>(roots, "roots", each);
    const auto* poses = readable<double>(tips, "tips", each);
    if (!std::all_of(poses, poses + tips.size(), [](double x) { return std::isfinite(x); })) {
      throw py::value_error("tips: expected finite numbers");
    }
    std::vector<samplers::PosePoints> points;
    std::vector<samplers::Pose> frames;
    for (py::ssize_t i = 0; i < count; ++i) {
      const py::ssize_t at = samplers::kPoseNumbers * i;
      points.push_back(samplers::posePoints(samplers::Pose::of(poses + at), length));
      frames.push_back(samplers::Pose::of(from + at));
    }
    limbs.push_back({tip, {own, own + variables.size()}, frames, samplers::PoseTree(points)});
  }
  return limbs;
}

/// Rows of rotations (N, 3, 3) and of points (N, 3).
using Turns = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;
using Points = Eigen::Map<const Eigen::Vector3d>;

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
std::unique_ptr<samplers::StoredPostures> makePostures(
    const py::array& positions, const py::array& base, const py::array& lower,
    const py::array& upper, const py::array& turns, const py::array& centres, double length,
    const std::vector<LimbArrays>& limbs) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t size = positions.shape(1);
  const auto* floating = readable<std::int64_t>(base, "base", Shape<1>{6});
  checkIndices(floating, 6, size, "base");
  const auto* least = readable<double>(lower, "lower", Shape<1>{size});
  const auto* most = readable<double>(upper, "upper", Shape<1>{size});
  if (!std::equal(least, least + size, most, [](double a, double b) { return a <= b; })) {
    throw py::value_error("lower: above upper");
  }
  const auto* turned = readable<double>(turns, "turns", Shape<3>{count, 3, 3});
  const auto* moved = readable<double>(centres, "centres", Shape<2>{count, 3});
  if (count == 0 || !std::isfinite(length)) {
    throw py::value_error("positions or length: there is none");
  }
  auto stored = std::make_unique<samplers::StoredPostures>();
  stored->positions.assign(rows, rows + positions.size());
  stored->num_variables = size;
  std::copy_n(floating, stored->base.size(), stored->base.begin());
  stored->lower.assign(least, least + size);
  stored->upper.assign(most, most + size);
  for (py::ssize_t i = 0; i < count; ++i) {
    stored->turns.emplace_back(Turns(turned + 9 * i));
    stored->centres.emplace_back(Points(moved + 3 * i));
  }
  stored->length = static_cast<float>(length);
  stored->limbs = limbsOf(limbs, count, size, stored->length);
  return stored;
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void fitPostures(const samplers::StoredPostures& stored, const py::array& targets,
                 const py::array& turns, const py::array& centres, const py::array& rows,
                 std::int64_t block, std::int64_t first, py::array seeds) {
  const auto* goals = readable<double>(targets, "targets", Shape<4>{kAny, kAny, 4, 4});
  const py::ssize_t count = targets.shape(0);
  const py::ssize_t tips = targets.shape(1);
  const auto* turned = readable<double>(turns, "turns", Shape<3>{count, 3, 3});
  const auto* moved = readable<double>(centres, "centres", Shape<2>{count, 3});
  const auto* which = readable<std::int64_t>(rows, "rows", Shape<2>{count, kAny});
  const py::ssize_t ranks = rows.shape(1);
  checkIndices(which, rows.size(), std::ssize(stored.turns), "rows");
  for (const samplers::Limb& limb : stored.limbs) {
    checkIndices(&limb.tip, 1, tips, "targets");
  }
  auto* out = writable<double>(seeds, "seeds", Shape<3>{count, kAny, stored.num_variables});
  const py::ssize_t wanted = seeds.shape(1);
  if (block < 1 || ranks % block != 0 || first < 0 || first > ranks || wanted > ranks - first) {
    throw py::value_error("block or first: not those of " + std::to_string(ranks) + " postures");
  }
  constexpr std::int64_t kTargetsAtATime = 16;
  const GilReleased released;
  const auto fit = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      samplers::fitPostures(
          stored, {goals + 16 * tips * t, Turns(turned + 9 * t), Points(moved + 3 * t)},
          {which + ranks * t, block, first, wanted}, out + wanted * stored.num_variables * t);
    }
  };
  parallel::forRanges(count, kTargetsAtATime, fit, {});
}

}  // namespace

void bindSamplers(py::module_& module) {
  module.def("reduce_poses", &reducePoses, py::arg("ends"), py::arg("poses"), py::arg("azimuths"),
             py::arg("turned"), py::arg("coordinates"));
  module.def("look_up", &lookUpSeeds, py::arg("grid"), py::arg("targets"), py::arg("shift"),
             py::arg("first"), py::arg("lower"), py::arg("upper"), py::arg("seeds"),
             py::arg("found"));
  module.def("gather_points", &gather, py::arg("points"), py::arg("mean"), py::arg("turns"),
             py::arg("centres"));
  module.def("nearest_places", &nearest, py::arg("columns"), py::arg("squares"), py::arg("begin"),
             py::arg("end"), py::arg("features"), py::arg("first"), py::arg("rows"));
  py::class_<samplers::StoredPostures>(module, "StoredPostures")
      .def(py::init(&makePostures), py::arg("positions"), py::arg("base"), py::arg("lower"),
           py::arg("upper"), py::arg("turns"), py::arg("centres"), py::arg("length"),
           py::arg("limbs"))
      .def("fit", &fitPostures, py::arg("targets"), py::arg("turns"), py::arg("centres"),
           py::arg("rows"), py::arg("block"), py::arg("first"), py::arg("seeds"));
}

}  // namespace generative_ik::bindings
