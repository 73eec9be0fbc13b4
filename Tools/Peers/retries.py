# SPDX-License-Identifier: Apache-2.0
"""Retries and backoff: tenacity and hyx."""

import asyncio
import statistics

import hyx.retry
import hyx.retry.backoffs
import hyx.retry.exceptions
import hyx.retry.jitters
import pybreaker
import tenacity

from harness import Failed, Finding, Verdict, falls, holds, judged, scenario


def tenacity_waits(wait, attempts: int, runs: int = 1) -> list[float]:
    """The waits before the attempt after the given number of failed ones."""
    state = tenacity.RetryCallState(tenacity.Retrying(), None, (), {})
    state.attempt_number = attempts
    return [wait(state) for _ in range(runs)]


# 16. A retry inside a retry inside a retry.


@scenario(16, "tenacity")
def nested_tenacity() -> Finding:
    calls = 0

    @tenacity.retry(stop=tenacity.stop_after_attempt(4), reraise=True)
    @tenacity.retry(stop=tenacity.stop_after_attempt(4), reraise=True)
    @tenacity.retry(stop=tenacity.stop_after_attempt(4), reraise=True)
    def operation():
        nonlocal calls
        calls += 1
        raise Failed

    try:
        operation()
    except Failed:
        pass
    return judged(calls == 4, f"three layers of 4 attempts made {calls} calls")


@scenario(16, "hyx")
async def nested_hyx() -> Finding:
    calls = 0

    @hyx.retry.retry(attempts=4, backoff=0)
    @hyx.retry.retry(attempts=4, backoff=0)
    @hyx.retry.retry(attempts=4, backoff=0)
    async def operation():
        nonlocal calls
        calls += 1
        raise Failed

    try:
        await operation()
    except Exception:
        pass
    return judged(calls <= 5, f"three layers of 4 attempts made {calls} calls")


# 17. The refusal of an open breaker is retried at once.


@scenario(17, "tenacity")
def rejections_tenacity() -> Finding:
    breaker = pybreaker.CircuitBreaker(fail_max=1, reset_timeout=60)
    asked = 0

    @tenacity.retry(stop=tenacity.stop_after_attempt(5), reraise=True)
    def call():
        nonlocal asked
        asked += 1
        return breaker.call(fail)

    def fail():
        raise Failed

    try:
        call()
    except (Failed, pybreaker.CircuitBreakerError):
        pass
    return judged(asked <= 2, f"a breaker that was open for 60 s was asked {asked - 1} times more")


@scenario(17, "hyx")
async def rejections_hyx() -> Finding:
    from hyx.circuitbreaker import consecutive_breaker

    breaker = consecutive_breaker(failure_threshold=1, recovery_time_secs=60)
    asked = 0

    @hyx.retry.retry(attempts=5, backoff=0)
    async def call():
        nonlocal asked
        asked += 1
        async with breaker:
            raise Failed

    try:
        await call()
    except Exception:
        pass
    return judged(asked <= 2, f"a breaker that was open for 60 s was asked {asked - 1} times more")


# 18. Many attempts.


@scenario(18, "tenacity")
def exponent_tenacity() -> Finding:
    waits = tenacity_waits(tenacity.wait_exponential(multiplier=0.2, max=20), 5000)
    return judged(waits == [20], f"the wait after 5,000 attempts is {waits[0]} s, the cap is 20 s")


@scenario(18, "hyx")
async def exponent_hyx() -> Finding:
    backoff = iter(hyx.retry.backoffs.expo(min_delay_secs=0.2, base=2, max_delay_secs=20))
    try:
        for _ in range(5000):
            wait = next(backoff)
    except OverflowError as error:
        return falls(f"within 5,000 attempts it ended in an OverflowError: {error}")
    return judged(wait == 20, f"the wait after 5,000 attempts is {wait} s, the cap is 20 s")


# 19. Chance at the cap.


def spread(waits: list[float]) -> float:
    return statistics.pstdev(waits)


@scenario(19, "tenacity")
def cap_tenacity() -> Finding:
    jitter = tenacity_waits(tenacity.wait_exponential_jitter(max=20, jitter=5), 30, runs=1000)
    full = tenacity_waits(tenacity.wait_random_exponential(max=20), 30, runs=1000)
    assert max(full) <= 20
    return Finding(
        Verdict.HOLDS if spread(jitter) > 0 else Verdict.PARTLY,
        f"at the cap of 20 s `wait_random_exponential` spreads by {spread(full):.1f} s,"
        f" `wait_exponential_jitter` by {spread(jitter):.1f} s",
    )


