// Trained networks on a device, thread by thread on the CPU, against those in lanes.
#include "../src/device/device_networks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "../src/device/emulated_device.hpp"

namespace generative_ik::device {
namespace {

// Arrays of random numbers, which stay where they are.
class RandomArrays {
 public:
  const float* operator()(std::int64_t count, float spread = 0.5F) {
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float>& numbers = arrays_.emplace_back(static_cast<std::size_t>(count));
    std::generate(numbers.begin(), numbers.end(), [&] { return normal(engine_); });
    return numbers.data();
  }

 private:
  std::mt19937 engine_{5};
  std::list<std::vector<float>> arrays_;
};

constexpr std::int64_t kPoses = 3;

// Poses of frames turned about x and z.
std::vector<double> somePoses() {
  std::vector<double> poses;
  for (int t = 0; t < kPoses; ++t) {
    const double c = std::cos(0.4 + t);
    const double s = std::sin(0.4 + t);
    const std::array<double, 16> pose = {c, -s, 0.0, 0.3 + 0.1 * t, 0.0, 0.0, -1.0, -0.4,
                                         s, c,  0.0, 0.5,           0.0, 0.0, 0.0,  1.0};
    poses.insert(poses.end(), pose.begin(), pose.end());
  }
  return poses;
}

std::vector<std::int64_t> allColumns() {
  std::vector<std::int64_t> columns(learned::kPoseNumbers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] = static_cast<std::int64_t>(i);
  }
  return columns;
}

// A flow of two layers with three hidden ones over three joints, whose two outer joints follow.
class SomeFlow {
 public:
  static constexpr std::int64_t kJoints = 5;

  SomeFlow() {
    learned::SplineLayers& layers = flow_.layers;
    layers = {2, 3, 2, 3, 3, {}, {}, {}, orders_.data(), circular_.data(), turn_.data()};
    layers.first = {random_(2 * 8 * 6), 6, 7};
    layers.middle = {random_(2 * 2 * 8 * 7), 7, 7};
    layers.last = {random_(2 * 12 * 7), 7, 10};
    const std::int64_t taken = layers.layers * layers.taken();
    flow_.pose.inputs = {0.7, columns_.data(), learned::kPoseNumbers};
    flow_.pose.layers[0] = {random_(38 * 5), random_(5), 38, 5, 5};
    flow_.pose.layers[1] = {random_(5 * 9), random_(9), 5, 9, 9};
    flow_.pose.layers[2] = {random_(9 * taken), random_(taken), 9, taken, taken};
    flow_.ends = {true,
                  true,
                  3,
                  random_(9),
                  order_of_steps_.data(),
                  random_(6),
                  prismatic_.data(),
                  random_(36),
                  outer_.data()};
    flow_.box = {kJoints, box_columns_.data(), least_.data(), slope_.data(), turning_.data()};
  }

  [[nodiscard]] const learned::SplineFlow& flow() const { return flow_; }

  [[nodiscard]] learned::FlowRequest request(const std::vector<double>& poses, std::int64_t count,
                                             std::int64_t first, double* positions) const {
    return {poses.data(), kPoses, count,         kJoints,       recurrence_.data(),
            first,        0.9,    lower_.data(), upper_.data(), positions};
  }

 private:
  RandomArrays random_;
  std::vector<std::int64_t> columns_ = allColumns();
  std::array<std::int64_t, 6> orders_ = {0, 1, 2, 2, 0, 1};
  std::array<bool, 3> circular_ = {true, false, false};
  std::array<float, 3> turn_ = {3.14159265F, 1.2F, 0.0F};
  std::array<std::int64_t, 3> order_of_steps_ = {2, 1, 0};
  std::array<bool, 3> prismatic_ = {false, true, false};
  std::array<float, 4> outer_ = {0.1F, 1.0F, -0.2F, -1.0F};
  std::array<std::int64_t, kJoints> box_columns_ = {-1, 0, 1, 2, -2};
  std::array<double, kJoints> least_ = {0.0, -3.0, -1.2, -0.5, 0.0};
  std::array<double, kJoints> slope_ = {1.0, 6.0, 2.4, 1.0, 1.0};
  std::array<bool, kJoints> turning_ = {true, true, false, false, true};
  std::array<double, 6> recurrence_ = {0.3, 0.1, 0.8, 0.8191725, 0.6710436, 0.5497005};
  std::array<double, kJoints> lower_ = {-3.0, -2.9, -1.0, -0.4, -3.1};
  std::array<double, kJoints> upper_ = {3.1, 2.9, 1.0, 0.4, 3.0};
  learned::SplineFlow flow_{};
};

// An arm of five joints: three that the network decides, then two in closed form.
class SomeArm {
 public:
  static constexpr std::int64_t kJoints = 5;
  static constexpr std::int64_t kWidth = 3;
  static constexpr std::int64_t kTries = 3;

