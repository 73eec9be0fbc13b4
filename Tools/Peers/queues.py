# SPDX-License-Identifier: Apache-2.0
"""Measures other libraries' queues in SQLite files, one line of orders after the other.

An order is `peer measure folder count retained`, with tabs between; the answer is seconds, or a line
that begins with `error`. Each peer writes with `synchronous = FULL`, as Mainstay accepts operations.
"""

import logging
import sys
import time
from pathlib import Path

PAYLOAD = "x" * 256


class Huey:
    """At most once: what is taken is gone before it is done."""

    def __init__(self, folder):
        from huey import SqliteHuey

        self.huey = SqliteHuey(filename=str(folder / "huey.db"), fsync=True, results=False)

        @self.huey.task()
        def job(payload):
            return None

        self.job = job

    def connections(self):
        return [self.huey.storage.conn]

    def put(self):
        self.job(PAYLOAD)

    def take(self):
        assert self.huey.dequeue() is not None


class PersistQueue:
    """Takes and acknowledges; finished rows stay until they are cleared."""

    def __init__(self, folder):
        import persistqueue

        logging.disable(logging.CRITICAL)
        self.queue = persistqueue.SQLiteAckQueue(str(folder / "persist"), auto_commit=True)

    def connections(self):
        return [self.queue._conn, self.queue._getter, self.queue._putter]

    def finish_all(self):
        self.queue._putter.execute(f"UPDATE {self.queue._table_name} SET status = '5'")
        self.queue._putter.commit()

    def put(self):
        self.queue.put(PAYLOAD)

    def take(self):
        self.queue.ack(self.queue.get(block=False))


class LiteQueue:
    """Takes and marks as done; finished rows stay until they are pruned."""

    def __init__(self, folder):
        from litequeue import LiteQueue as Queue

        self.queue = Queue(str(folder / "lite.db"))

    def connections(self):
        return [self.queue.conn]

    def finish_all(self):
        self.queue.conn.execute(f"UPDATE {self.queue.table} SET status = 2, done_time = in_time")

    def put(self):
        self.queue.put(PAYLOAD)

    def take(self):
        message = self.queue.pop()
        self.queue.done(message.message_id)


PEERS = {"huey": Huey, "persist-queue": PersistQueue, "litequeue": LiteQueue}


def wait_for_disk(queue, level):
    for connection in queue.connections():
        connection.execute(f"PRAGMA synchronous = {level}")
        found = connection.execute("PRAGMA synchronous").fetchone()[0]
        assert found == {"OFF": 0, "FULL": 2}[level], f"synchronous is {found}"


def timed(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - start


def answer(peer, measure, folder, count, retained):
    Path(folder).mkdir(parents=True, exist_ok=True)
    queue = PEERS[peer](Path(folder))
    if measure == "enqueue":
        wait_for_disk(queue, "FULL")
        return timed(queue.put, count)
    wait_for_disk(queue, "OFF")
    for _ in range(retained):
        queue.put()
    if retained:
        # As if each had been taken and finished; taking them one by one takes minutes.
        queue.finish_all()
    for _ in range(count):
        queue.put()
    wait_for_disk(queue, "FULL")
    return timed(queue.take, count)


for line in sys.stdin:
    try:
        peer, measure, folder, count, retained = line.rstrip("\n").split("\t")
        print(answer(peer, measure, folder, int(count), int(retained)), flush=True)
    except Exception as error:  # whatever a peer throws is its answer
        print(f"error {type(error).__name__}: {error}".replace("\n", " "), flush=True)
