// Declarations of rclcpp that examples/ros_client_cpp uses, to check its types without rclcpp.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace rclcpp {

enum class FutureReturnCode { SUCCESS, INTERRUPTED, TIMEOUT };

class Logger {};

template <typename ServiceT>
class Client {
public:
  struct FutureAndRequestId : std::future<std::shared_ptr<typename ServiceT::Response>> {};
  bool wait_for_service(std::chrono::nanoseconds timeout);
  const char *get_service_name() const;
  FutureAndRequestId async_send_request(std::shared_ptr<typename ServiceT::Request> request);
};

class Node {
public:
  explicit Node(const std::string &name);
  Logger get_logger() const;
  template <typename ServiceT>
  std::shared_ptr<Client<ServiceT>> create_client(const std::string &service);
};

void init(int argc, char **argv);
bool shutdown();
template <typename FutureT>
FutureReturnCode spin_until_future_complete(std::shared_ptr<Node> node, FutureT &future,
                                            std::chrono::nanoseconds timeout);

}  // namespace rclcpp

void stand_in_log(const rclcpp::Logger &logger, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define RCLCPP_ERROR(logger, ...) stand_in_log(logger, __VA_ARGS__)