  SomeArm() {
    learned::CompletionNetwork& network = arm_.network;
    network.blocks = 2;
    network.cells = 8;
    network.inputs = {random_(kJoints * 8 * 9), 9, 6};
    network.middle = {random_(4 * 8 * 6), 6, 6};
    network.head = {random_(8 * 6), 6, 8};
    network.starts = random_(kJoints * 6);
    network.shifts = random_(4 * 6);
    network.head_shifts = random_(8);
    network.spreads = spreads_.data();
    arm_.links = {kJoints,          kinds_.data(),    prismatic_.data(), axes_.data(),
                  normals_.data(),  random_(kJoints), random_(kJoints),  half_range_.data(),
                  variable_.data(), slope_.data(),    mid_value_.data(), column_.data()};
    arm_.known = {conditions_.data(), counts_.data(), is_signed_.data()};
    conditions_[1] = 0.3;
    conditions_[learned::kBasis] = 1.0;
    goals_ = random_(9 * kPoses, 0.6F);
  }

  [[nodiscard]] const learned::Arm& arm() const { return arm_; }

  [[nodiscard]] learned::CompletionRequest request(std::int64_t count, std::int64_t first,
                                                   double* positions) const {
    return {goals_,        kPoses,        count,          kJoints, recurrence_.data(),
            kWidth,        first,         shifts_.data(), kTries,  periodic_.data(),
            lower_.data(), upper_.data(), positions};
  }

