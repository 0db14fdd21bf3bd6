"""Whose request is worked on, and when one is given up, by Turns alone."""

import time

import pytest

from generative_ik_ros.ros.turns import Job, Turns


def job(seconds, name=""):
    now = time.perf_counter()
    return Job(now + seconds, now, name, None, lambda _: None)


def over(ago):
    """A request that came ten seconds ago and had to be answered by now, or a while ago."""
    now = time.perf_counter()
    return Job(now - ago, now - 10.0, "", None, lambda _: None)


def arrived(turns, *seconds):
    jobs = [job(one, str(one)) for one in seconds]
    for one in jobs:
        turns.arrive(one)
    return jobs


def test_the_most_urgent_goes_first():
    turns = Turns(at_once=1)
    arrived(turns, 30.0, 10.0, 20.0)
    first = turns.free()
    assert first.request == "10.0"
    assert turns.free() is None
    second = turns.leave(first)
    assert second.request == "20.0"
    assert turns.leave(second).request == "30.0"


def test_one_more_urgent_than_all_at_work_does_not_wait_up_to_twice_as_many():
    turns = Turns(at_once=1)
    arrived(turns, 30.0)
    slow = turns.free()
    arrived(turns, 10.0, 5.0)
    urgent = turns.free()
    assert (slow.request, urgent.request) == ("30.0", "5.0")
    arrived(turns, 1.0)
    assert turns.free() is None
    # With the urgent one still at work, one place is free again only for what is more urgent.
    assert turns.leave(slow).request == "1.0"


def test_nobody_at_work_is_left_behind_when_all_have_gone():
    turns = Turns(at_once=2)
    jobs = arrived(turns, *(1.0 + 0.1 * i for i in range(10)))
    begun = [turns.free(), turns.free()]
    done = []
    while begun:
        done.append(begun.pop())
        following = turns.leave(done[-1])
        if following is not None:
            begun.append(following)
    assert sorted(done) == sorted(jobs)
    assert turns.patience() is None


def test_what_can_no_longer_be_solved_is_handed_out_before_its_time_is_up():
    turns = Turns(at_once=1)
    arrived(turns, 30.0)
    turns.free()
    (late,) = arrived(turns, 60.0)
    assert turns.expired() is None
    assert 59.0 < turns.patience() < 60.0
    (hopeless,) = arrived(turns, 0.0)
    assert turns.patience() == 0.0
    assert turns.expired() is hopeless
    assert not hopeless.begun


def test_a_request_whose_time_is_up_when_its_turn_comes_is_declined_and_not_worked_on():
    turns = Turns(at_once=1)
    arrived(turns, 30.0)
    first = turns.free()
    turns.arrive(over(1.0))
    hopeless = turns.leave(first)
    assert "time was up" in hopeless.declined and not hopeless.begun
    assert turns.leave(hopeless) is None


def test_what_is_too_much_to_wait_is_declined_the_least_urgent_first():
    # One that asks for nothing counts 100.
    turns = Turns(at_once=1, most_waiting=1000)
    arrived(turns, 30.0)
    turns.free()
    small = [job(5.0 + i) for i in range(3)]
    large = job(20.0)
    large.size = 500
    assert not any(turns.arrive(one) for one in (*small[:2], large))
    assert turns.arrive(small[2]) == []
    (declined,) = turns.arrive(urgent := job(1.0))
    assert declined is large and "busy" in declined.declined and not large.begun
    huge = job(0.5)
    huge.size = 10_000
    declined = turns.arrive(huge)
    # Nothing is too large where nothing else waits.
    assert [one.deadline for one in declined] == [
        one.deadline for one in (small[2], small[1], small[0], urgent)
    ]
    (declined,) = turns.arrive(job(0.1))
    assert declined is huge


def test_of_two_as_urgent_the_one_that_is_declined_does_not_wait_any_more():
    turns = Turns(at_once=1, most_waiting=300)
    twins = [job(5.0, str(i)) for i in range(4)]
    for twin in twins:
        twin.deadline = twins[0].deadline
    declined = [gone for twin in twins for gone in turns.arrive(twin)]
    begun = [turns.free()]
    while (following := turns.leave(begun[-1])) is not None:
        begun.append(following)
    assert sorted(one.request for one in declined + begun) == ["0", "1", "2", "3"]


def test_who_waits_for_others_makes_room_and_wakes():
    turns, woken = Turns(at_once=1), []
    turns.when_free(lambda: woken.append(True))
    arrived(turns, 10.0)
    first = turns.free()
    turns.solve_by(first)
    arrived(turns, 20.0)
    assert turns.free() is None
    with turns.aside():
        assert woken
        second = turns.free()
        assert second.request == "20.0"
    assert turns.leave(first) is None
    assert turns.leave(second) is None


def test_aside_is_nothing_to_who_has_no_turn():
    turns, woken = Turns(at_once=1), []
    turns.when_free(lambda: woken.append(True))
    arrived(turns, 10.0)
    with turns.aside():
        assert not woken
    expired = job(0.0)
    turns.solve_by(expired)
    with turns.aside():
        assert not woken


def test_answers_that_took_long_leave_less_time_to_the_solver():
    turns = Turns(at_once=1)
    before = turns.solve_by(one := job(10.0))
    assert 0.0 < one.deadline - before < 0.001
    turns.sent(over(0.003))
    margin = one.deadline - turns.solve_by(one)
    assert 0.003 <= margin <= 0.005
    turns.sent(over(1.0))
    assert one.deadline - turns.solve_by(one) == pytest.approx(0.005)
    # Never more than a share of the time there is.
    short = job(0.004)
    assert short.deadline - turns.solve_by(short) == pytest.approx(0.001)
    for _ in range(100):
        # Out 0.1 ms after work on it had to end.
        turns.sent(over(0.0001 - (one.deadline - turns.solve_by(one))))
    assert one.deadline - turns.solve_by(one) < 0.002
