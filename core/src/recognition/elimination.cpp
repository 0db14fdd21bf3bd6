#include "elimination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "../closed_form/determinants.hpp"
#include "../closed_form/samples.hpp"
#include "../model/singular_values.hpp"
#include "../simd/constants.hpp"
#include "generic_points.hpp"
#include "parameter_list.hpp"

namespace generative_ik::recognition {
namespace {

using closed_form::EliminationNumbers;
using closed_form::kEquations;
using closed_form::kFunctions;

constexpr int kJoints = 6;
// The function that is 1.
constexpr int kOne = 4;
constexpr int kBehindOne = kFunctions - 1 - kOne;
// Angles that are left in the equations.
constexpr int kLeft = 3;

using Functions = Eigen::VectorXd;
using FunctionMap = Eigen::MatrixXd;
/// A rotation u is the sum of (1, cos u, sin u) times these.
using Rotations = std::array<FunctionMap, 3>;
using Rows = Eigen::MatrixXd;
using Columns = Eigen::MatrixXd;

/// Compiled once: each kind of product takes a second.
Eigen::MatrixXd times(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a * b;
}

/// The functions of a point on a line.
Functions functionsOf(const Vector3& point, const Vector3& line) {
  const double along = point.dot(line);
  Functions functions(kFunctions);
  functions << point, point.dot(point), 1.0, line, along, point.cross(line),
      point.dot(point) * line - 2.0 * along * point;
  return functions;
}

/// What a rigid motion does to the functions.
FunctionMap motionOf(const Eigen::Matrix3d& turned, const Vector3& shift) {
  constexpr int kPoint = 0;
  constexpr int kLine = 5;
  constexpr int kMoment = 9;
  constexpr int kLast = 12;
  Eigen::Matrix3d cross;
  cross << 0.0, -shift.z(), shift.y(), shift.z(), 0.0, -shift.x(), -shift.y(), shift.x(), 0.0;
  const double square = shift.dot(shift);
  FunctionMap map = FunctionMap::Identity(kFunctions, kFunctions);
  map.block<3, 3>(kPoint, kPoint) = turned;
  map.block<3, 1>(kPoint, kOne) = shift;
  map.block<1, 3>(3, kPoint) = 2.0 * shift.transpose() * turned;
  map(3, kOne) = square;
  map.block<3, 3>(kLine, kLine) = turned;
  map.block<1, 3>(8, kLine) = shift.transpose() * turned;
  map.block<3, 3>(kMoment, kMoment) = turned;
  map.block<3, 3>(kMoment, kLine) = cross * turned;
  map.block<3, 3>(kLast, kLast) = turned;
  map.block<3, 3>(kLast, kMoment) = -2.0 * cross * turned;
  map.block<3, 3>(kLast, kLine) =
      (square * Eigen::Matrix3d::Identity() - 2.0 * shift * shift.transpose()) * turned;
  map.block<3, 1>(kLast, 8) = -2.0 * shift;
  return map;
}

Rotations rotationsAbout(const Vector3& axis, const Vector3& point) {
  const auto turned = [&](double cosine, double sine) {
    Eigen::Matrix3d cross;
    cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
    const Eigen::Matrix3d rotation =
        Eigen::Matrix3d::Identity() + sine * cross + (1.0 - cosine) * cross * cross;
    return motionOf(rotation, point - rotation * point);
  };
  const FunctionMap here = turned(1.0, 0.0);
  const FunctionMap half = turned(-1.0, 0.0);
  const FunctionMap middle = (here + half) / 2.0;
  return {middle, (here - half) / 2.0, turned(0.0, 1.0) - middle};
}

/// 1, cos and sin times 1 + t^2, from t^2, t and 1 of the tangent t of half the angle.
Rotations byTangent(const Rotations& of_angle) {
  const auto& [one, cosine, sine] = of_angle;
  return {one - cosine, 2.0 * sine, one + cosine};
}

/// Six equations in three angles of an arm, for one choice of joints.
///
/// Joint `dropped` does not move its own axis; the two after it, in the loop, are eliminated, and
/// the other three, in the loop, are left: x, y and z. An equation is the sum over i, j, k of
///
///     (rows . motion of G' . columns)[i, equation, j, k]  x_i y_j z_k,    x = (1, cos, sin)
///
/// where y and z are powers of the tangents of half their angles, from the second down.
struct Elimination {
  int dropped;      // 0 to 3
  Rows rows;        // before G': of equations alone, or of i, equations, and j or j and k
  Columns columns;  // after it, of the others
  // Applied to the functions of the dropped axis as the three angles move it and added to
  // `offset`: the cosine and sine of the first eliminated joint.
  Eigen::MatrixXd cosine_and_sine;
  Eigen::Vector2d offset;
};

/// Numbers of the axes of an arm from which its eliminations are made, lengths as shares.
struct LoopOfJoints {
  explicit LoopOfJoints(const JointAxes& axes)
      : directions(axes.directions), points(axes.points / axes.length) {
    for (int k = 0; k < kJoints; ++k) {
      forth.at(static_cast<std::size_t>(k)) = rotationsAbout(directions.col(k), points.col(k));
      back.at(static_cast<std::size_t>(k)) = rotationsAbout(-directions.col(k), points.col(k));
    }
  }

