#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace generative_ik_servo {
namespace {

constexpr std::size_t kMostNames = 40;
constexpr std::size_t kLongestLine = 4000;
constexpr double kNormTolerance = 0.01;

template <class Numbers>
bool allFinite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

template <class Numbers>
std::string commaSeparated(const Numbers& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "" : ", ") + shortNumber(number);
  }
  return text;
}

template <class Numbers>
std::string inBrackets(const Numbers& numbers) {
  return "(" + commaSeparated(numbers) + ")";
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kMostNames) {
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  }
  return text;
}

std::string shortNumber(double number) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.6g", number);  // NOLINT(*-vararg)
  return text.data();
}

std::string oneLine(const std::string& text) {
  std::string line;
  for (const char c : text.substr(0, kLongestLine)) {
    const bool blank = std::iscntrl(static_cast<unsigned char>(c)) != 0 || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  return text.size() <= kLongestLine ? line : line + "...";
}

std::vector<double> positiveNumbers(const std::string& name, const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  for (std::string word; words >> word;) {
    std::istringstream in(word);
    in.imbue(std::locale::classic());
    double number = 0.0;
    if (!(in >> number) || !in.eof() || !(number > 0.0) || !std::isfinite(number)) {
      std::string wrong = "parameter " + name + " takes one number above 0 for all joints, ";
      wrong += "or one for each, separated by spaces, got '";
      wrong += text;
      wrong += "'";
      throw std::invalid_argument(wrong);
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::string whatIsWrongWithPose(const std::array<double, 3>& position,
                                const std::array<double, 4>& quaternion) {
  if (!allFinite(position)) {
    return "target 0: position is not finite: " + inBrackets(position);
  }
  const std::string orientation = "target 0: orientation ";
  if (!allFinite(quaternion)) {
    return orientation + "is not finite: " + inBrackets(quaternion);
  }
  double squares = 0.0;
  for (const double number : quaternion) {
    squares += number * number;
  }
  const double norm = std::sqrt(squares);
  if (norm < kNormTolerance) {
    return orientation + "is a zero quaternion " + inBrackets(quaternion);
  }
  if (!(std::abs(norm - 1.0) <= kNormTolerance)) {
    return orientation + inBrackets(quaternion) + " (x, y, z, w) has norm " + shortNumber(norm) +
           "; only quaternions within 0.01 of norm 1 are accepted and normalised";
  }
  return {};
}

std::string whatIsWrongWithTwist(const std::array<double, 6>& twist) {
  return allFinite(twist) ? "" : "twist is not finite: [" + commaSeparated(twist) + "]";
}

}  // namespace generative_ik_servo