 private:
  RandomArrays random_;
  std::array<float, 9> spreads_ = {2.0F, 1.5F, 1.0F, 0.7F, 0.5F, 0.3F, 0.2F, 0.1F, 0.05F};
  std::array<std::int64_t, kJoints> kinds_ = {learned::kSampled, learned::kSampled,
                                              learned::kSampled, learned::kClosedForm,
                                              learned::kClosedForm};
  std::array<bool, kJoints> prismatic_ = {false, true, false, false, false};
  std::array<float, 3 * kJoints> axes_ = {0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
  std::array<float, 3 * kJoints> normals_ = {1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
  std::array<float, kJoints> half_range_ = {2.5F, 0.3F, 2.0F, 3.0F, 3.0F};
  std::array<std::int64_t, kJoints> variable_ = {0, 1, 2, 3, 4};
  std::array<float, kJoints> slope_ = {1, 1, -1, 1, 1};
  std::array<double, kJoints> mid_value_ = {0.1, 0.0, -0.2, 0.0, 0.0};
  std::array<std::int64_t, kJoints> column_ = {0, 1, 2, 0, 0};
  std::vector<double> conditions_ =
      std::vector<double>(kJoints * learned::kConditions * 3 * learned::kBasis);
  std::array<std::int64_t, kJoints> counts_ = {0, 0, 1, 0, 0};
  std::array<bool, kJoints> is_signed_ = {false, false, true, false, false};
  std::array<double, 6> recurrence_ = {0.3, 0.1, 0.8, 0.8191725, 0.6710436, 0.5497005};
  std::array<float, 9> shifts_ = {0.0F, 0.0F, 0.0F, 0.6F, 0.2F, 0.8F, 0.2F, 0.4F, 0.7F};
  std::array<bool, kJoints> periodic_ = {true, false, true, true, true};
  std::array<double, kJoints> lower_ = {-2.4, -0.3, -2.2, -3.0, -3.0};
  std::array<double, kJoints> upper_ = {2.6, 0.3, 1.8, 3.0, 3.0};
  const float* goals_ = nullptr;
  learned::Arm arm_{};
};

// How many of the rows differ by more than rounding.
std::int64_t otherRows(const std::vector<double>& a, const std::vector<double>& b,
                       std::int64_t width) {
  std::int64_t others = 0;
  for (std::size_t row = 0; row < a.size(); row += static_cast<std::size_t>(width)) {
    double apart = 0.0;
    for (std::size_t k = row; k < row + static_cast<std::size_t>(width); ++k) {
      apart = std::max(apart, std::fabs(a[k] - b[k]));
    }
    others += apart < 1e-3 ? 0 : 1;
  }
  return others;
}

std::vector<double> roomFor(std::int64_t numbers) {
  return std::vector<double>(static_cast<std::size_t>(numbers), std::nan(""));
}

constexpr std::int64_t kCount = 70;

TEST(DeviceNetworks, FlowsGiveTheSamplesOfTheCpu) {
  const SomeFlow some;
  const std::vector<double> poses = somePoses();
  auto expected = roomFor(kPoses * kCount * SomeFlow::kJoints);
  auto found = expected;
  learned::sampleFlow(some.flow(), some.request(poses, kCount, 5, expected.data()), {});
  DeviceSearch search(std::make_unique<EmulatedDevice>());
  DeviceFlow flow(search, some.flow());
  flow.sample(some.request(poses, kCount, 5, found.data()), {});
  // A joint near the end of its turn may be on the other side.
  EXPECT_LE(otherRows(found, expected, SomeFlow::kJoints), 4);
}

TEST(DeviceNetworks, ArmsAreCompletedAsOnTheCpu) {
  const SomeArm some;
  auto expected = roomFor(kPoses * kCount * SomeArm::kJoints);
  auto found = expected;
  learned::completeArm(some.arm(), some.request(kCount, 5, expected.data()), {});
  DeviceSearch search(std::make_unique<EmulatedDevice>());
  DeviceArm arm(search, some.arm());
  arm.complete(some.request(kCount, 5, found.data()), {});
  // Rounding may choose another component of a mixture.
  EXPECT_LE(otherRows(found, expected, SomeArm::kJoints), 10);
}

TEST(DeviceNetworks, MembersGiveTheAnswersOfTheCpu) {
  RandomArrays random;
  const std::vector<std::int64_t> columns = allColumns();
  const std::array<bool, 2> prismatic = {false, true};
  const std::array<double, 2> half_range = {2.0, 0.3};
  const learned::MemberNetworks networks = {{0.8, columns.data(), learned::kPoseNumbers},
                                            3,
                                            3,
                                            6,
                                            2,
                                            random(3 * 38 * 6),
                                            random(3 * 6),
                                            random(3 * 2 * 6 * 6),
                                            random(3 * 2 * 6),
                                            random(3 * 6 * 4),
                                            random(3 * 4),
                                            prismatic.data(),
                                            half_range.data()};
  const std::vector<double> poses = somePoses();
  auto expected = roomFor(kPoses * 3 * 2);
  auto found = expected;
  learned::answerPoses(networks, {poses.data(), kPoses, expected.data()}, {});
  DeviceSearch search(std::make_unique<EmulatedDevice>());
  DeviceMembers members(search, networks);
  members.answer({poses.data(), kPoses, found.data()}, {});
  EXPECT_EQ(otherRows(found, expected, 2), 0);
}

TEST(DeviceNetworks, ASeedIsTheSameInEveryRequest) {
  const SomeFlow some;
  const SomeArm some_arm;
  const std::vector<double> poses = somePoses();
  // Less memory, and smaller pieces.
  for (const std::size_t bytes : {std::size_t{1} << 30U, std::size_t{60'000}}) {
    DeviceSearch search(std::make_unique<EmulatedDevice>(bytes));
    DeviceFlow flow(search, some.flow());
    DeviceArm arm(search, some_arm.arm());
    constexpr std::int64_t kFew = 9;
    auto all = roomFor(kPoses * 4 * kCount * SomeFlow::kJoints);
    auto few = roomFor(kPoses * kFew * SomeFlow::kJoints);
    const auto compare = [&] {
      for (std::int64_t t = 0; t < kPoses; ++t) {
        const auto row = all.begin() + (t * 4 * kCount + 20) * SomeFlow::kJoints;
        EXPECT_TRUE(std::equal(row, row + kFew * SomeFlow::kJoints,
                               few.begin() + t * kFew * SomeFlow::kJoints));
      }
    };
    flow.sample(some.request(poses, 4 * kCount, 0, all.data()), {});
    flow.sample(some.request(poses, kFew, 20, few.data()), {});
    compare();
    arm.complete(some_arm.request(4 * kCount, 0, all.data()), {});
    arm.complete(some_arm.request(kFew, 20, few.data()), {});
    compare();
  }
}

TEST(DeviceNetworks, SayWhereThereIsNoMemory) {
  const SomeFlow some;
  const std::vector<double> poses = somePoses();
  auto found = roomFor(kPoses * kCount * SomeFlow::kJoints);
  DeviceSearch none(std::make_unique<EmulatedDevice>(1000));
  EXPECT_THROW(DeviceFlow(none, some.flow()), OutOfMemoryError);
  DeviceSearch little(std::make_unique<EmulatedDevice>(20'000));
  DeviceFlow flow(little, some.flow());
  EXPECT_THROW(flow.sample(some.request(poses, kCount, 0, found.data()), {}), OutOfMemoryError);
}

}  // namespace
}  // namespace generative_ik::device