  [[nodiscard]] const Rotations& turn(int joint) const {
    return forth.at(static_cast<std::size_t>(joint % kJoints));
  }

  Vectors directions;
  Vectors points;
  std::array<Rotations, kJoints> forth;
  std::array<Rotations, kJoints> back;
};

/// Equations (6) in the functions of a line that hold whatever the eliminated joints are.
Rows equationsWithout(const Rotations& first, const Rotations& second, const Functions& start) {
  Columns opposite(kFunctions, 9);
  int column = 0;
  for (const FunctionMap& inner : first) {
    for (const FunctionMap& outer : second) {
      opposite.col(column++) = times(outer, times(inner, start));
    }
  }
  // What the eight products of cosines and sines never bring.
  Columns products(kFunctions - 1, 8);
  products << opposite.topRightCorner(kOne, 8), opposite.bottomRightCorner(kBehindOne, 8);
  const Eigen::MatrixXd basis = singularValuesOf(products).left;
  const Eigen::MatrixXd never = basis.rightCols(kEquations).transpose();
  Rows equations = Rows::Zero(kEquations, kFunctions);
  equations.leftCols(kOne) = never.leftCols(kOne);
  equations.rightCols(kBehindOne) = never.rightCols(kBehindOne);
  equations.col(kOne) = -times(equations, opposite.col(0));
  return equations;
}

/// Finds what tells the first eliminated joint: what the second one leaves as it is. Returns
/// whether anything does.
bool tellFirst(const Rotations& first, const Rotations& second, const Functions& start,
               Elimination& elimination) {
  constexpr double kNone = 1e-9;
  const FunctionMap changed = second[0] - FunctionMap::Identity(kFunctions, kFunctions);
  const SingularValues moved = singularValuesOf(changed);
  const Eigen::MatrixXd still = moved.left.rightCols(kFunctions - moved.rank(kNone)).transpose();
  if (still.rows() < 2) {
    return false;
  }
  const Eigen::VectorXd told = times(still, times(first[0], start));
  Eigen::MatrixXd by_angle(still.rows(), 2);
  by_angle << times(still, times(first[1], start)), times(still, times(first[2], start));
  const SingularValues seen = singularValuesOf(by_angle);
  if (seen.rank(1e-4) < 2 || seen.values[0] < 1e-6) {
    return false;
  }
  // The pseudoinverse.
  const Eigen::MatrixXd left = seen.left.leftCols(2);
  const Eigen::MatrixXd scaled =
      seen.values.cwiseAbs2().cwiseInverse().asDiagonal() * left.transpose();
  const Eigen::MatrixXd solve = times(times(by_angle.transpose(), left), scaled);
  elimination.cosine_and_sine = times(solve, still);
  elimination.offset = -times(solve, told);
  return true;
}

Rows multipliedBehind(const Rows& rows, const Rotations& turn) {
  Rows more(3 * rows.rows(), static_cast<Eigen::Index>(kFunctions));
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    for (int k = 0; k < 3; ++k) {
      more.row(3 * r + k) = times(rows.row(r), turn.at(static_cast<std::size_t>(k)));
    }
  }
  return more;
}

/// Prepares the equations; none if the eliminated joints cannot be told from them.
std::optional<Elimination> eliminationOf(const LoopOfJoints& loop, int dropped) {
  const auto back = [&loop](int joint) { return loop.back.at(static_cast<std::size_t>(joint)); };
  const Functions start = functionsOf(loop.points.col(dropped), loop.directions.col(dropped));
  const Rotations first = back(dropped + 1);
  const Rotations second = back(dropped + 2);
  Elimination elimination{};
  elimination.dropped = dropped;
  // The second is looked at from its other side.
  if (!tellFirst(first, loop.turn(dropped + 2), start, elimination)) {
    return std::nullopt;
  }
  const Rows equations = equationsWithout(first, second, start);
  const std::array<Rotations, kLeft> left = {loop.turn(dropped + 3),
                                             byTangent(loop.turn(dropped + 4)),
                                             byTangent(loop.turn(dropped + 5))};
  // Of the three, those before the end of the arm.
  const auto before = static_cast<std::size_t>(kLeft - dropped);
  elimination.rows = equations;
  if (before > 0) {
    elimination.rows.resize(3 * kEquations, kFunctions);
    for (Eigen::Index k = 0; k < 3; ++k) {
      elimination.rows.middleRows(kEquations * k, kEquations) =
          times(equations, left[0].at(static_cast<std::size_t>(k)));
    }
  }
  for (std::size_t at = 1; at < before; ++at) {
    elimination.rows = multipliedBehind(elimination.rows, left.at(at));
  }
  elimination.columns = start;
  for (std::size_t at = kLeft; at-- > before;) {
    const Columns inner = elimination.columns;
    elimination.columns.resize(kFunctions, 3 * inner.cols());
    for (Eigen::Index k = 0; k < 3; ++k) {
      elimination.columns.middleCols(k * inner.cols(), inner.cols()) =
          times(left.at(at).at(static_cast<std::size_t>(k)), inner);
    }
  }
  return elimination;
}

constexpr auto kRow = static_cast<Eigen::Index>(EliminationNumbers::kRowLength);

/// Rows of so many numbers that those of a matrix fit in, with zeros behind them.
void appendInRows(const Eigen::MatrixXd& matrix, std::vector<double>& numbers) {
  const Eigen::Index padded = (matrix.cols() + kRow - 1) / kRow * kRow;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index k = 0; k < padded; ++k) {
      numbers.push_back(k < matrix.cols() ? matrix(i, k) : 0.0);
    }
  }
}

