/// The library's own threads: one for each core that the process may run on, the caller's among
/// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace generative_ik::parallel {

/// When to begin no further piece.
struct StopWhen {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Asked now and then by the caller's thread, if there is one; true: an interrupt has come.
  std::function<bool()> interrupted;
};

/// Cores that this process may run on.
int usableCores();

/// Calls `work` for pieces 0 to before `count`.
///
/// Which thread takes which piece does not change the result, as long as each piece writes to
/// memory of its own. Rethrows what `work` throws, when no thread works any more. A forked process
/// has none of its parent's threads, and makes its own.
void forEach(std::int64_t count, const std::function<void(std::int64_t)>& work,
             const StopWhen& stop);

}  // namespace generative_ik::parallel
