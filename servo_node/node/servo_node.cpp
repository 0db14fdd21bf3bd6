#include "servo_node.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "text.hpp"

namespace generative_ik_servo {
namespace {

// Time between two looks for another state, which is published at once.
constexpr std::chrono::milliseconds kLook{100};
// Time between two statuses that are the same [s].
constexpr double kStatusPeriod = 1.0;
// Pause of the loop after an error [s].
constexpr double kPause = 0.1;
// Queue of joint states, of which several nodes may publish some joints each.
constexpr std::size_t kJointStates = 100;

// What switches the loop, is read when it begins, or is not the node's own, ends no motion.
bool endsMotions(const rclcpp::Parameter& change) {
  const std::string& name = change.get_name();
  return name != "servo" && name != "servo_priority" && name != "servo_lock_memory" &&
         name != "use_sim_time";
}

}  // namespace

ServoNode::ServoNode(const rclcpp::NodeOptions& options)
    : rclcpp::Node("generative_ik_servo", options),
      settings_(declareSettings(*this)),
      frames_(*this) {
  parameters_ = add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& changes) { return changeParameters(changes); });
  descriptions_ = create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(),
      [this](const std_msgs::msg::String& message) { describe(message.data); });
  diagnostics_ =
      create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", rclcpp::QoS(10));
  timer_ = create_wall_timer(kLook, [this] { look(); });
  if (!settings_.robot_description.empty()) {
    describe(settings_.robot_description);
  } else {
    RCLCPP_INFO(get_logger(), "waiting for a robot description on %s",
                descriptions_->get_topic_name());
  }
  if (!settings_.servo) {
    RCLCPP_INFO(get_logger(), "nothing is commanded until the parameter servo is set");
  }
  makeArm();
  switchOnOrOff();
}

void ServoNode::finish() {
  servo_.stop();
  loop_.join();
}

rcl_interfaces::msg::SetParametersResult ServoNode::changeParameters(
    const std::vector<rclcpp::Parameter>& changes) {
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  try {
    Settings settings = changedSettings(*this, changes);
    const bool described = settings.robot_description != settings_.robot_description;
    const std::string text = described ? settings.robot_description : described_;
    if (std::any_of(changes.begin(), changes.end(), endsMotions)) {
      if (!text.empty()) {
        useRobot(generative_ik::readUrdf(text, settings.base_link, settings.tip_link), text);
      }
      settings_ = std::move(settings);
      makeArm();
    } else {
      settings_ = std::move(settings);
    }
    switchOnOrOff();
  } catch (const std::invalid_argument& error) {
    result.successful = false;
    result.reason = oneLine(error.what());
  }
  return result;
}

// A bad description leaves the robot before in place.
void ServoNode::describe(const std::string& urdf) {
  if (urdf == described_) {
    return;
  }
  try {
    useRobot(generative_ik::readUrdf(urdf, settings_.base_link, settings_.tip_link), urdf);
    makeArm();
  } catch (const std::invalid_argument& error) {
    refusal_ = oneLine(error.what());
    RCLCPP_ERROR(get_logger(), "robot description refused: %s", refusal_.c_str());
    report_.setMissing(missing());
  }
}

void ServoNode::useRobot(generative_ik::UrdfChain robot, const std::string& urdf) {
  std::vector<std::string> joints;
  for (const generative_ik::Variable& variable : robot.chain.variables()) {
    joints.push_back(variable.name);
  }
  if (joints != joints_) {
    joints_ = std::move(joints);
    ++joint_set_;
  }
  robot_ = std::move(robot);
  described_ = urdf;
  refusal_.clear();
}

std::string ServoNode::missing() {
  if (!settings_.only_in_python.empty()) {
    return settings_.only_in_python;
  }
  if (!robot_) {
    return "no usable robot description has arrived yet" +
           (refusal_.empty() ? "" : " (the last one was refused: " + refusal_ + ")") +
           "; publish one on " + descriptions_->get_topic_name() +
           " or set the parameter robot_description";
  }
  return arm_refusal_;
}

// Has motions made with the robot and the settings as they are now.
void ServoNode::makeArm() {
  arm_ = nullptr;
  arm_refusal_.clear();
  if (robot_ && settings_.only_in_python.empty()) {
    try {
      arms_.push_back(std::make_unique<CommandedArm>(*robot_, settings_.arm, joint_set_));
      arm_ = arms_.back().get();
      arm_->measured.write(joint_states_.measured(joints_));
    } catch (const std::invalid_argument& error) {
      arm_refusal_ = oneLine(error.what());
    }
  }
  servo_.setArm(arm_);
  const std::string what = missing();
  report_.setMissing(what);
  if (!what.empty() && settings_.servo) {
    warn(what);
  }
}

void ServoNode::warn(const std::string& line) {
  RCLCPP_WARN(get_logger(), "servo: %s", line.c_str());
}

