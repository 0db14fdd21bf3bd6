// Chains and trees of joints, and the problems and the spaces that are made of them.
#include "joint_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <local_solver/packed_joints.hpp>
#include <solver/packed_chain.hpp>
#include <solver/search_space.hpp>
#include <span>
#include <utility>
#include <vector>
#include <verify/region.hpp>

#include "arrays.hpp"
#include "gil.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "refine.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// Frames (G, 4, 4) in the moved frames of joints (G,).
std::vector<JointTree::Frame> framesOf(const py::array& joints, const py::array& poses,
                                       const char* name) {
  const auto* numbers = readable<double>(poses, name, Shape<3>{kAny, 4, 4});
  const auto* carriers = readable<std::int64_t>(joints, name, Shape<1>{poses.shape(0)});
  std::vector<JointTree::Frame> frames;
  for (py::ssize_t g = 0; g < poses.shape(0); ++g) {
    frames.push_back({carriers[g], readPose(numbers + 16 * g)});
  }
  return frames;
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
JointTree makeJointTree(const py::array& origins, const py::array& axes,
                        const py::array& prismatic, const py::array& variable,
                        const py::array& multiplier, const py::array& offset,
                        const py::array& parents, const py::array& step_units,
                        const py::array& tip_joints, const py::array& tips,
                        const py::array& reference_joints, const py::array& references) {
  const auto* frames = readable<double>(origins, "origins", Shape<3>{kAny, 4, 4});
  const py::ssize_t m = origins.shape(0);
  const auto* directions = readable<double>(axes, "axes", Shape<2>{m, 3});
  const auto* slides = readable<bool>(prismatic, "prismatic", Shape<1>{m});
  const auto* variables = readable<std::int64_t>(variable, "variable", Shape<1>{m});
  const auto* factors = readable<double>(multiplier, "multiplier", Shape<1>{m});
  const auto* offsets = readable<double>(offset, "offset", Shape<1>{m});
  const auto* before = readable<std::int64_t>(parents, "parents", Shape<1>{m});
  const auto* steps = readable<double>(step_units, "step_units", Shape<1>{kAny});
  const py::ssize_t n = step_units.shape(0);
  checkIndices(variables, m, n, "variable");
  std::vector<Joint> joints(static_cast<std::size_t>(m));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j] = {slides[j] ? Joint::Type::kPrismatic : Joint::Type::kRevolute,
                 readPose(frames + 16 * j),
                 Eigen::Map<const Eigen::Vector3d>(directions + 3 * j),
                 static_cast<int>(variables[j]),
                 factors[j],
                 offsets[j]};
  }
  const std::vector<JointTree::Frame> at_tips = framesOf(tip_joints, tips, "tips");
  const std::vector<JointTree::Frame> at_references =
      framesOf(reference_joints, references, "references");
  require(at_tips.size() == at_references.size(), "references: not as many as tips");
  std::vector<JointTree::Goal> goals;
  for (std::size_t g = 0; g < at_tips.size(); ++g) {
    goals.push_back({at_tips[g], at_references[g]});
  }
  return {std::move(joints),
          {before, before + m},
          std::move(goals),
          Eigen::Map<const Vector>(steps, n)};
}

template <class Numbers>
py::array arrayWith(const Numbers& numbers) {
  return py::array_t<typename Numbers::value_type>(std::ssize(numbers), numbers.data());
}

py::tuple arraysOf(const PackedChain& packed) {
  return py::make_tuple(arrayWith(packed.floats), arrayWith(packed.ints));
}

py::array arrayOfOptions(const LaneOptions& options) {
  return arrayWith(optionNumbers(options));
}

