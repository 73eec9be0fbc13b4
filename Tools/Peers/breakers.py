# SPDX-License-Identifier: Apache-2.0
"""Circuit breakers: pybreaker, purgatory and hyx."""

import asyncio
import threading
import time
from datetime import datetime, timedelta, timezone
from unittest import mock

import hyx.circuitbreaker
import hyx.circuitbreaker.exceptions
import hyx.circuitbreaker.states
import purgatory
import purgatory.domain.model
import pybreaker

from harness import Failed, Finding, Verdict, holds, judged, scenario

BREAK = 0.05


def opened_pybreaker(**options) -> pybreaker.CircuitBreaker:
    breaker = pybreaker.CircuitBreaker(fail_max=3, reset_timeout=BREAK, **options)
    for _ in range(3):
        fail_with_pybreaker(breaker)
    assert breaker.current_state == "open"
    return breaker


def fail_with_pybreaker(breaker: pybreaker.CircuitBreaker) -> None:
    def operation():
        raise Failed

    try:
        breaker.call(operation)
    except (Failed, pybreaker.CircuitBreakerError):
        pass


async def purgatory_breaker():
    return await purgatory.AsyncCircuitBreakerFactory().get_breaker("a", threshold=3, ttl=BREAK)


async def fail_with(breaker) -> None:
    try:
        async with breaker:
            raise Failed
    except Failed:
        pass


def hyx_breaker() -> hyx.circuitbreaker.consecutive_breaker:
    return hyx.circuitbreaker.consecutive_breaker(
        failure_threshold=3, recovery_time_secs=BREAK, recovery_threshold=1
    )


async def opened(breaker):
    for _ in range(3):
        await fail_with(breaker)
    return breaker


class Held:
    """A call on its way through a breaker, which ends when it is told to."""

    def __init__(self, breaker, fails: bool = False):
        self.fails = fails
        self.end = asyncio.Event()
        self.begun = asyncio.Event()
        self.task = asyncio.create_task(self.run(breaker))

    async def run(self, breaker):
        async with breaker:
            self.begun.set()
            await self.end.wait()
            if self.fails:
                raise Failed


# 1. A call that was let through while closed, and ends well while half-open.


async def late_success(breaker, state) -> Finding:
    late = Held(breaker)
    await late.begun.wait()
    await opened(breaker)
    await asyncio.sleep(BREAK * 2)
    probe = Held(breaker)
    await probe.begun.wait()
    late.end.set()
    await late.task
    after = state()
    probe.end.set()
    await probe.task
    return judged(
        after not in ("closed", "working"),
        f"a success from before the break left it {after} while the probe was under way",
    )


@scenario(1, "purgatory")
async def late_success_purgatory() -> Finding:
    breaker = await purgatory_breaker()
    return await late_success(breaker, lambda: breaker.context.state)


@scenario(1, "hyx")
async def late_success_hyx() -> Finding:
    breaker = hyx_breaker()
    return await late_success(breaker, lambda: breaker.state.name)


@scenario(1, "pybreaker")
def late_failure_pybreaker() -> Finding:
    """`calling()` holds no lock meanwhile, so a call can outlive the state it began in."""
    breaker = pybreaker.CircuitBreaker(fail_max=3, reset_timeout=BREAK)
    try:
        with breaker.calling():
            for _ in range(3):
                fail_with_pybreaker(breaker)
            time.sleep(BREAK * 2)
            breaker.call(lambda: None)
            assert breaker.current_state == "closed"
            for _ in range(2):
                fail_with_pybreaker(breaker)
            raise Failed
    except (Failed, pybreaker.CircuitBreakerError):
        pass
    return judged(
        breaker.current_state == "closed",
        "a failure from before the break counted as one after it: two new ones and it left"
        f" the breaker {breaker.current_state}",
    )


# 2. Everybody is let through after the break.


async def herd(breaker) -> Finding:
    await opened(breaker)
    await asyncio.sleep(BREAK * 2)
    most = running = 0
    end = asyncio.Event()

    async def call():
        nonlocal most, running
        try:
            async with breaker:
                running += 1
                most = max(most, running)
                await end.wait()
                running -= 1
        except (purgatory.domain.model.OpenedState, hyx.circuitbreaker.exceptions.BreakerFailing):
            pass

    calls = [asyncio.create_task(call()) for _ in range(200)]
    await asyncio.sleep(BREAK)
    end.set()
    await asyncio.gather(*calls)
    return judged(most == 1, f"{most} of 200 callers were let through as probes at once")


