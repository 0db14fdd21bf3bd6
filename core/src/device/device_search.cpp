#include "device_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory_layout.hpp"

namespace generative_ik::device {

/// The kernels that are compiled for so many joints, or for all.
struct KernelsOfChain {
  Kernel descend;
  Kernel make_exact;
};
namespace {

// Fewest targets of a piece; if there is no memory for them, there is none.
constexpr std::int64_t kFewest = 1024;

KernelsOfChain kernelsOf(const LaneChain& chain) {
  constexpr std::int64_t kSix = 6;
  constexpr std::int64_t kSeven = 7;
  if (isPlain(chain) && chain.num_joints == kSix) {
    return {Kernel::kDescend6, Kernel::kMakeExact6};
  }
  if (isPlain(chain) && chain.num_joints == kSeven) {
    return {Kernel::kDescend7, Kernel::kMakeExact7};
  }
  return {Kernel::kDescendAny, Kernel::kMakeExactAny};
}

/// The kernel of a closed form; none if there is none for its family.
std::optional<Kernel> kernelOf(const ClosedForm& form) {
  const std::array<std::pair<std::string_view, Kernel>, 4> kernels = {{
      {"spherical_wrist", Kernel::kSphericalWrist},
      {"spherical_wrist_coupled", Kernel::kSphericalWristCoupled},
      {"three_parallel", Kernel::kThreeParallel},
      {"three_parallel_coupled", Kernel::kThreeParallelCoupled},
  }};
  for (const auto& [name, kernel] : kernels) {
    if (form.name == name) {
      return kernel;
    }
  }
  return std::nullopt;
}

/// The kernel that answers for a chain. Of branches that collide it would know nothing.
std::optional<Kernel> formKernel(const ProblemNumbers& problem) {
  return problem.form == nullptr || problem.world != nullptr ? std::nullopt
                                                             : kernelOf(*problem.form);
}

}  // namespace

/// The arrays of a piece of a call in the memory of a device.
template <class Call>
class DeviceSearch::Piece {
 public:
  Piece(const ProblemNumbers& problem, const Call& call, std::int64_t first, std::int64_t count,
        const SearchSizes& sizes)
      : problem_(problem),
        call_(call),
        first_(first),
        count_(count),
        sizes_(sizes),
        kernels_(kernelsOf(problem.chain)),
        form_(formKernel(problem)) {}

  /// Bytes that it needs.
  [[nodiscard]] std::size_t bytes() {
    Layout layout(nullptr);
    lay(layout);
    return layout.used();
  }

  /// Copies the problem and the targets to the device.
  void begin(Device& device, std::byte* memory) {
    Layout layout(memory);
    lay(layout);
    Arrays numbers;
    task_.problem = appended(problem_, numbers, numbers_);
    device.write(numbers_, numbers.bytes().data(), numbers.bytes().size());
    if constexpr (!kResident) {
      device.write(own_poses_, call_.poses + 16 * first_,
                   static_cast<std::size_t>(16 * count_) * sizeof(double));
    }
    std::vector<std::int32_t> slots(static_cast<std::size_t>(count_));
    std::iota(slots.begin(), slots.end(), 0);
    device.write(slots_[0], slots.data(), slots.size() * sizeof slots[0]);
    device.clear(task_.targets.counts, slots.size() * sizeof slots[0]);
    task_.targets.first = first_;
    task_.targets.random_seed = call_.random_seed;
    task_.targets.wanted = static_cast<std::int32_t>(call_.wanted);
    task_.round.num_slots = static_cast<std::int32_t>(count_);
    task_.round.first_seed = 0;
    task_.round.slots = slots_[0];
    task_.round.next_slots = slots_[1];
  }

  /// Whether there is nothing left to do, or the rest is to be left to others.
  [[nodiscard]] bool isOver() const {
    const std::int64_t enough =
        call_.wanted == 1 ? sizes_.enough_for_one : sizes_.enough_for_each * call_.wanted;
    return task_.round.num_slots == 0 || task_.round.first_seed >= enough;
  }

  /// Has the closed form answer, if there is one: what it leaves is nothing for a search here.
  bool answered(Device& device) {
    if (!form_) {
      return false;
    }
    device.launch(*form_, &task_, count_);
    return true;
  }