py::tuple makeChainProblem(const JointTree& joints, const py::array& options,
                           double position_tolerance, double orientation_tolerance, double reach,
                           bool redundant) {
  require(joints.isChain(), "tree: not a chain");
  return arraysOf(packed(joints, optionsOf(options),
                         {{position_tolerance, orientation_tolerance}, reach, redundant}));
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::tuple makeGoalProblem(const JointTree& joints, const py::array& options,
                          double position_tolerance, double orientation_tolerance,
                          const py::array& regions, const py::array& checks,
                          const py::array& bounded, bool redundant) {
  const py::ssize_t g = joints.numGoals();
  constexpr py::ssize_t kOfCheck = verify::Region::kSize;
  const auto* rows = readable<double>(regions, "regions", Shape<3>{kAny, g, RegionRow::kSize});
  const auto* of_verifier =
      readable<double>(checks, "checks", Shape<3>{regions.shape(0), g, kOfCheck});
  const auto* bits = readable<std::int64_t>(bounded, "bounded", Shape<1>{g});
  const auto size = [](const py::array& array) { return static_cast<std::size_t>(array.size()); };
  return arraysOf(packedGoals(
      joints, optionsOf(options), {position_tolerance, orientation_tolerance},
      {{rows, size(regions)}, {of_verifier, size(checks)}, {bits, size(bounded)}, redundant}));
}

bool isDeficientIn(const JointTree& joints, const py::array& box, const py::array& units,
                   const py::array& options) {
  require(joints.isChain(), "tree: not a chain");
  const py::ssize_t n = joints.numVariables();
  const auto* one = readable<double>(units, "units", Shape<1>{n});
  const search::Box bounds = boxOf(box, n);
  return joints.isDeficient(bounds.lower, bounds.upper, Eigen::Map<const Vector>(one, n),
                            optionsOf(options));
}

py::array usualOptions(double position_weight, double orientation_weight,
                       double position_tolerance, double orientation_tolerance,
                       std::int64_t num_goals) {
  require(num_goals > 0, "num_goals: not above 0");
  LaneOptions options = solverOptions({position_tolerance, orientation_tolerance}, 1.0, num_goals);
  options.position_weight = position_weight;
  options.orientation_weight = orientation_weight;
  return arrayOfOptions(options);
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::tuple searchSpaceOf(const py::array& lower, const py::array& upper, const py::array& reference,
                        const py::array& unit, const py::array& weight, const py::array& circular,
                        const py::array& unlimited, double distinct_distance) {
  const auto* lowest = readable<double>(lower, "lower", Shape<1>{kAny});
  const py::ssize_t n = lower.shape(0);
  require(n > 0, "lower: of no variable");
  const auto* highest = readable<double>(upper, "upper", Shape<1>{n});
  const auto* from = readable<double>(reference, "reference", Shape<1>{n});
  const auto* units = readable<double>(unit, "unit", Shape<1>{n});
  const auto* weights = readable<double>(weight, "weight", Shape<1>{n});
  const auto* turns = readable<bool>(circular, "circular", Shape<1>{n});
  const auto* free = readable<bool>(unlimited, "unlimited", Shape<1>{n});
  std::vector<SearchedRange> ranges;
  for (py::ssize_t v = 0; v < n; ++v) {
    ranges.push_back({lowest[v], highest[v], from[v], units[v], weights[v], turns[v], free[v]});
  }
  const SearchSpace space(ranges, distinct_distance);
  py::array box = arrayWith(space.rows());
  return py::make_tuple(box.attr("reshape")(search::Box::kRows, n), arrayWith(space.gridFloats()),
                        arrayWith(space.gridInts()));
}

/// Whether a variable moves a goal (G, n).
py::array movedGoals(const JointTree& joints) {
  py::array moved = newArray<bool>(Shape<2>{joints.numGoals(), joints.numVariables()});
  auto* out = static_cast<bool*>(moved.mutable_data());
  for (std::int64_t g = 0; g < joints.numGoals(); ++g) {
    for (std::int64_t v = 0; v < joints.numVariables(); ++v) {
      *out++ = joints.moves(v, g);
    }
  }
  return moved;
}

template <class Matrix>
double* writeRows(const Matrix& matrix, double* out) {
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      *out++ = matrix(row, column);
    }
  }
  return out;
}

