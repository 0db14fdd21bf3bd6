// The parts that closed forms are made of, beside what they solve.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../src/closed_form/branches.hpp"
#include "../src/closed_form/samples.hpp"
#include "../src/simd/constants.hpp"

namespace generative_ik::closed_form {
namespace {

using simd::Lanes;
using Two = Lanes<2>;

double apart(double a, double b) {
  return std::abs(std::remainder(a - b, 2.0 * kPi));
}

class SubproblemsTest : public testing::Test {
 public:
  double uniform(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random_);
  }

  Vector3<double> unit() {
    const Vector3<double> v = {uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(0.1, 1.0)};
    return (1.0 / std::sqrt(dot(v, v))) * v;
  }

 private:
  std::mt19937 random_{7};
};

TEST_F(SubproblemsTest, RadiansAreThoseOfTheMathematicalLibrary) {
  const auto check = [](double angle) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const Two lanes =
        simd::radiansOf(Angle<Two>{Two(Two::Register{c, -c}), Two(Two::Register{s, -s})});
    // -pi and pi are one angle.
    EXPECT_LT(apart(simd::radiansOf(Angle<double>{c, s}), std::atan2(s, c)), 1e-15);
    EXPECT_LT(apart(simd::lane(lanes, 0), std::atan2(s, c)), 1e-15);
    EXPECT_LT(apart(simd::lane(lanes, 1), std::atan2(-s, -c)), 1e-15);
  };
  for (int i = 0; i < 10000; ++i) {
    check(uniform(-kPi, kPi));
  }
  for (int i = -8; i < 8; ++i) {
    check(i * kPi / 8.0);
    check(i * kPi / 8.0 + 1e-9);
  }
}

TEST_F(SubproblemsTest, NumbersAreDoubledByHalves) {
  const Two lanes(Two::Register{3.0, 4.0});
  for (const int half : {0, 1}) {
    const Two twice = simd::doubled<Two>(lanes, half);
    EXPECT_EQ(simd::lane(twice, 0), 3.0 + half);
    EXPECT_EQ(simd::lane(twice, 1), 3.0 + half);
    EXPECT_EQ(simd::bitsOf(simd::doubledMask<Two>(lanes < Two(3.5), half)), half == 0 ? 3U : 0U);
  }
}

TEST_F(SubproblemsTest, TheAngleBetweenTurnsOneVectorToTheOther) {
  for (int i = 0; i < 1000; ++i) {
    const Vector3<double> k = unit();
    const Vector3<double> p = unit();
    const double angle = uniform(-kPi, kPi);
    const Vector3<double> q = turn(k, Angle<double>{std::cos(angle), std::sin(angle)}, p);
    const AngleBetween<double> found = angleBetween<double>(p, q, k, 1e-15);
    EXPECT_TRUE(found.defined);
    EXPECT_LT(apart(simd::radiansOf(found.angle), angle), 1e-13 + 10.0 * found.off);
  }
  const Vector3<double> k = unit();
  EXPECT_FALSE(angleBetween<double>(k, unit(), k, 1e-15).defined);
}

TEST_F(SubproblemsTest, BothAnglesOnALine) {
  int none = 0;
  for (int i = 0; i < 1000; ++i) {
    const double a = uniform(-1.0, 1.0);
    const double b = uniform(-1.0, 1.0);
    const double d = uniform(-1.0, 1.0);
    const AngleOnLine<double> first = angleOnLine(a, b, d, 1e-15, 1.0);
    const AngleOnLine<double> second = angleOnLine(a, b, d, 1e-15, -1.0);
    EXPECT_EQ(first.exists, second.exists);
    EXPECT_EQ(first.exists, std::abs(d) < std::hypot(a, b));
    EXPECT_TRUE(first.certain);
    none += first.exists ? 0 : 1;
    if (first.exists) {
      for (const Angle<double>& u : {first.angle, second.angle}) {
        EXPECT_NEAR(a * u.cosine + b * u.sine, d, 1e-14);
        EXPECT_NEAR(std::hypot(u.cosine, u.sine), 1.0, 1e-14);
      }
      EXPECT_GT(std::hypot(first.angle.cosine - second.angle.cosine,
                           first.angle.sine - second.angle.sine),
                1e-9);
    }
  }
  EXPECT_GT(none, 100);
  // A line that touches the circle: one angle, and it is not certain.
  EXPECT_TRUE(angleOnLine(3.0, 4.0, 5.0, 1e-15, 1.0).exists);
  EXPECT_FALSE(angleOnLine(3.0, 4.0, 5.0, 1e-15, 1.0).certain);
  EXPECT_FALSE(angleOnLine(3.0, 4.0, 5.0, 1e-15, -1.0).exists);
  // Any angle solves it.
  EXPECT_FALSE(angleOnLine(0.0, 0.0, 0.0, 1e-15, 1.0).certain);
}

// sin((u - a) / 2) sin((u - b) / 2) ..., of an even number of zeros, from its values.
template <int Degree>
TrigonometricPolynomial<Degree> withZeros(const double (&zeros)[2 * Degree]) {  // NOLINT
  double values[kSampleRoom];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < kSamples; ++k) {
    const double u = std::atan2(sampleAngles().sines[k], sampleAngles().cosines[k]);
    values[k] = 1.0;
    for (const double zero : zeros) {
      values[k] *= std::sin((u - zero) / 2.0);
    }
  }
  TrigonometricPolynomial<Degree> f{};
  EXPECT_LT(interpolate(values, 0.0, f), 1e-15);
  return f;
}

TEST_F(SubproblemsTest, SamplesAreEvenlyRoundTheCircle) {
  for (int k = 0; k < kSampleRoom; ++k) {
    const double angle = 2.0 * kPi * (k % kSamples) / kSamples;
    EXPECT_NEAR(sampleAngles().cosines[k], std::cos(angle), 1e-15);
    EXPECT_NEAR(sampleAngles().sines[k], std::sin(angle), 1e-15);
  }
}

TEST_F(SubproblemsTest, AllZerosOfAPolynomialAreFound) {
  for (int i = 0; i < 1000; ++i) {
    double known[8];  // NOLINT(*-avoid-c-arrays)
    for (int k = 0; k < 8; ++k) {
      known[k] = -3.0 + 0.75 * k + uniform(0.05, 0.7);
    }
    Zeros zeros;
    findZeros(withZeros<4>(known), 1e-15, zeros);
    EXPECT_TRUE(zeros.sure);
    ASSERT_EQ(zeros.count, 8);
    for (int k = 0; k < 8; ++k) {
      EXPECT_NEAR(zeros.angles[k], known[k], 1e-9);
    }
  }
}

TEST_F(SubproblemsTest, ADoubleZeroIsNotCertain) {
  Zeros zeros;
  findZeros(withZeros<1>({0.3, 0.3}), 1e-15, zeros);
  EXPECT_FALSE(zeros.sure);
  ASSERT_GE(zeros.count, 1);
  EXPECT_NEAR(zeros.angles[0], 0.3, 1e-6);
}

}  // namespace
}  // namespace generative_ik::closed_form
