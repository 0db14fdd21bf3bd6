// Closed forms: all branches of known configurations, alike with every set of instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <generative_ik/closed_form.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../src/closed_form/kernels_of.hpp"
#include "../src/simd/constants.hpp"
#include "arms.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

// Those that this processor can run, and the same for one number at a time.
std::vector<std::vector<ClosedForm>> everyForms() {
  std::vector<std::vector<ClosedForm>> all;
  for (const ClosedFormKernels& kernels : closedFormKernels()) {
    all.push_back(closedFormsOf(kernels));
  }
  all.push_back(closedFormsOf(closedFormKernelsOf<double>()));
  return all;
}

const ClosedForm& formNamed(const std::vector<ClosedForm>& forms, const std::string& name) {
  for (const ClosedForm& form : forms) {
    if (form.name == name) {
      return form;
    }
  }
  throw std::runtime_error("no family " + name);
}

struct FoundBranches {
  std::vector<double> rows;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t size() const { return count < 0 ? -1 - count : count; }
};

FoundBranches branchesOf(const ClosedForm& form, const Arm& arm, const Pose& pose) {
  FoundBranches found;
  found.rows.resize(kJoints * static_cast<std::size_t>(form.max_branches));
  found.count = form.kernel(arm.parameters.data(), pose.tip, found.rows.data());
  return found;
}

// How far the nearest branch is from a configuration, the largest joint difference.
double gapTo(const FoundBranches& found, const double* q) {
  double nearest = 1e9;
  for (std::int64_t k = 0; k < found.size(); ++k) {
    double gap = 0.0;
    for (std::size_t j = 0; j < kJoints; ++j) {
      const double apart = found.rows[kJoints * static_cast<std::size_t>(k) + j] - q[j];
      gap = std::max(gap, std::abs(std::remainder(apart, 2.0 * kPi)));
    }
    nearest = std::min(nearest, gap);
  }
  return nearest;
}

class ClosedFormTest : public testing::Test {
 protected:
  void SetUp() override {
    if (arms_.empty()) {
      GTEST_SKIP() << "GENERATIVE_IK_CLOSED_FORMS_FILE is not set";
    }
  }

  const std::vector<Arm> arms_ = readArms();
};

TEST_F(ClosedFormTest, TheKnownConfigurationIsAmongTheBranches) {
  for (const std::vector<ClosedForm>& forms : everyForms()) {
    for (const Arm& arm : arms_) {
      const ClosedForm& form = formNamed(forms, arm.family);
      std::size_t marked = 0;
      for (const Pose& pose : arm.poses) {
        const FoundBranches found = branchesOf(form, arm, pose);
        ASSERT_LE(found.size(), form.max_branches);
        marked += found.count < 0 ? 1 : 0;
        if (found.count >= 0) {
          EXPECT_LT(gapTo(found, pose.known), 1e-4) << arm.family;
        }
      }
      EXPECT_LE(10 * marked, arm.poses.size()) << arm.family;
    }
  }
}

TEST_F(ClosedFormTest, AllSetsOfInstructionsFindTheSame) {
  const std::vector<std::vector<ClosedForm>> every = everyForms();
  for (const Arm& arm : arms_) {
    int apart = 0;
    for (const Pose& pose : arm.poses) {
      const FoundBranches expected = branchesOf(formNamed(every.back(), arm.family), arm, pose);
      for (const std::vector<ClosedForm>& forms : every) {
        const FoundBranches found = branchesOf(formNamed(forms, arm.family), arm, pose);
        if (found.count != expected.count) {
          ++apart;
          continue;
        }
        for (std::int64_t k = 0; found.count > 0 && k < found.size(); ++k) {
          EXPECT_LT(gapTo(expected, &found.rows[kJoints * static_cast<std::size_t>(k)]), 1e-6);
        }
      }
    }
    // Rounding decides at the border of what is marked.
    EXPECT_LE(apart, 1) << arm.family;
  }
}

TEST_F(ClosedFormTest, PosesOutOfReachHaveNoBranches) {
  for (const std::vector<ClosedForm>& forms : everyForms()) {
    for (const Arm& arm : arms_) {
      if (arm.family == "prismatic_wrist") {
        continue;  // its joints slide without limits
      }
      for (Pose pose : arm.poses) {
        for (const std::size_t k : {3, 7, 11}) {
          pose.tip[k] += 10.0 / arm.parameters[1];
        }
        EXPECT_EQ(branchesOf(formNamed(forms, arm.family), arm, pose).count, 0) << arm.family;
      }
    }
  }
}

TEST_F(ClosedFormTest, ParametersOfAnotherArmAreRefused) {
  for (const Arm& arm : arms_) {
    const ClosedForm& form = formNamed(closedForms(), arm.family);
    std::vector<double> parameters = arm.parameters;
    EXPECT_TRUE(form.takes(parameters.data(), parameters.size()));
    EXPECT_FALSE(form.takes(parameters.data(), form.least_parameters - 1));
    if (arm.family == "general_arm") {
      EXPECT_FALSE(form.takes(parameters.data(), parameters.size() - 1));
      for (const double wrong : {-1.0, 1e9, std::nan("")}) {
        for (std::size_t k = 51; k < 57; ++k) {
          parameters = arm.parameters;
          parameters[k] = wrong;
          EXPECT_FALSE(form.takes(parameters.data(), parameters.size())) << k;
        }
      }
    }
  }
}

TEST_F(ClosedFormTest, NotANumberEndsWithoutAnAnswer) {
  for (const std::vector<ClosedForm>& forms : everyForms()) {
    for (const Arm& arm : arms_) {
      Pose pose = arm.poses.front();
      for (double& number : pose.tip) {
        const double right = number;
        number = std::nan("");
        const ClosedForm& form = formNamed(forms, arm.family);
        EXPECT_LE(branchesOf(form, arm, pose).size(), form.max_branches);
        number = right;
      }
    }
  }
}

TEST(FindClosedForm, ChainsAreRecognisedByTheirAxes) {
  const auto six = findClosedForm(ur10());
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->name, "joints 2, 3 and 4 parallel, 5 and 6 intersect");
  EXPECT_FALSE(six->locked_joint.has_value());
  EXPECT_TRUE(six->family.takes(six->parameters.data(), six->parameters.size()));
  const auto seven = findClosedForm(panda());
  ASSERT_TRUE(seven.has_value());
  EXPECT_EQ(seven->name,
            "joint 7 locked: spherical wrist of joints 3, 2 and 1, 6 and 5 intersect");
  EXPECT_EQ(seven->locked_joint, 6);
  EXPECT_FALSE(findClosedForm(twoLinks()).has_value());
  EXPECT_EQ(whyNoClosedForm(twoLinks()), "takes 6 or 7 joints, not 2");
}

}  // namespace
}  // namespace generative_ik::test