void jointFrames(const JointTree& joints, const py::array& positions, py::array frames) {
  const py::ssize_t n = joints.numVariables();
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, n});
  auto* out = writable<double>(frames, "frames",
                               Shape<4>{positions.shape(0), joints.numJoints() + 1, 4, 4});
  const GilReleased released;
  std::vector<Eigen::Isometry3d> placed;
  for (const auto* end = rows + positions.size(); rows != end; rows += n) {
    joints.placeJoints(rows, placed);
    for (const Eigen::Isometry3d& frame : placed) {
      out = writeRows(frame.matrix(), out);
    }
    out = writeRows(Eigen::Matrix4d::Identity(), out);
  }
}

void goalJacobians(const JointTree& joints, const py::array& positions, bool in_reference,
                   py::array poses, py::array jacobians) {
  const py::ssize_t n = joints.numVariables();
  const py::ssize_t goals = joints.numGoals();
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, n});
  const py::ssize_t count = positions.shape(0);
  auto* pose = writable<double>(poses, "poses", Shape<4>{count, goals, 4, 4});
  auto* numbers = writable<double>(jacobians, "jacobians", Shape<4>{count, goals, 6, n});
  const GilReleased released;
  std::vector<Eigen::Isometry3d> frames;
  Jacobian jacobian;
  for (const auto* end = rows + positions.size(); rows != end; rows += n) {
    joints.placeJoints(rows, frames);
    for (py::ssize_t g = 0; g < goals; ++g) {
      pose = writeRows(joints.goalAt(frames, g, in_reference, jacobian).matrix(), pose);
      numbers = writeRows(jacobian, numbers);
    }
  }
}

}  // namespace

verify::RodriguesChain verifierOfChain(const JointTree& joints, py::ssize_t num_variables) {
  require(joints.isChain() && joints.numVariables() == num_variables,
          "chain: not one of so many joints");
  return joints.chainVerifier();
}

verify::RodriguesTree verifierOfTree(const JointTree& joints, py::ssize_t num_variables) {
  require(joints.numVariables() == num_variables, "tree: not one of so many joints");
  return joints.verifier();
}

void bindJointTrees(py::module_& module) {
  py::class_<JointTree>(module, "JointTree")
      .def(py::init(&makeJointTree), py::arg("origins"), py::arg("axes"), py::arg("prismatic"),
           py::arg("variable"), py::arg("multiplier"), py::arg("offset"), py::arg("parents"),
           py::arg("step_units"), py::arg("tip_joints"), py::arg("tips"),
           py::arg("reference_joints"), py::arg("references"))
      .def_property_readonly("num_goals", &JointTree::numGoals)
      .def_property_readonly("moved_goals", &movedGoals)
      .def("joint_frames", &jointFrames, py::arg("positions"), py::arg("frames"))
      .def("goal_jacobians", &goalJacobians, py::arg("positions"), py::arg("in_reference"),
           py::arg("poses"), py::arg("jacobians"))
      .def("is_deficient", &isDeficientIn, py::arg("box"), py::arg("units"), py::arg("options"))
      .def("problem", &makeChainProblem, py::arg("options"), py::arg("position_tolerance"),
           py::arg("orientation_tolerance"), py::arg("reach"), py::arg("redundant"))
      .def("goal_problem", &makeGoalProblem, py::arg("options"), py::arg("position_tolerance"),
           py::arg("orientation_tolerance"), py::arg("regions"), py::arg("checks"),
           py::arg("bounded"), py::arg("redundant"));
  module.def("search_space", &searchSpaceOf, py::arg("lower"), py::arg("upper"),
             py::arg("reference"), py::arg("unit"), py::arg("weight"), py::arg("circular"),
             py::arg("unlimited"), py::arg("distinct_distance"));
  module.def("solver_options", &usualOptions, py::arg("position_weight"),
             py::arg("orientation_weight"), py::arg("position_tolerance"),
             py::arg("orientation_tolerance"), py::arg("num_goals") = 1);
}

}  // namespace generative_ik::bindings
