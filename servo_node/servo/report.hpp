// What the status `servo` on /diagnostics says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loop.hpp"
#include "servo.hpp"
#include "text.hpp"

namespace generative_ik_servo {

// As diagnostic_msgs/DiagnosticStatus numbers them.
enum class Level : unsigned char { kOk = 0, kWarn = 1 };

// What is wrong, by one thread: why nothing is commanded, or what was wrong with the last message.
class Report {
 public:
  // What is missing to command anything at all; empty: nothing.
  void setMissing(const std::string& what) { missing_ = what; }

  // Notes why a message could not be used, or why the arm is not moved; it holds until a target is
  // followed. Returns whether that is to be logged: it is new since the last motion began.
  bool fail(const std::string& why, const ServoState& state);

  // Notes a message that could not be used; the same.
  bool refuse(const std::string& why, const ServoState& state);

  struct Status {
    Level level = Level::kOk;
    std::string message;
    bool operator==(const Status&) const = default;
  };
  [[nodiscard]] Status status(const ServoState& state);

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> values(
      const ServoState& state, const Lateness& lateness) const;

 private:
  std::string missing_;
  std::string failure_;
  std::uint64_t followed_ = 0;  // when it failed
  std::string logged_;
  std::uint64_t motions_ = 0;  // when that was logged
  std::uint64_t refused_ = 0;
};

}  // namespace generative_ik_servo
