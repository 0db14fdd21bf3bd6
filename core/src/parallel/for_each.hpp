/// The library's own threads: one for each core that the process may run on, the caller's among
/// them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>

#include "checkpoint.hpp"

namespace generative_ik::parallel {

/// Cores that this process may run on.
int usableCores();

/// What is done for a piece; the checkpoint is the thread's.
using Work = std::function<void(std::int64_t piece, Checkpoint& checkpoint)>;

/// Calls `work` for pieces 0 to before `count`.
///
/// Which thread takes which piece does not change the result, as long as each piece writes to
/// memory of its own. Rethrows what `work` throws, when no thread works any more. A forked process
/// has none of its parent's threads, and makes its own.
void forEach(std::int64_t count, const Work& work, const StopWhen& stop);

/// The same for pieces that are short enough not to be left off.
template <std::invocable<std::int64_t> ShortWork>
void forEach(std::int64_t count, const ShortWork& work, const StopWhen& stop) {
  const Work whole = [&work](std::int64_t piece, Checkpoint& /*checkpoint*/) { work(piece); };
  forEach(count, whole, stop);
}

/// Calls `work` for all of `count` items, at most `size` at a time: with the first of some, and
/// one beyond their last. Few items are done at once, without asking for interrupts.
template <std::invocable<std::int64_t, std::int64_t> RangeWork>
void forRanges(std::int64_t count, std::int64_t size, const RangeWork& work,
               const StopWhen& stop) {
  if (count > size) {
    const std::int64_t pieces = count / size + (count % size > 0 ? 1 : 0);
    const auto range = [&](std::int64_t piece) {
      work(size * piece, size * piece + std::min(size, count - size * piece));
    };
    forEach(pieces, range, stop);
  } else if (count > 0 && !stop.isLate()) {
    work(std::int64_t{0}, count);
  }
}

}  // namespace generative_ik::parallel
