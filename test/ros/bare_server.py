"""Minimal services that sleep as long as a solve takes and return as much data."""

import signal
import threading
import time
from array import array

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from generative_ik_ros.srv import GetIKPath, GetIKSolutions


def serve(_, response):
    start = time.perf_counter()
    time.sleep(0.002)
    response.positions = array("d", bytes(8 * 700))
    response.position_errors = response.orientation_errors = array("d", bytes(8 * 100))
    response.solve_time = time.perf_counter() - start
    return response


def serve_path(_, response):
    start = time.perf_counter()
    time.sleep(0.01)
    response.positions = response.velocities = response.accelerations = array("d", bytes(16800))
    response.solve_time = time.perf_counter() - start
    return response


stop = threading.Event()
signal.signal(signal.SIGINT, lambda *_: stop.set())
rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node("generative_ik")
node.create_service(GetIKSolutions, "~/get_ik_solutions", serve)
node.create_service(GetIKPath, "~/get_ik_path", serve_path)
executor = SingleThreadedExecutor()
executor.add_node(node)
thread = threading.Thread(target=executor.spin)
thread.start()
stop.wait()
executor.shutdown()
thread.join()
node.destroy_node()
rclpy.shutdown()
