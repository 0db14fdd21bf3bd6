/// A search on a device: rounds of seeds for all targets at once, until each has the solutions
/// that are wanted of it.
#pragma once

#include <memory>
#include <mutex>

#include "../../cuda/place.hpp"
#include "../parallel/checkpoint.hpp"
#include "problem_upload.hpp"

namespace generative_ik::device {

/// How much a device is given to do at a time.
struct SearchSizes {
  /// Seeds of a round, if there are fewer targets: a large GPU runs about as many threads at once.
  /// It is the same for all devices, so that all have the same rounds.
  std::int64_t threads = 1 << 16;
  /// Most seeds of a target in a round, if one solution is wanted; and for each solution.
  std::int64_t most_for_one = 64;
  std::int64_t most_for_each = 4;
  /// Seeds of a target after which it is left to others, if one solution is wanted; and for each.
  std::int64_t enough_for_one = 256;
  std::int64_t enough_for_each = 32;
  /// Most targets of a piece: memory for more makes it no faster.
  std::int64_t most_targets = 1 << 18;
  /// Most numbers of the solutions of a piece.
  std::int64_t most_numbers = 1 << 25;
};

/// What is asked of a search.
struct SearchCall {
  const double* poses;  ///< (T, 4, 4) tip in base [m].
  std::int64_t num_targets;
  std::int64_t wanted;  ///< W, solutions of each.
  std::uint64_t random_seed;
  double* positions;     ///< (T, W, n) solutions [rad or m].
  double* errors;        ///< (T, W, 2) their distances [m] and angles [rad].
  std::int64_t* counts;  ///< (T) how many there are.
};

/// The same where all arrays are in the memory of the device, and stay there.
struct ResidentCall {
  const double* poses;  ///< (T, 4, 4) tip in base [m], which nobody has checked.
  std::int64_t num_targets;
  std::int64_t wanted;
  std::uint64_t random_seed;
  double* positions;     ///< (T, W, n) undefined behind the last solution of each.
  std::int32_t* counts;  ///< (T)
};

/// How much work it was.
struct SearchWork {
  std::int64_t rounds = 0;
  std::int64_t seeds = 0;
};

/// A device, its memory, and who uses it at the moment. Several threads may call it.
class DeviceSearch {
 public:
  explicit DeviceSearch(std::unique_ptr<Device> device, SearchSizes sizes = {});

  [[nodiscard]] const Device& device() const { return *device_; }

  /// Waits until no one else uses the device; it is the caller's as long as the lock lives.
  [[nodiscard]] std::unique_lock<std::mutex> turn() { return std::unique_lock(in_use_); }
  /// The device, whose turn it is the caller's.
  [[nodiscard]] Device& device() { return *device_; }
  /// At least so many bytes of its memory, until it is someone else's turn.
  std::byte* memory(std::size_t bytes);

  /// Finds solutions that are within the limits, verified in double precision, and distinct. What
  /// is not found is left to others. Throws DeviceError.
  SearchWork solve(const ProblemNumbers& problem, const SearchCall& call,
                   const parallel::StopWhen& stop);

  /// The same in the memory of the device. What others have begun there is waited for, and what
  /// is found is there when it returns.
  SearchWork solve(const ProblemNumbers& problem, const ResidentCall& call,
                   const parallel::StopWhen& stop);

  /// Whether there is a kernel for a closed form.
  [[nodiscard]] static bool takes(const ClosedForm& form);

  /// Writes tips (count, 4, 4) in the base of configurations (count, n). Throws DeviceError.
  void placeTips(const verify::RodriguesChain& chain, std::int64_t num_variables,
                 const double* positions, std::int64_t count, double* poses);

 private:
  template <class Call>
  class Piece;

  // Solves a call in pieces, smaller ones where memory is short.
  template <class Call>
  SearchWork solveAll(const ProblemNumbers& problem, const Call& call,
                      const parallel::StopWhen& stop);
  // Solves a piece of a call.
  template <class Call>
  SearchWork solvePiece(const ProblemNumbers& problem, const Call& call, std::int64_t first,
                        std::int64_t count, const parallel::StopWhen& stop);

  std::unique_ptr<Device> device_;
  SearchSizes sizes_;
  std::mutex in_use_;
  std::unique_ptr<DeviceMemory> memory_;
};

}  // namespace generative_ik::device
