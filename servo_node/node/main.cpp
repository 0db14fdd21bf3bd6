// Runs the node until SIGINT or SIGTERM, and ends when the arm is at rest.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <thread>

#include "servo_node.hpp"

namespace {

// UDP, unless the user has chosen others: through shared memory a client that is killed may hold
// up all others, and the loop with them.
void selectTransports() {
  for (const char* name : {"FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_DEFAULT_PROFILES_FILE",
                           "FASTRTPS_DEFAULT_PROFILES_FILE"}) {
    if (std::getenv(name) != nullptr) {  // NOLINT(concurrency-mt-unsafe): there is one thread
      return;
    }
  }
  for (const char* file : {"DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml"}) {
    if (access(file, R_OK) == 0) {
      return;
    }
  }
  setenv("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4", 0);  // NOLINT(concurrency-mt-unsafe)
}

// To be waited for by one thread; those that are begun from now on do not get them.
sigset_t blockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void runUntil(const sigset_t& signals) {
  const auto node = std::make_shared<generative_ik_servo::ServoNode>();
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  std::thread callbacks([&executor] { executor.spin(); });
  while (!executor.is_spinning()) {  // until then it could not be cancelled
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int number = 0;
  sigwait(&signals, &number);
  executor.cancel();
  callbacks.join();
  node->finish();
}

}  // namespace

int main(int argc, char** argv) {
  const sigset_t signals = blockSignals();
  selectTransports();
  try {
    rclcpp::init(argc, argv, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
    runUntil(signals);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generative_ik_servo: %s\n", error.what());  // NOLINT(*-vararg)
    rclcpp::shutdown();
    return 2;
  }
  rclcpp::shutdown();
  return 0;
}
