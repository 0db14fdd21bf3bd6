/// Damped normal equations of several goals, solved block by block.
///
/// J's rows of a goal are 0 at joints that do not move it. So J J^T has blocks that are 0, and so
/// has its factor, but for those that elimination fills (`GoalTree::coupled`).
#pragma once

#include "../damped_equations.hpp"
#include "../lane_view.hpp"
#include "goal_tree.hpp"

namespace generative_ik {

/// Solves (J J^T + damping I) y = e for the weighted errors e in memory; so is y.
template <class Number>
class BlockEquations {
 public:
  GENERATIVE_IK_INLINE BlockEquations(const GoalTree& tree, const GoalRows& rows,
                                      const LaneView<Number>& view)
      : tree_(tree), rows_(rows), view_(view) {}

  GENERATIVE_IK_INLINE void solve(const Number& damping) const;

 private:
  // In registers, as for a chain.
  GENERATIVE_IK_INLINE void solveOne(const Number& damping) const;
  // Stores the block of J J^T that belongs to goals a >= b.
  GENERATIVE_IK_INLINE void multiply(std::int64_t a, std::int64_t b) const;
  // Factors a row of the matrix into L D L^T, given the rows above. Blocks of the factor hold L;
  // those of the matrix are left with L D, and their diagonal with the inverse of D.
  GENERATIVE_IK_INLINE void factorRow(std::int64_t a, int i) const;
  // What is left of an entry (a, i), (b, j) once all columns before are eliminated.
  [[nodiscard]] GENERATIVE_IK_INLINE Number eliminated(std::int64_t a, int i, std::int64_t b,
                                                       int j) const;
  // Solves L D L^T y = e.
  GENERATIVE_IK_INLINE void substitute() const;

  [[nodiscard]] GENERATIVE_IK_INLINE bool coupled(std::int64_t a, std::int64_t b) const {
    return tree_.coupled[a * tree_.num_goals + b] != 0;
  }
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t column(std::int64_t goal,
                                                         std::int64_t variable) const {
    return tree_.column[goal * tree_.num_variables + variable];
  }
  // Rows of the block of two goals.
  [[nodiscard]] GENERATIVE_IK_INLINE LaneRow* normal(std::int64_t a, std::int64_t b) const {
    return rows_.normal + 36 * (a * tree_.num_goals + b);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE LaneRow* factor(std::int64_t a, std::int64_t b) const {
    return rows_.factor + 36 * (a * tree_.num_goals + b);
  }

  // Copies, so that the compiler knows that no row overlaps them.
  const GoalTree tree_;
  const GoalRows rows_;
  LaneView<Number> view_;
};

template <class Number>
GENERATIVE_IK_INLINE void BlockEquations<Number>::solve(const Number& damping) const {
  const std::int64_t goals = tree_.num_goals;
  if (goals == 1) {
    solveOne(damping);
    return;
  }
  for (std::int64_t a = 0; a < goals; ++a) {
    for (std::int64_t b = 0; b <= a; ++b) {
      if (coupled(a, b)) {
        multiply(a, b);
      }
    }
    for (int i = 0; i < 6; ++i) {
      LaneRow* diagonal = normal(a, a) + 7 * i;
      view_.store(diagonal, view_.load(diagonal) + damping);
    }
  }
  for (std::int64_t a = 0; a < goals; ++a) {
    for (int i = 0; i < 6; ++i) {
      factorRow(a, i);
    }
  }
  substitute();
}

template <class Number>
GENERATIVE_IK_INLINE void BlockEquations<Number>::solveOne(const Number& damping) const {
  Number e[1][6];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < 6; ++k) {
    e[0][k] = view_.load(rows_.gap + k);
  }
  solveDamped([this](std::int64_t c, int i) { return view_.load(rows_.jacobian + 6 * c + i); },
              tree_.num_columns, damping, e);
  for (int k = 0; k < 6; ++k) {
    view_.store(rows_.solution + k, e[0][k]);
  }
}

template <class Number>
GENERATIVE_IK_INLINE void BlockEquations<Number>::multiply(std::int64_t a, std::int64_t b) const {
  LaneRow* block = normal(a, b);
  for (int i = 0; i < 6; ++i) {
    Number sums[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  // NOLINT(*-avoid-c-arrays)
    for (std::int64_t v = 0; v < tree_.num_variables; ++v) {
      if (column(a, v) >= 0 && column(b, v) >= 0) {
        const Number x = view_.load(rows_.jacobian + 6 * column(a, v) + i);
        for (int j = 0; j < 6; ++j) {
          sums[j] += x * view_.load(rows_.jacobian + 6 * column(b, v) + j);
        }
      }
    }
    for (int j = 0; j < 6; ++j) {
      view_.store(block + 6 * i + j, sums[j]);
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE void BlockEquations<Number>::factorRow(std::int64_t a, int i) const {
  for (std::int64_t b = 0; b <= a; ++b) {
    if (!coupled(a, b)) {
      continue;
    }
    const int columns = b < a ? 6 : i + 1;
    for (int j = 0; j < columns; ++j) {
      const Number value = eliminated(a, i, b, j);
      if (b == a && j == i) {
        view_.store(normal(a, a) + 7 * i, 1.0 / value);
      } else {
        view_.store(normal(a, b) + 6 * i + j, value);
        view_.store(factor(a, b) + 6 * i + j, value * view_.load(normal(b, b) + 7 * j));
      }
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE Number BlockEquations<Number>::eliminated(std::int64_t a, int i,
                                                               std::int64_t b, int j) const {
  Number value = view_.load(normal(a, b) + 6 * i + j);
  for (std::int64_t k = 0; k < b; ++k) {
    if (coupled(a, k) && coupled(b, k)) {
      for (int c = 0; c < 6; ++c) {
        value -= view_.load(normal(a, k) + 6 * i + c) * view_.load(factor(b, k) + 6 * j + c);
      }
    }
  }
  for (int c = 0; c < j; ++c) {
    value -= view_.load(normal(a, b) + 6 * i + c) * view_.load(factor(b, b) + 6 * j + c);
  }
  return value;
}

// Forwards, then back.
template <class Number>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): two loops over blocks and rows
GENERATIVE_IK_INLINE void BlockEquations<Number>::substitute() const {
  const std::int64_t goals = tree_.num_goals;
  for (std::int64_t a = 0; a < goals; ++a) {
    for (int i = 0; i < 6; ++i) {
      Number value = view_.load(rows_.gap + 6 * a + i);
      for (std::int64_t b = 0; b <= a; ++b) {
        const int columns = b < a ? 6 : i;
        for (int j = 0; coupled(a, b) && j < columns; ++j) {
          value -= view_.load(factor(a, b) + 6 * i + j) * view_.load(rows_.solution + 6 * b + j);
        }
      }
      view_.store(rows_.solution + 6 * a + i, value);
    }
  }
  for (std::int64_t a = goals - 1; a >= 0; --a) {
    for (int i = 5; i >= 0; --i) {
      Number value = view_.load(rows_.solution + 6 * a + i) * view_.load(normal(a, a) + 7 * i);
      for (std::int64_t b = a; b < goals; ++b) {
        for (int j = b == a ? i + 1 : 0; coupled(b, a) && j < 6; ++j) {
          value -= view_.load(factor(b, a) + 6 * j + i) * view_.load(rows_.solution + 6 * b + j);
        }
      }
      view_.store(rows_.solution + 6 * a + i, value);
    }
  }
}

}  // namespace generative_ik