@scenario(2, "purgatory")
async def herd_purgatory() -> Finding:
    return await herd(await purgatory_breaker())


@scenario(2, "hyx")
async def herd_hyx() -> Finding:
    return await herd(hyx_breaker())


@scenario(2, "pybreaker")
def herd_pybreaker() -> Finding:
    breaker = opened_pybreaker()
    time.sleep(BREAK * 2)
    contexts = [breaker.calling() for _ in range(200)]
    inside = 0
    for context in contexts:
        try:
            context.__enter__()
            inside += 1
        except pybreaker.CircuitBreakerError:
            pass
    for context in contexts[:inside]:
        context.__exit__(None, None, None)
    return Finding(
        Verdict.PARTLY if inside > 1 else Verdict.HOLDS,
        f"`calling()` let {inside} of 200 through at once; `call()` lets one through, since it"
        " holds a lock for as long as the call takes",
    )


# 3 and 26. A call that its caller cancels says nothing about the dependency.


async def cancel_probe(breaker, state) -> Finding:
    await opened(breaker)
    await asyncio.sleep(BREAK * 2)
    probe = Held(breaker)
    await probe.begun.wait()
    probe.task.cancel()
    await asyncio.gather(probe.task, return_exceptions=True)
    after = state()
    return judged(
        after in ("half-opened", "recovering"),
        f"a probe that its caller cancelled left the breaker {after}",
    )


async def cancel_calls(breaker, state) -> Finding:
    for _ in range(3):
        call = Held(breaker)
        await call.begun.wait()
        call.task.cancel()
        await asyncio.gather(call.task, return_exceptions=True)
    return judged(state() in ("closed", "working"), f"three cancelled calls left it {state()}")


@scenario(3, "purgatory")
async def cancel_probe_purgatory() -> Finding:
    breaker = await purgatory_breaker()
    return await cancel_probe(breaker, lambda: breaker.context.state)


@scenario(3, "hyx")
async def cancel_probe_hyx() -> Finding:
    breaker = hyx_breaker()
    return await cancel_probe(breaker, lambda: breaker.state.name)


@scenario(26, "purgatory")
async def cancel_calls_purgatory() -> Finding:
    breaker = await purgatory_breaker()
    return await cancel_calls(breaker, lambda: breaker.context.state)


@scenario(26, "hyx")
async def cancel_calls_hyx() -> Finding:
    breaker = hyx_breaker()
    return await cancel_calls(breaker, lambda: breaker.state.name)


@scenario(26, "pybreaker")
async def cancel_calls_pybreaker() -> Finding:
    breaker = pybreaker.CircuitBreaker(fail_max=3, reset_timeout=BREAK)

    async def call():
        with breaker.calling():
            await asyncio.Event().wait()

    for _ in range(3):
        task = asyncio.create_task(call())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    return judged(
        breaker.current_state == "closed", f"three cancelled calls left it {breaker.current_state}"
    )


# 4. A probe that never ends.


@scenario(4, "pybreaker")
def hung_probe() -> Finding:
    breaker = opened_pybreaker()
    time.sleep(BREAK * 2)
    release = threading.Event()
    begun = threading.Event()

    def hang():
        begun.set()
        release.wait()

    probe = threading.Thread(target=breaker.call, args=(hang,))
    probe.start()
    begun.wait()
    answered = threading.Event()

    def call():
        breaker.call(lambda: None)
        answered.set()

    other = threading.Thread(target=call)
    other.start()
    is_answered = answered.wait(BREAK * 10)
    release.set()
    probe.join()
    other.join()
    return judged(
        is_answered,
        "while a probe hangs, other callers of `call()` "
        + ("are answered" if is_answered else "hang too: ten breaks later none had an answer"),
    )


# 5. Calls that fail after the trip.


async def overshoot(breaker, until) -> Finding:
    late = [Held(breaker, fails=True) for _ in range(5)]
    for call in late:
        await call.begun.wait()
    await opened(breaker)
    before = until()
    await asyncio.sleep(BREAK / 2)
    for call in late:
        call.end.set()
    await asyncio.gather(*(call.task for call in late), return_exceptions=True)
    change = "left the break as it was" if until() == before else "made the break longer"
    return judged(until() == before, f"five calls that failed after the trip {change}")


@scenario(5, "purgatory")
async def overshoot_purgatory() -> Finding:
    breaker = await purgatory_breaker()
    return await overshoot(breaker, lambda: breaker.context.opened_at)


