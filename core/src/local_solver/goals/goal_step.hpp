/// One step of damped least squares towards several goals at once.
///
/// The errors of all goals are one below the other; what a region leaves free is no error and has
/// no rows of the Jacobian. See `DampedStep` for one tip without regions.
#pragma once

#include "block_equations.hpp"
#include "goal_errors.hpp"

namespace generative_ik {

/// Moves configurations whose errors `GoalErrors` has stored.
template <class Number>
class GoalStep {
 public:
  /// Args: lower, upper: (variables) bounds, which may be infinite [rad or m].
  GENERATIVE_IK_INLINE GoalStep(const GoalTree& tree, const LaneOptions& options,
                                const double* lower, const double* upper, const GoalRows& rows,
                                int first)
      : tree_(tree), options_(options), lower_(lower), upper_(upper), rows_(rows), view_(first) {}

  GENERATIVE_IK_INLINE void advance() const;
  /// Writes the weighted geometric Jacobian: what joints move a tip against its reference.
  /// Velocities are those at the tip.
  GENERATIVE_IK_INLINE void writeJacobian() const;

 private:
  GENERATIVE_IK_INLINE void weighErrors() const;
  // Adds what a joint of the path moves to its variable's column.
  GENERATIVE_IK_INLINE void addJoint(const std::int64_t* path, const Vector3<Number>& tip) const;
  // Turns columns of a goal into the directions in which its region constrains it.
  GENERATIVE_IK_INLINE void turnColumns(std::int64_t goal) const;
  // Turns three rows of a column into three directions.
  GENERATIVE_IK_INLINE void turnRows(LaneRow* column, const LaneRow* directions) const;
  // Sets the columns of variables at a limit that would be pushed beyond it to 0.
  GENERATIVE_IK_INLINE void holdAtLimits() const;
  // The product of a variable's columns with what six rows of each goal hold.
  [[nodiscard]] GENERATIVE_IK_INLINE Number along(std::int64_t variable,
                                                  const LaneRow* rows) const;

  // The column of a goal and a variable, or null.
  [[nodiscard]] GENERATIVE_IK_INLINE LaneRow* columnRow(std::int64_t goal,
                                                        std::int64_t variable) const {
    const std::int64_t column = tree_.column[goal * tree_.num_variables + variable];
    return column < 0 ? nullptr : rows_.jacobian + 6 * column;
  }

  // Copies, so that the compiler knows that no row overlaps them.
  const GoalTree tree_;
  const LaneOptions options_;
  const double* lower_;
  const double* upper_;
  const GoalRows rows_;
  LaneView<Number> view_;
};

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::advance() const {
  weighErrors();
  writeJacobian();
  holdAtLimits();
  const Number damping =
      view_.load(rows_.error) * view_.load(rows_.seeds.damping) + Number(kLeastDamping<Number>);
  BlockEquations<Number>(tree_, rows_, view_).solve(damping);
  const Number moving = view_.load(rows_.seeds.moving);
  const Number most = options_.max_step;
  for (std::int64_t v = 0; v < tree_.num_variables; ++v) {
    const Number move = simd::clamp(along(v, rows_.solution), -most, most);
    const Number q = view_.load(rows_.seeds.q + v) + move * moving * tree_.scale[v];
    view_.store(rows_.seeds.q + v, simd::clamp(q, Number(lower_[v]), Number(upper_[v])));
  }
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::weighErrors() const {
  for (std::int64_t g = 0; g < tree_.num_goals; ++g) {
    for (int k = 0; k < 6; ++k) {
      LaneRow* row = rows_.gap + 6 * g + k;
      view_.store(
          row, view_.load(row) * (k < 3 ? options_.position_weight : options_.orientation_weight));
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::writeJacobian() const {
  for (std::int64_t i = 0; i < 6 * tree_.num_columns; ++i) {
    view_.store(rows_.jacobian + i, Number(0.0));
  }
  std::int64_t p = 0;
  for (std::int64_t g = 0; g < tree_.num_goals; ++g) {
    const Vector3<Number> tip = view_.vector(rows_.tip + 3 * g);
    for (; p < tree_.path_end[g]; ++p) {
      addJoint(tree_.path + 3 * p, tip);
    }
    if (tree_.bounded[g] != 0) {
      turnColumns(g);
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::addJoint(const std::int64_t* path,
                                                     const Vector3<Number>& tip) const {
  const std::int64_t j = path[0];
  LaneRow* column = rows_.jacobian + 6 * path[2];
  const double unit =
      tree_.multiplier[j] * tree_.scale[tree_.variable[j]] * static_cast<double>(path[1]);
  const double linear = options_.position_weight * unit;
  const double angular = options_.orientation_weight * unit;
  const Vector3<Number> axis = view_.vector(rows_.axes + 6 * j);
  Vector3<Number> velocity = axis;
  if (tree_.prismatic[j] == 0) {
    velocity = cross(axis, tip - view_.vector(rows_.axes + 6 * j + 3));
    view_.store(column + 3, view_.vector(column + 3) + angular * axis);
  }
  view_.store(column, view_.vector(column) + linear * velocity);
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::turnColumns(std::int64_t goal) const {
  const LaneRow* directions = rows_.directions + 18 * goal;
  for (std::int64_t v = 0; v < tree_.num_variables; ++v) {
    LaneRow* column = columnRow(goal, v);
    if (column != nullptr && (tree_.bounded[goal] & kBoundedRoom) != 0) {
      turnRows(column, directions);
    }
    if (column != nullptr && (tree_.bounded[goal] & kBoundedTurns) != 0) {
      turnRows(column + 3, directions + 9);
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::turnRows(LaneRow* column,
                                                     const LaneRow* directions) const {
  const Vector3<Number> velocity = view_.vector(column);
  for (int k = 0; k < 3; ++k) {
    view_.store(column + k, dot(view_.vector(directions + 3 * k), velocity));
  }
}

template <class Number>
GENERATIVE_IK_INLINE void GoalStep<Number>::holdAtLimits() const {
  const Number zero = 0.0;
  const Number one = 1.0;
  for (std::int64_t v = 0; v < tree_.num_variables; ++v) {
    const Number push = along(v, rows_.gap);
    const Number q = view_.load(rows_.seeds.q + v);
    const Number up = select(q < Number(upper_[v]), one, zero);
    const Number down = select(Number(lower_[v]) < q, one, zero);
    const Number free = select(zero < push, up, down);
    for (std::int64_t g = 0; g < tree_.num_goals; ++g) {
      LaneRow* column = columnRow(g, v);
      for (int k = 0; column != nullptr && k < 6; ++k) {
        view_.store(column + k, view_.load(column + k) * free);
      }
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE Number GoalStep<Number>::along(std::int64_t variable,
                                                    const LaneRow* rows) const {
  Number total = 0.0;
  for (std::int64_t g = 0; g < tree_.num_goals; ++g) {
    const LaneRow* column = columnRow(g, variable);
    for (int k = 0; column != nullptr && k < 6; ++k) {
      total += view_.load(column + k) * view_.load(rows + 6 * g + k);
    }
  }
  return total;
}

}  // namespace generative_ik
