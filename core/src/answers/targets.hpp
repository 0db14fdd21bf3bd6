/// The targets of a call, and what is answered: rows of the caller's arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../parallel/for_each.hpp"
#include "verified_rows.hpp"

namespace generative_ik::answers {

/// States of a target.
enum class State : std::int64_t {
  kUndone,  ///< Not looked at.
  kDone,
  kLeft,  ///< Left to the search: it may have solutions that the closed form does not know of.
};

/// What is noted of a target; Python reads it as a row of whole numbers.
struct Note {
  std::int64_t count;     ///< Solutions.
  std::int64_t state;     ///< A `State`.
  std::int64_t complete;  ///< Whether these are all.
  std::int64_t branches;  ///< That the closed form had.
  std::int64_t distinct;  ///< How many of them are distinct solutions.

  void setState(State now) { state = static_cast<std::int64_t>(now); }
  [[nodiscard]] bool isDone() const { return state == static_cast<std::int64_t>(State::kDone); }
  [[nodiscard]] bool isLeft() const { return state == static_cast<std::int64_t>(State::kLeft); }
};

/// What is written of one target.
struct Answer {
  Note& note;
  SolutionRows rows;    ///< In order, NaN where there is none.
  std::int64_t wanted;  ///< Rows that there are.

  /// Marks what is behind the first solutions as none.
  void leaveRest() const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::fill(rows.positions + rows.size * note.count, rows.positions + rows.size * wanted, kNone);
    std::fill(rows.gaps + note.count, rows.gaps + wanted, PoseGap{kNone, kNone});
  }
};

/// Rows of a call's arrays.
struct Targets {
  const double* tip_poses = nullptr;  ///< (T, G, 4, 4) tips in the base [m].
  Note* notes = nullptr;              ///< (T) in and out.
  /// (T, wanted, size) out: in order, NaN where there is none [rad or m].
  double* positions = nullptr;
  PoseGap* gaps = nullptr;  ///< (T, wanted) out: their errors.
  std::int64_t wanted = 0;  ///< Solutions of each.
  std::int64_t size = 0;    ///< Numbers of a row.
  std::int64_t tips = 1;    ///< G

  [[nodiscard]] bool isUndone(std::int64_t t) const {
    return notes[t].state == static_cast<std::int64_t>(State::kUndone);
  }
  [[nodiscard]] const double* tipPose(std::int64_t t) const {
    return tip_poses + kOfPose * tips * t;
  }
  [[nodiscard]] Answer answer(std::int64_t t) const {
    const std::int64_t first = t * wanted;
    return {notes[t], {positions + first * size, size, gaps + first}, wanted};
  }
};

/// Answers for targets `first` to before `last` that are undone: an answerer writes to an
/// `Answer`.
template <class Answerer>
void answerSome(Answerer& answerer, const Targets& targets, std::int64_t first,
                std::int64_t last) {
  for (std::int64_t t = first; t < last; ++t) {
    if (targets.isUndone(t)) {
      answerer.answer(targets.tipPose(t), targets.answer(t));
    }
  }
}

/// What a thread takes at a time.
struct Piece {
  std::int64_t targets;
  bool is_long;  ///< Whether it may be left off between targets.
};

/// Has the library's threads answer for `count` targets that are undone, until there is no more
/// time; `make` returns an answerer for a piece.
template <class Make>
void answerInPieces(const Make& make, const Targets& targets, std::int64_t count,
                    const Piece& piece, const parallel::StopWhen& stop) {
  const auto answer = [&](std::int64_t k, parallel::Checkpoint& checkpoint) {
    auto answerer = make();
    const std::int64_t last = std::min((k + 1) * piece.targets, count);
    for (std::int64_t t = k * piece.targets; t < last; ++t) {
      if (piece.is_long && checkpoint.isOver()) {
        break;
      }
      answerSome(answerer, targets, t, t + 1);
    }
  };
  parallel::forEach((count + piece.targets - 1) / piece.targets, answer, stop);
}

}  // namespace generative_ik::answers
