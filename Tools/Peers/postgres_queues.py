# SPDX-License-Identifier: Apache-2.0
"""Measures other libraries' queues in a PostgreSQL database, one line of orders after the other.

An order is `peer measure address count batch`, with tabs between; the answer is seconds, or a line
that begins with `error`. Each peer gets a database that nobody has used, with the durability that
the server has.
"""

import asyncio
import logging
import sys
import time

import asyncpg
import procrastinate
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

PAYLOAD = "x" * 256


class PGQueuer:
    """Takes in batches, and acknowledges in batches."""

    def __init__(self, address, batch):
        self.address, self.batch = address, batch

    async def __aenter__(self):
        self.connection = await asyncpg.connect(self.address)
        self.driver = AsyncpgDriver(self.connection)
        self.queries = Queries(self.driver)
        await self.queries.install()
        return self

    async def __aexit__(self, *_):
        await self.connection.close()

    async def put(self, count):
        for _ in range(count // self.batch):
            await self.queries.enqueue(
                ["job"] * self.batch, [PAYLOAD.encode()] * self.batch, [0] * self.batch
            )

    async def fill(self, count):
        batch, self.batch = self.batch, min(count, 1_000)
        await self.put(count)
        self.batch = batch

    async def take(self):
        worker = PgQueuer(self.driver)

        @worker.entrypoint("job")
        async def job(job):
            return None

        await worker.run(batch_size=self.batch, mode=QueueExecutionMode.drain)

    async def left(self):
        connection = await asyncpg.connect(self.address)
        count = await connection.fetchval("SELECT count(*) FROM pgqueuer")
        await connection.close()
        return count


class Procrastinate:
    """Takes one by one, so many at once; finished ones stay, as they do by default."""

    def __init__(self, address, batch):
        self.batch = batch
        self.app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=address))

        @self.app.task(name="job")
        async def job(payload):
            return None

        self.job = job

    async def __aenter__(self):
        await self.app.open_async()
        await self.app.schema_manager.apply_schema_async()
        return self

    async def __aexit__(self, *_):
        await self.app.close_async()

    async def put(self, count):
        for _ in range(count // self.batch):
            await self.job.batch_defer_async(*[{"payload": PAYLOAD}] * self.batch)

    async def fill(self, count):
        batch, self.batch = self.batch, min(count, 500)
        await self.put(count)
        self.batch = batch

    async def take(self):
        await self.app.run_worker_async(
            wait=False, concurrency=self.batch, install_signal_handlers=False
        )

    async def left(self):
        row = await self.app.connector.execute_query_one_async(
            "SELECT count(*) AS count FROM procrastinate_jobs WHERE status <> 'succeeded'"
        )
        return row["count"]


PEERS = {"pgqueuer": PGQueuer, "procrastinate": Procrastinate}


async def answer(peer, measure, address, count, batch):
    async with PEERS[peer](address, batch) as queue:
        if measure == "drain":
            await queue.fill(count)
        start = time.perf_counter()
        await (queue.put(count) if measure == "enqueue" else queue.take())
        seconds = time.perf_counter() - start
        if measure == "drain":
            left = await queue.left()
            assert left == 0, f"{left} of {count} are left"
        return seconds


logging.disable(logging.CRITICAL)
for line in sys.stdin:
    try:
        peer, measure, address, count, batch = line.rstrip("\n").split("\t")
        print(asyncio.run(answer(peer, measure, address, int(count), int(batch))), flush=True)
    except Exception as error:  # whatever a peer throws is its answer
        print(f"error {type(error).__name__}: {error}".replace("\n", " "), flush=True)