void ServoNode::open() {
  commands_ = std::make_unique<Commands>(*this);
  const rclcpp::QoS newest = rclcpp::QoS(1).best_effort();
  inputs_.push_back(create_subscription<geometry_msgs::msg::PoseStamped>(
      "~/servo_target", newest,
      [this](const geometry_msgs::msg::PoseStamped& message) { takeAim(message, &Arm::poses); }));
  inputs_.push_back(create_subscription<geometry_msgs::msg::TwistStamped>(
      "~/servo_twist", newest, [this](const geometry_msgs::msg::TwistStamped& message) {
        takeAim(message, &Arm::twists);
      }));
  inputs_.push_back(create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", rclcpp::QoS(kJointStates).best_effort(),
      [this](const sensor_msgs::msg::JointState& message) { takeJointState(message); }));
  joint_states_topic_ = inputs_.back()->get_topic_name();
}

void ServoNode::close() {
  loop_.join();
  inputs_.clear();
  commands_.reset();
}

void ServoNode::switchOnOrOff() {
  if (!settings_.servo) {
    servo_.stop();
    if (commands_ && !loop_.running()) {
      close();
    }
    return;
  }
  servo_.resume();
  if (loop_.running()) {
    return;
  }
  if (!commands_) {
    open();
  }
  const std::string refused =
      loop_.start([this](double now) { return tick(now); }, settings_.loop, lateness_);
  if (!refused.empty()) {
    warn(refused);
  }
}

// By the loop's thread: commands what is next, and returns the time until the next call [s].
double ServoNode::tick(double now) {
  try {
    const generative_ik::TrackerStep* step = servo_.tick(now);
    auto* arm = static_cast<CommandedArm*>(servo_.arm());
    if (step != nullptr) {
      commands_->publish(*arm, *step);
    }
    if (servo_.finished()) {
      return 0.0;
    }
    return arm != nullptr ? arm->period() : kPause;
  } catch (const std::exception& error) {
    servo_.abandon();
    if (!rclcpp::ok()) {
      return 0.0;
    }
    RCLCPP_ERROR(get_logger(), "servo failed: %s", error.what());
    return kPause;
  }
}

void ServoNode::look() {
  switchOnOrOff();
  const auto unused = [this](const auto& arm) { return !servo_.uses(arm.get()); };
  arms_.erase(std::remove_if(arms_.begin(), arms_.end(), unused), arms_.end());
  if (!commands_) {
    return;
  }
  commands_->look();
  const ServoState& state = servo_.state();
  reportBlocked(state);
  const Report::Status status = report_.status(state);
  const double now = steadyNow();
  if (status == published_ && now < publish_at_) {
    return;
  }
  published_ = status;
  publish_at_ = now + kStatusPeriod;
  publishStatus(status, state);
}

void ServoNode::publishStatus(const Report::Status& status, const ServoState& state) {
  diagnostic_msgs::msg::DiagnosticArray array;
  array.header.stamp = get_clock()->now();
  array.status.resize(1);
  diagnostic_msgs::msg::DiagnosticStatus& one = array.status.front();
  one.level = static_cast<unsigned char>(status.level);
  one.name = std::string(get_fully_qualified_name()).substr(1) + ": servo";
  one.message = status.message;
  for (auto& [key, value] : report_.values(state, lateness_)) {
    diagnostic_msgs::msg::KeyValue pair;
    pair.key = key;
    pair.value = value;
    one.values.push_back(std::move(pair));
  }
  diagnostics_->publish(array);
}

void ServoNode::reportBlocked(const ServoState& state) {
  std::string why;
  if (arm_ == nullptr || state.blocked == Blocked::kNot) {
    return;
  }
  if (state.blocked == Blocked::kBeyondLimits) {
    why = beyondLimits(*arm_, joint_states_.measured(joints_));
  } else {
    const std::vector<std::string> names = joint_states_.missing(joints_, steadyNow());
    if (names.empty()) {  // they have come since
      return;
    }
    why = "no position of " + listed(names) + " on " + joint_states_topic_ + " in the last " +
          shortNumber(kMeasuredFor) +
          " s; nothing is commanded before it is known where the arm is";
  }
  if (report_.fail(why, state)) {
    warn(why);
  }
}

template <class Message>
void ServoNode::takeAim(const Message& message, Handover<Aim> Arm::*place) {
  if (arm_ == nullptr) {
    return;
  }
  try {
    (arm_->*place).write(aimOf(message, frames_, *robot_, steadyNow()));
  } catch (const std::invalid_argument& error) {
    const std::string why = oneLine(error.what());
    if (report_.refuse(why, servo_.state())) {
      warn("refused: " + why);
    }
  }
}

void ServoNode::takeJointState(const sensor_msgs::msg::JointState& message) {
  joint_states_.take(message, steadyNow());
  if (arm_ != nullptr) {
    arm_->measured.write(joint_states_.measured(joints_));
  }
}

}  // namespace generative_ik_servo