@scenario(5, "hyx")
async def overshoot_hyx() -> Finding:
    breaker = hyx_breaker()
    return await overshoot(breaker, lambda: breaker.state.until)


@scenario(5, "pybreaker")
def overshoot_pybreaker() -> Finding:
    breaker = pybreaker.CircuitBreaker(fail_max=3, reset_timeout=BREAK)
    try:
        with breaker.calling():
            for _ in range(3):
                fail_with_pybreaker(breaker)
            before = breaker._state_storage.opened_at
            time.sleep(BREAK / 2)
            raise Failed
    except (Failed, pybreaker.CircuitBreakerError):
        pass
    longer = (breaker._state_storage.opened_at - before).total_seconds()
    return judged(longer == 0, f"a failure after the trip made the break {longer:.3f} s longer")


# 7. Breakers that open together try again together.


@scenario(7, "purgatory")
async def jitter_purgatory() -> Finding:
    lengths = set()
    for _ in range(20):
        breaker = await opened(await purgatory_breaker())
        lengths.add(breaker.context.ttl)
    return judged(len(lengths) > 1, f"lengths of 20 breaks that are not the same: {len(lengths)}")


@scenario(7, "hyx")
async def jitter_hyx() -> Finding:
    lengths = set()
    for _ in range(20):
        state = (await opened(hyx_breaker())).state
        lengths.add(state.until - state.since)
    return judged(len(lengths) > 1, f"lengths of 20 breaks that are not the same: {len(lengths)}")


@scenario(7, "pybreaker")
def jitter_pybreaker() -> Finding:
    lengths = {opened_pybreaker().reset_timeout for _ in range(20)}
    return judged(len(lengths) > 1, f"lengths of 20 breaks that are not the same: {len(lengths)}")


# 8. A refusal of another breaker is no failure of the dependency.


async def refusals(inner, outer, state) -> Finding:
    await opened(inner)
    for _ in range(3):
        try:
            async with outer:
                async with inner:
                    pass
        except Exception:
            pass
    return judged(
        state() in ("closed", "working"),
        f"three refusals of the breaker inside left the one around it {state()}",
    )


@scenario(8, "purgatory")
async def refusals_purgatory() -> Finding:
    factory = purgatory.AsyncCircuitBreakerFactory()
    inner = await factory.get_breaker("inner", threshold=3, ttl=BREAK * 100)
    outer = await factory.get_breaker("outer", threshold=3, ttl=BREAK)
    return await refusals(inner, outer, lambda: outer.context.state)


@scenario(8, "hyx")
async def refusals_hyx() -> Finding:
    inner = hyx.circuitbreaker.consecutive_breaker(
        failure_threshold=3, recovery_time_secs=BREAK * 100
    )
    outer = hyx_breaker()
    return await refusals(inner, outer, lambda: outer.state.name)


@scenario(8, "pybreaker")
def refusals_pybreaker() -> Finding:
    inner = opened_pybreaker()
    inner.reset_timeout = 100
    outer = pybreaker.CircuitBreaker(fail_max=3, reset_timeout=BREAK)
    for _ in range(3):
        try:
            outer.call(lambda: inner.call(lambda: None))
        except pybreaker.CircuitBreakerError:
            pass
    return judged(
        outer.current_state == "closed",
        f"three refusals of the breaker inside left the one around it {outer.current_state}",
    )


# 11. Calls through a closed breaker do not wait for each other.