@scenario(19, "hyx")
async def cap_hyx() -> Finding:
    waits = []
    for _ in range(1000):
        backoff = iter(
            hyx.retry.backoffs.expo(
                min_delay_secs=1, base=2, max_delay_secs=20, jitter=hyx.retry.jitters.equal
            )
        )
        for _ in range(12):
            wait = next(backoff)
        waits.append(wait)
    width = spread(waits)
    return judged(width > 1, f"at the cap of 20 s equal jitter spreads by {width:.1f} s")


# 20. Two calls under one retry.


@scenario(20, "hyx")
async def independent_hyx() -> Finding:
    backoff = hyx.retry.backoffs.expo(min_delay_secs=1, base=2)
    first = iter(backoff)
    before = [next(first) for _ in range(3)]
    iter(backoff)  # a second call begins
    after = next(first)
    return judged(
        after > before[-1],
        f"a call had waited {before[-1]:.0f} s; after another call had begun its next wait was"
        f" {after:.0f} s",
    )


@scenario(20, "tenacity")
def independent_tenacity() -> Finding:
    wait = tenacity.wait_random_exponential(max=1000)
    pairs = [tenacity_waits(wait, 8, runs=2) for _ in range(2000)]
    assert statistics.correlation(*zip(*pairs)) < 0.1
    mean = statistics.mean(value for pair in pairs for value in pair)
    return judged(58 < mean < 70, f"mean wait {mean:.1f} s where 64 s is promised, no correlation")


# 21. A caller that goes away during the wait.


@scenario(21, "tenacity")
async def cancel_tenacity() -> Finding:
    calls = 0

    @tenacity.retry(wait=tenacity.wait_fixed(60))
    async def operation():
        nonlocal calls
        calls += 1
        raise Failed

    return await cancelled(operation(), lambda: calls)


@scenario(21, "hyx")
async def cancel_hyx() -> Finding:
    calls = 0

    @hyx.retry.retry(attempts=3, backoff=60)
    async def operation():
        nonlocal calls
        calls += 1
        raise Failed

    return await cancelled(operation(), lambda: calls)


async def cancelled(operation, calls) -> Finding:
    task = asyncio.create_task(operation)
    await asyncio.sleep(0.01)
    task.cancel()
    results = await asyncio.gather(task, return_exceptions=True)
    return judged(
        isinstance(results[0], asyncio.CancelledError) and calls() == 1,
        f"the wait ended in {type(results[0]).__name__} after {calls()} attempt",
    )


# 22. The time that is left is shorter than the next wait.


@scenario(22, "tenacity")
def unmeetable_tenacity() -> Finding:
    def slept(stop) -> float:
        total = 0.0

        def sleep(seconds):
            nonlocal total
            total += seconds

        def operation():
            raise Failed

        try:
            tenacity.Retrying(
                stop=stop | tenacity.stop_after_attempt(2),
                wait=tenacity.wait_fixed(60), sleep=sleep, reraise=True,
            )(operation)
        except Failed:
            pass
        return total

    after, before = slept(tenacity.stop_after_delay(10)), slept(tenacity.stop_before_delay(10))
    return Finding(
        Verdict.PARTLY if after > 10 >= before else Verdict.HOLDS if after <= 10 else Verdict.FALLS,
        f"with 10 s in all and a wait of 60 s, `stop_after_delay` slept {after:.0f} s,"
        f" `stop_before_delay` {before:.0f} s",
    )


# 23. Settings without sense.


@scenario(23, "tenacity")
def senseless_tenacity() -> Finding:
    try:
        retry = tenacity.Retrying(wait=tenacity.wait_fixed(-1), stop=tenacity.stop_after_attempt(3))
    except ValueError:
        return holds("a negative wait is refused when the retry is made")

    def operation():
        raise Failed

    try:
        retry(operation)
    except ValueError as error:
        return falls(f"a negative wait is found at the first failure, which it hides: {error}")
    except tenacity.RetryError:
        pass
    return falls("a negative wait means no wait")


@scenario(23, "hyx")
async def senseless_hyx() -> Finding:
    calls = 0
    try:

        @hyx.retry.retry(attempts=1000, backoff=-1)
        async def operation():
            nonlocal calls
            calls += 1
            raise Failed

    except ValueError:
        return holds("a negative wait is refused when the retry is made")
    try:
        await operation()
    except Exception:
        pass
    return falls(f"a negative wait means no wait: {calls:,} calls at once")


# 26. A call that its caller cancelled is not repeated.


@scenario(26, "tenacity")
async def not_repeated_tenacity() -> Finding:
    calls = 0

    @tenacity.retry(stop=tenacity.stop_after_attempt(3))
    async def operation():
        nonlocal calls
        calls += 1
        await asyncio.Event().wait()

    return await cancelled(operation(), lambda: calls)
