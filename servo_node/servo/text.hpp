// Numbers and names in messages, in the words of the Python node.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace generative_ik_servo {

// At most 40 names, and how many more there are.
std::string listed(const std::vector<std::string>& names);

// A number with six significant digits.
std::string shortNumber(double number);

// A text that may be someone else's as one line.
std::string oneLine(const std::string& text);

// The numbers in the value of a parameter, separated by spaces. Throws std::invalid_argument if
// one is no finite number above 0.
std::vector<double> positiveNumbers(const std::string& name, const std::string& text);

// What is wrong with a pose; empty: nothing. A quaternion x, y, z, w may differ from norm 1 by
// 0.01.
std::string whatIsWrongWithPose(const std::array<double, 3>& position,
                                const std::array<double, 4>& quaternion);

// The same of a twist, linear and angular.
std::string whatIsWrongWithTwist(const std::array<double, 6>& twist);

}  // namespace generative_ik_servo