  /// Tries as many seeds of each open target as there is room for; returns how many of all.
  std::int64_t round(Device& device) {
    cuda::SearchRound& round = task_.round;
    round.seeds = static_cast<std::int32_t>(seedsOf(round.num_slots));
    const std::int64_t seeds = static_cast<std::int64_t>(round.num_slots) * round.seeds;
    const std::int64_t chunks = cuda::numChunks(round.num_slots);
    device.launch(kernels_.descend, &task_, seeds);
    device.launch(kernels_.make_exact, &task_, seeds);
    if (problem_.world != nullptr) {
      device.launch(Kernel::kKeepFree, &task_, seeds);
    }
    device.launch(Kernel::kFindNew, &task_, seeds);
    device.launch(Kernel::kPutNew, &task_, seeds);
    device.launch(Kernel::kCount, &task_, round.num_slots);
    device.launch(Kernel::kCountOpen, &task_, chunks);
    device.launch(Kernel::kAddUp, &task_, 1);
    device.launch(Kernel::kListOpen, &task_, chunks);
    std::int32_t open = 0;
    device.read(&open, round.offsets + chunks, sizeof open);
    round.first_seed += round.seeds;
    round.num_slots = open;
    std::swap(slots_[0], slots_[1]);
    round.slots = slots_[0];
    round.next_slots = slots_[1];
    return seeds;
  }

  /// Copies what was found to the caller.
  void end(Device& device) const {
    if constexpr (kResident) {
      return;  // it is there: rounds end when they are over
    } else {
      copyOut(device);
    }
  }

 private:
  // Whether the caller's arrays are in the memory of the device.
  static constexpr bool kResident = std::is_same_v<Call, ResidentCall>;

  void copyOut(Device& device) const {
    const std::int64_t rows = count_ * call_.wanted;
    const std::int64_t n = problem_.chain.num_variables;
    device.read(call_.positions + first_ * call_.wanted * n, task_.targets.positions,
                static_cast<std::size_t>(rows * n) * sizeof(double));
    device.read(call_.errors + 2 * first_ * call_.wanted, task_.targets.errors,
                static_cast<std::size_t>(2 * rows) * sizeof(double));
    std::vector<std::int32_t> counts(static_cast<std::size_t>(count_));
    device.read(counts.data(), task_.targets.counts, counts.size() * sizeof counts[0]);
    std::copy(counts.begin(), counts.end(), call_.counts + first_);
  }

  // Seeds of each of so many open targets in a round.
  [[nodiscard]] std::int64_t seedsOf(std::int64_t slots) const {
    const std::int64_t most =
        call_.wanted == 1 ? sizes_.most_for_one
                          : std::max(sizes_.most_for_one, sizes_.most_for_each * call_.wanted);
    return std::clamp<std::int64_t>(sizes_.threads / slots, 1, most);
  }

  void lay(Layout& layout) {
    const std::int64_t n = problem_.chain.num_variables;
    // The most in a round: with fewer slots each has more seeds, but all no more than this.
    const std::int64_t seeds = std::max(count_, sizes_.threads);
    Arrays numbers;
    appended(problem_, numbers, nullptr);
    numbers_ = layout.take<std::byte>(static_cast<std::int64_t>(numbers.bytes().size()));
    if constexpr (kResident) {
      task_.targets.poses = call_.poses + 16 * first_;
      task_.targets.positions = call_.positions + n * first_ * call_.wanted;
      task_.targets.counts = call_.counts + first_;
    } else {
      task_.targets.poses = own_poses_ = layout.take<double>(16 * count_);
      task_.targets.positions = layout.take<double>(n * count_ * call_.wanted);
      task_.targets.counts = layout.take<std::int32_t>(count_);
    }
    task_.targets.errors = layout.take<double>(2 * count_ * call_.wanted);
    slots_[0] = layout.take<std::int32_t>(count_);
    slots_[1] = layout.take<std::int32_t>(count_);
    task_.round.offsets = layout.take<std::int32_t>(cuda::numChunks(count_) + 1);
    task_.round.open = layout.take<std::uint8_t>(count_);
    task_.round.descended = layout.take<float>(n * seeds);
    task_.round.exact = layout.take<double>(n * seeds);
    task_.round.gaps = layout.take<double>(2 * seeds);
    task_.round.converged = layout.take<std::uint8_t>(seeds);
    task_.round.verified = layout.take<std::uint8_t>(seeds);
    task_.round.kept = layout.take<std::uint8_t>(seeds);
  }