/// What the parameters have of an elimination, see `EliminationNumbers`. Functions of rows and of
/// columns lie side by side. Coefficients do so for the rows, column by column.
std::vector<double> parametersOf(const JointAxes& axes, bool mirrored,
                                 const Elimination& elimination) {
  ParameterList list(axes, kRounding, mirrored);
  list.addAll(axes.points / axes.length);
  std::vector<double> numbers = list.numbers();
  // The strides of x, the equations, y and z; the last of those in the rows is the shortest.
  constexpr std::array<Eigen::Index, 4> kSizes = {3, kEquations, 3, 3};
  const auto dropped = static_cast<std::size_t>(elimination.dropped);
  const auto in_rows = [&](std::size_t index) {
    return dropped == kLeft ? index == 1 : index < kSizes.size() - dropped;
  };
  std::array<double, 4> strides{};
  Eigen::Index stride = 1;
  for (const bool of_rows : {true, false}) {
    for (std::size_t index = kSizes.size(); index-- > 0;) {
      if (in_rows(index) == of_rows) {
        strides.at(index) = static_cast<double>(stride);
        stride *= kSizes.at(index);
      }
    }
    stride = (elimination.rows.rows() + kRow - 1) / kRow * kRow;
  }
  numbers.push_back(static_cast<double>(dropped));
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  numbers.push_back(static_cast<double>(elimination.columns.cols()));
  numbers.insert(numbers.end(), elimination.offset.begin(), elimination.offset.end());
  for (Eigen::Index i = 0; i < 2; ++i) {
    for (Eigen::Index k = 0; k < kFunctions; ++k) {
      numbers.push_back(elimination.cosine_and_sine(i, k));
    }
  }
  numbers.resize(EliminationNumbers::kLeast, 0.0);
  appendInRows(elimination.rows.transpose(), numbers);
  appendInRows(elimination.columns, numbers);
  return numbers;
}