@scenario(11, "pybreaker")
def serial() -> Finding:
    breaker = pybreaker.CircuitBreaker()
    most = running = 0
    lock = threading.Lock()

    def operation():
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(BREAK)
        with lock:
            running -= 1

    threads = [threading.Thread(target=breaker.call, args=(operation,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return judged(most > 1, f"of 8 threads, {most} was in `call()` at a time")


async def parallel(breaker) -> Finding:
    calls = [Held(breaker) for _ in range(8)]
    for call in calls:
        await asyncio.wait_for(call.begun.wait(), 1)
    for call in calls:
        call.end.set()
    await asyncio.gather(*(call.task for call in calls))
    return holds("8 calls run at the same time")


@scenario(11, "purgatory")
async def parallel_purgatory() -> Finding:
    return await parallel(await purgatory_breaker())


@scenario(11, "hyx")
async def parallel_hyx() -> Finding:
    return await parallel(hyx_breaker())


# 12. The wall clock is set back by an hour during a break.

HOUR_AGO = timedelta(hours=1)


class SetBack(datetime):
    """The wall clock an hour ago."""

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) - HOUR_AGO

    @classmethod
    def utcnow(cls):
        return datetime.now(timezone.utc).replace(tzinfo=None) - HOUR_AGO


def after_set_back(is_let_through: bool) -> Finding:
    return judged(
        is_let_through,
        "a clock set back by an hour "
        + ("changes nothing" if is_let_through else "keeps it open for an hour more"),
    )


@scenario(12, "purgatory")
async def set_back_purgatory() -> Finding:
    breaker = await opened(await purgatory_breaker())
    await asyncio.sleep(BREAK * 2)
    now = time.time
    with mock.patch("purgatory.domain.model.time.time", lambda: now() - 3600):
        try:
            async with breaker:
                return after_set_back(True)
        except purgatory.domain.model.OpenedState:
            return after_set_back(False)


@scenario(12, "hyx")
async def set_back_hyx() -> Finding:
    breaker = await opened(hyx_breaker())
    await asyncio.sleep(BREAK * 2)
    with mock.patch("hyx.circuitbreaker.states.datetime", SetBack):
        try:
            async with breaker:
                return after_set_back(True)
        except hyx.circuitbreaker.exceptions.BreakerFailing:
            return after_set_back(False)


@scenario(12, "pybreaker")
def set_back_pybreaker() -> Finding:
    breaker = opened_pybreaker()
    time.sleep(BREAK * 2)
    with mock.patch("pybreaker.datetime", SetBack):
        try:
            breaker.call(lambda: None)
            return after_set_back(True)
        except pybreaker.CircuitBreakerError:
            return after_set_back(False)


# 35. A listener that uses the breaker, by way of another thread.


@scenario(35, "pybreaker")
def listener_under_lock() -> Finding:
    answered = threading.Event()

    class Listener(pybreaker.CircuitBreakerListener):
        def state_change(self, cb, old_state, new_state):
            thread = threading.Thread(target=lambda: (fail_with_pybreaker(cb), answered.set()))
            thread.daemon = True
            thread.start()
            self.is_answered = answered.wait(BREAK * 10)

    listener = Listener()
    opened_pybreaker(listeners=[listener])
    return judged(
        listener.is_answered,
        "a listener that waits for another thread's call "
        + ("gets on" if listener.is_answered else "waits for ever: it is called under the lock"),
    )


# 37. Other settings, while failures are counted.


@scenario(37, "pybreaker")
def settings_pybreaker() -> Finding:
    breaker = pybreaker.CircuitBreaker(fail_max=5)
    for _ in range(3):
        fail_with_pybreaker(breaker)
    breaker.fail_max = 4
    fail_with_pybreaker(breaker)
    return judged(
        breaker.current_state == "open", "a lower threshold takes effect with the failures so far"
    )


@scenario(37, "purgatory")
async def settings_purgatory() -> Finding:
    factory = purgatory.AsyncCircuitBreakerFactory()
    await factory.get_breaker("a", threshold=5, ttl=BREAK)
    breaker = await factory.get_breaker("a", threshold=1, ttl=BREAK)
    await fail_with(breaker)
    return judged(
        breaker.context.state == "opened",
        f"a threshold of 1 given later: the first failure left it {breaker.context.state}",
    )


# 38. The same error object for every refusal.


@scenario(38, "purgatory")
async def one_error() -> Finding:
    factory = purgatory.AsyncCircuitBreakerFactory()
    breaker = await opened(await factory.get_breaker("a", threshold=3, ttl=100))
    lengths = []
    for _ in range(100):
        try:
            async with breaker:
                pass
        except purgatory.domain.model.OpenedState as error:
            length, trace = 0, error.__traceback__
            while trace:
                length, trace = length + 1, trace.tb_next
            lengths.append(length)
    return judged(
        lengths[0] == lengths[-1],
        f"the trace of the first refusal has {lengths[0]} places, of the hundredth {lengths[-1]}",
    )


@scenario(38, "hyx")
async def fresh_errors() -> Finding:
    breaker = await opened(
        hyx.circuitbreaker.consecutive_breaker(failure_threshold=3, recovery_time_secs=100)
    )
    errors = []
    for _ in range(2):
        try:
            async with breaker:
                pass
        except hyx.circuitbreaker.exceptions.BreakerFailing as error:
            errors.append(error)
    return judged(errors[0] is not errors[1], "each refusal is an error of its own")
