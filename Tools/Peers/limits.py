# SPDX-License-Identifier: Apache-2.0
"""Time limits, bulkheads and rate limiters: hyx and aiolimiter."""

import asyncio

import aiolimiter
import hyx.bulkhead
import hyx.bulkhead.exceptions
import hyx.ratelimit
import hyx.ratelimit.exceptions
import hyx.timeout
import hyx.timeout.exceptions

from harness import Finding, Verdict, judged, scenario


# 27. A limit around work that cleans up when it is cancelled.


@scenario(27, "hyx")
async def cancels_and_waits() -> Finding:
    cleaned = False

    @hyx.timeout.timeout(0.02)
    async def operation():
        nonlocal cleaned
        try:
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep(0.02)
            cleaned = True

    try:
        await operation()
    except hyx.timeout.exceptions.MaxDurationExceeded:
        pass
    return judged(cleaned, "the operation was cancelled and had cleaned up before the error came")


# 28. The caller cancels while the work is ending because of the limit.


@scenario(28, "hyx")
async def caller_wins() -> Finding:
    cleaning = asyncio.Event()

    async def call():
        async with hyx.timeout.timeout(0.02):
            try:
                await asyncio.sleep(10)
            finally:
                cleaning.set()
                await asyncio.sleep(10)

    task = asyncio.create_task(call())
    await cleaning.wait()
    task.cancel()
    results = await asyncio.gather(task, return_exceptions=True)
    return judged(
        isinstance(results[0], asyncio.CancelledError),
        f"a caller that cancels at the same time gets {type(results[0]).__name__}",
    )


# 31. Waiters that are cancelled take no place with them.


async def places(bulkhead) -> int:
    """How many places to wait are left of four, behind one that is taken."""
    release = asyncio.Event()

    async def hold():
        async with bulkhead:
            await release.wait()

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0)
    for _ in range(4):
        waiter = asyncio.create_task(hold())
        await asyncio.sleep(0.001)
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
    waiters = [asyncio.create_task(hold()) for _ in range(4)]
    await asyncio.sleep(0.01)
    refused = sum(1 for waiter in waiters if waiter.done() and waiter.exception())
    release.set()
    await asyncio.gather(holder, *waiters, return_exceptions=True)
    return 4 - refused


@scenario(31, "hyx")
async def cancelled_waiters() -> Finding:
    left = await places(hyx.bulkhead.bulkhead(max_concurrency=1, max_capacity=5))
    return judged(left == 4, f"after four waiters were cancelled, {left} of their places are left")


@scenario(31, "aiolimiter")
async def cancelled_turns() -> Finding:
    limiter = aiolimiter.AsyncLimiter(5, 0.1)
    for _ in range(5):
        await limiter.acquire()
    waiters = [asyncio.create_task(limiter.acquire()) for _ in range(50)]
    await asyncio.sleep(0)
    for waiter in waiters:
        waiter.cancel()
    await asyncio.gather(*waiters, return_exceptions=True)
    await asyncio.wait_for(limiter.acquire(), 1)
    return judged(True, "fifty cancelled waiters took no turn with them")


# 32. Who waits longest comes first, and not everybody may wait.


@scenario(32, "hyx")
async def order_hyx() -> Finding:
    bulkhead = hyx.bulkhead.bulkhead(max_concurrency=1, max_capacity=21)
    order: list[int] = []

    async def call(number: int):
        async with bulkhead:
            order.append(number)
            await asyncio.sleep(0.001)

    calls = [asyncio.create_task(call(number)) for number in range(30)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    refused = sum(isinstance(r, hyx.bulkhead.exceptions.BulkheadFull) for r in results)
    in_order = order == sorted(order)
    return judged(
        in_order and refused == 9,
        f"{len(order)} of 30 were served {'in' if in_order else 'out of'} order, {refused} refused",
    )


@scenario(32, "aiolimiter")
async def order_aiolimiter() -> Finding:
    limiter = aiolimiter.AsyncLimiter(1, 0.01)
    order: list[int] = []

    async def call(number: int, amount: float):
        await limiter.acquire(amount)
        order.append(number)

    # The first in line wants a whole turn, the others less.
    await limiter.acquire()
    calls = [asyncio.create_task(call(0, 1.0))]
    await asyncio.sleep(0)
    calls += [asyncio.create_task(call(number, 0.5)) for number in range(1, 20)]
    await asyncio.gather(*calls)
    place = order.index(0) + 1
    return judged(
        place == 1,
        f"the first in line, who wanted more than the others, was served as number {place} of 20",
    )


# 33. What cannot be granted in time is refused at once.


@scenario(33, "aiolimiter")
async def in_time_aiolimiter() -> Finding:
    limiter = aiolimiter.AsyncLimiter(1, 60)
    await limiter.acquire()
    loop = asyncio.get_running_loop()
    start = loop.time()
    try:
        await asyncio.wait_for(limiter.acquire(), 0.2)
    except asyncio.TimeoutError:
        pass
    waited = loop.time() - start
    return judged(
        waited < 0.1,
        f"with 0.2 s to spare and a turn in 60 s, the caller waited {waited:.1f} s to be refused",
    )


@scenario(33, "hyx")
async def rate_hyx() -> Finding:
    loop = asyncio.get_running_loop()
    time = loop.time()
    loop.time = lambda: time  # a clock that is moved by hand
    limiter = hyx.ratelimit.tokenbucket(max_executions=10, per_time_secs=1, bucket_size=10)
    admitted = 0
    for _ in range(1000):  # 100 calls a second for ten seconds
        time += 0.01
        try:
            async with limiter:
                admitted += 1
        except hyx.ratelimit.exceptions.RateLimitExceeded:
            pass
    del loop.time
    return judged(
        admitted <= 110, f"in 10 s of 100 calls a second it admitted {admitted}; its law allows 110"
    )


# 14. Small steps of the clock.


@scenario(14, "hyx")
async def small_steps_hyx() -> Finding:
    loop = asyncio.get_running_loop()
    time = 1e9
    loop.time = lambda: time
    limiter = hyx.ratelimit.tokenbucket(max_executions=1000, per_time_secs=1, bucket_size=1)
    admitted = 0
    for _ in range(10_000):
        time += 1e-4
        try:
            async with limiter:
                admitted += 1
        except hyx.ratelimit.exceptions.RateLimitExceeded:
            pass
    del loop.time
    return judged(
        900 <= admitted <= 1001,
        f"in one second of 10,000 small steps it admitted {admitted} of 1,000 that its law allows",
    )