/// The motion that takes the tip back, where joints are at some angles.
closed_form::Motion loopAt(const LoopOfJoints& loop, const Eigen::VectorXd& angles) {
  Eigen::Isometry3d together = Eigen::Isometry3d::Identity();
  for (int k = 0; k < kJoints; ++k) {
    const Vector3 point = loop.points.col(k);
    together.translate(point);
    together.rotate(Eigen::AngleAxisd(angles[k], loop.directions.col(k)));
    together.translate(-point);
  }
  const Eigen::Isometry3d back = together.inverse();
  const auto row = [&back](Eigen::Index i) {
    return closed_form::Vector3<double>{back(i, 0), back(i, 1), back(i, 2)};
  };
  return {{row(0), row(1), row(2)}, {back(0, 3), back(1, 3), back(2, 3)}};
}

// Zeros may be so far from where they are known to be [rad]; Newton steps do the rest.
constexpr double kWorst = 1e-6;

/// How far from known angles the polynomial's zeros are at the worst [rad].
double worstError(const LoopOfJoints& loop, const std::vector<double>& parameters,
                  const Eigen::MatrixXd& configurations) {
  constexpr int kDegree = 8;
  constexpr double kNothing = 1e-300;
  const EliminationNumbers numbers(parameters.data());
  double worst = 0.0;
  for (Eigen::Index c = 0; c < configurations.cols(); ++c) {
    const Eigen::VectorXd known = configurations.col(c);
    closed_form::Equations equations;  // NOLINT(*-member-init): it is computed at once
    equations.compute<double>(numbers, loopAt(loop, known));
    closed_form::DialyticMatrix<double> matrix(numbers, equations);
    std::array<double, closed_form::kSampleRoom> values{};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const closed_form::SampleAngles& angles = closed_form::sampleAngles();
      values.at(k) = matrix.determinant({angles.cosines[k], angles.sines[k]}).value;
    }
    closed_form::TrigonometricPolynomial<kDegree> f{};
    closed_form::interpolate(values.data(), 0.0, f);
    const auto at = f.at(known[(numbers.dropped() + 3) % kJoints]);
    worst = std::max(worst, std::abs(at.f) / std::max(std::abs(at.f1), kNothing));
    if (!(worst < kWorst)) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

}  // namespace

std::optional<std::vector<double>> bestElimination(const JointAxes& axes) {
  constexpr Eigen::Index kPoses = 12;
  const Eigen::MatrixXd configurations = genericPoints(kJoints, kPoses, kPi);
  std::optional<std::vector<double>> best;
  double least = kWorst;
  for (const bool mirrored : {false, true}) {
    const JointAxes seen = mirrored ? axes.mirrored() : axes;
    const LoopOfJoints loop(seen);
    for (int dropped = 0; dropped <= kLeft; ++dropped) {
      const std::optional<Elimination> elimination = eliminationOf(loop, dropped);
      if (!elimination) {
        continue;
      }
      std::vector<double> parameters = parametersOf(seen, mirrored, *elimination);
      const double error = worstError(loop, parameters, configurations);
      if (error < least) {
        least = error;
        best = std::move(parameters);
      }
    }
  }
  return best;
}

}  // namespace generative_ik::recognition
