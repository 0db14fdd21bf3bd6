"""The scheduling of requests, without ROS."""

import time

import pytest

from generative_ik_ros.ros.scheduler import Job, Scheduler


def job(seconds, name=""):
    now = time.perf_counter()
    return Job(now + seconds, now, name, None, lambda _: None)


def overdue(ago):
    """A request that arrived ten seconds ago and whose deadline passed `ago` seconds ago."""
    now = time.perf_counter()
    return Job(now - ago, now - 10.0, "", None, lambda _: None)


def submit_all(scheduler, *seconds):
    jobs = [job(one, str(one)) for one in seconds]
    for one in jobs:
        scheduler.submit(one)
    return jobs


def test_the_earliest_deadline_runs_first():
    scheduler = Scheduler(max_running=1)
    submit_all(scheduler, 30.0, 10.0, 20.0)
    first = scheduler.next_job()
    assert first.request == "10.0"
    assert scheduler.next_job() is None
    second = scheduler.finish(first)
    assert second.request == "20.0"
    assert scheduler.finish(second).request == "30.0"


def test_a_request_more_urgent_than_all_running_ones_starts_at_once_up_to_the_overcommit():
    scheduler = Scheduler(max_running=1)
    submit_all(scheduler, 30.0)
    slow = scheduler.next_job()
    submit_all(scheduler, 10.0, 5.0)
    urgent = scheduler.next_job()
    assert (slow.request, urgent.request) == ("30.0", "5.0")
    submit_all(scheduler, 1.0)
    assert scheduler.next_job() is None
    # While the urgent one runs, only an even more urgent one may start.
    assert scheduler.finish(slow).request == "1.0"


def test_every_request_is_finished_once():
    scheduler = Scheduler(max_running=2)
    jobs = submit_all(scheduler, *(1.0 + 0.1 * i for i in range(10)))
    started = [scheduler.next_job(), scheduler.next_job()]
    done = []
    while started:
        done.append(started.pop())
        following = scheduler.finish(done[-1])
        if following is not None:
            started.append(following)
    assert sorted(done) == sorted(jobs)
    assert scheduler.time_to_expiry() is None


def test_a_request_that_cannot_be_solved_in_time_expires_before_its_deadline():
    scheduler = Scheduler(max_running=1)
    submit_all(scheduler, 30.0)
    scheduler.next_job()
    (late,) = submit_all(scheduler, 60.0)
    assert scheduler.next_expired() is None
    assert 50.0 < scheduler.time_to_expiry() < 60.0
    (hopeless,) = submit_all(scheduler, 0.0)
    assert scheduler.time_to_expiry() == 0.0
    assert scheduler.next_expired() is hopeless
    assert not hopeless.running


def test_an_expired_request_is_declined_and_does_not_run():
    scheduler = Scheduler(max_running=1)
    submit_all(scheduler, 30.0)
    first = scheduler.next_job()
    scheduler.submit(overdue(1.0))
    hopeless = scheduler.finish(first)
    assert "timeout passed" in hopeless.declined and not hopeless.running
    assert scheduler.finish(hopeless) is None


def test_a_full_queue_declines_the_latest_deadlines():
    # A request of size n counts n + 100.
    scheduler = Scheduler(max_running=1, max_waiting=1000)
    submit_all(scheduler, 30.0)
    scheduler.next_job()
    small = [job(5.0 + i) for i in range(3)]
    large = job(20.0)
    large.size = 500
    assert not any(scheduler.submit(one) for one in (*small[:2], large))
    assert scheduler.submit(small[2]) == []
    (declined,) = scheduler.submit(urgent := job(1.0))
    assert declined is large and "busy" in declined.declined and not large.running
    huge = job(0.5)
    huge.size = 10_000
    declined = scheduler.submit(huge)
    # A request is never too large for an empty queue.
    assert [one.deadline for one in declined] == [
        one.deadline for one in (small[2], small[1], small[0], urgent)
    ]
    (declined,) = scheduler.submit(job(0.1))
    assert declined is huge


def test_of_equal_deadlines_each_request_is_either_declined_or_run():
    scheduler = Scheduler(max_running=1, max_waiting=300)
    equal = [job(5.0, str(i)) for i in range(4)]
    for one in equal:
        one.deadline = equal[0].deadline
    declined = [gone for one in equal for gone in scheduler.submit(one)]
    started = [scheduler.next_job()]
    while (following := scheduler.finish(started[-1])) is not None:
        started.append(following)
    assert sorted(one.request for one in declined + started) == ["0", "1", "2", "3"]


def test_a_suspended_request_lets_another_one_run():
    scheduler, woken = Scheduler(max_running=1), []
    scheduler.on_ready(lambda: woken.append(True))
    submit_all(scheduler, 10.0)
    first = scheduler.next_job()
    scheduler.begin_solve(first)
    submit_all(scheduler, 20.0)
    assert scheduler.next_job() is None
    with scheduler.suspended():
        assert woken
        second = scheduler.next_job()
        assert second.request == "20.0"
    assert scheduler.finish(first) is None
    assert scheduler.finish(second) is None


def test_suspended_does_nothing_on_a_thread_without_a_running_request():
    scheduler, woken = Scheduler(max_running=1), []
    scheduler.on_ready(lambda: woken.append(True))
    submit_all(scheduler, 10.0)
    with scheduler.suspended():
        assert not woken
    expired = job(0.0)
    scheduler.begin_solve(expired)
    with scheduler.suspended():
        assert not woken


def test_slow_replies_leave_less_time_to_the_solver():
    scheduler = Scheduler(max_running=1)
    before = scheduler.begin_solve(one := job(10.0))
    assert 0.0 < one.deadline - before < 0.001
    scheduler.reply_sent(overdue(0.003))
    margin = one.deadline - scheduler.begin_solve(one)
    assert 0.003 <= margin <= 0.005
    scheduler.reply_sent(overdue(1.0))
    assert one.deadline - scheduler.begin_solve(one) == pytest.approx(0.005)
    # Never more than a fraction of the timeout.
    short = job(0.004)
    assert short.deadline - scheduler.begin_solve(short) == pytest.approx(0.001)
    for _ in range(100):
        # Sent 0.1 ms after the end of the solve was due.
        scheduler.reply_sent(overdue(0.0001 - (one.deadline - scheduler.begin_solve(one))))
    assert one.deadline - scheduler.begin_solve(one) < 0.002