  const ProblemNumbers& problem_;
  const Call& call_;
  std::int64_t first_;
  std::int64_t count_;
  const SearchSizes& sizes_;
  KernelsOfChain kernels_;
  std::optional<Kernel> form_;
  cuda::SearchTask task_{};
  std::byte* numbers_ = nullptr;
  double* own_poses_ = nullptr;
  std::array<std::int32_t*, 2> slots_{};
};

DeviceSearch::DeviceSearch(std::unique_ptr<Device> device, SearchSizes sizes)
    : device_(std::move(device)), sizes_(sizes) {}

std::byte* DeviceSearch::memory(std::size_t bytes) {
  if (memory_ == nullptr || memory_->bytes() < bytes) {
    memory_.reset();  // before more is taken
    memory_ = std::make_unique<DeviceMemory>(*device_, bytes);
  }
  return memory_->address();
}

template <class Call>
SearchWork DeviceSearch::solvePiece(const ProblemNumbers& problem, const Call& call,
                                    std::int64_t first, std::int64_t count,
                                    const parallel::StopWhen& stop) {
  Piece<Call> piece(problem, call, first, count, sizes_);
  piece.begin(*device_, memory(piece.bytes()));
  SearchWork work;
  if (piece.answered(*device_)) {
    work.rounds = 1;
    piece.end(*device_);
    return work;
  }
  while (!piece.isOver() && !stop.isLate() && !(stop.interrupted && stop.interrupted())) {
    work.seeds += piece.round(*device_);
    ++work.rounds;
  }
  piece.end(*device_);
  return work;
}

template <class Call>
SearchWork DeviceSearch::solveAll(const ProblemNumbers& problem, const Call& call,
                                  const parallel::StopWhen& stop) {
  const std::int64_t n = problem.chain.num_variables;
  std::int64_t size = std::max<std::int64_t>(
      1, std::min(sizes_.most_targets, sizes_.most_numbers / (call.wanted * n)));
  SearchWork work;
  for (std::int64_t first = 0; first < call.num_targets && !stop.isLate();) {
    const std::int64_t count = std::min(size, call.num_targets - first);
    try {
      const SearchWork done = solvePiece(problem, call, first, count, stop);
      work.rounds += done.rounds;
      work.seeds += done.seeds;
      first += count;
    } catch (const OutOfMemoryError&) {
      if (size <= kFewest) {
        throw;
      }
      size /= 2;
    }
  }
  return work;
}

SearchWork DeviceSearch::solve(const ProblemNumbers& problem, const SearchCall& call,
                               const parallel::StopWhen& stop) {
  const std::scoped_lock lock(in_use_);
  std::fill_n(call.counts, call.num_targets, 0);
  return solveAll(problem, call, stop);
}

SearchWork DeviceSearch::solve(const ProblemNumbers& problem, const ResidentCall& call,
                               const parallel::StopWhen& stop) {
  const std::scoped_lock lock(in_use_);
  device_->waitForOthers();
  device_->clear(call.counts, static_cast<std::size_t>(call.num_targets) * sizeof *call.counts);
  const SearchWork work = solveAll(problem, call, stop);
  device_->waitForOthers();
  return work;
}

bool DeviceSearch::takes(const ClosedForm& form) {
  return kernelOf(form).has_value();
}

void DeviceSearch::placeTips(const verify::RodriguesChain& chain, std::int64_t num_variables,
                             const double* positions, std::int64_t count, double* poses) {
  const std::scoped_lock lock(in_use_);
  for (std::int64_t first = 0; first < count; first += sizes_.most_targets) {
    const std::int64_t some = std::min(sizes_.most_targets, count - first);
    cuda::PlaceTask task{};
    Arrays numbers;
    appended(chain, numbers, nullptr);
    const auto lay = [&](Layout layout) {
      std::byte* base = layout.take<std::byte>(static_cast<std::int64_t>(numbers.bytes().size()));
      task.positions = layout.take<double>(num_variables * some);
      task.poses = layout.take<double>(16 * some);
      return std::pair(base, layout.used());
    };
    std::byte* base = lay(Layout(memory(lay(Layout(nullptr)).second))).first;
    Arrays placed;
    task.chain = appended(chain, placed, base);
    task.num_variables = num_variables;
    device_->write(base, placed.bytes().data(), placed.bytes().size());
    device_->write(const_cast<double*>(task.positions),  // NOLINT(*-const-cast): its own memory
                   positions + num_variables * first,
                   static_cast<std::size_t>(num_variables * some) * sizeof(double));
    device_->launch(Kernel::kPlace, &task, some);
    device_->read(poses + 16 * first, task.poses,
                  static_cast<std::size_t>(16 * some) * sizeof(double));
  }
}

}  // namespace generative_ik::device
