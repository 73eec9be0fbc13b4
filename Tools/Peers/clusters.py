# SPDX-License-Identifier: Apache-2.0
"""Generates a log whose truth is known, sorts it with Mainstay and Drain3, and compares."""

import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict

from drain3 import TemplateMiner
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig

NAMES = "ada bob eve grace linus mary niklaus olga peter ruth tony vera".split()
TABLES = "users orders items carts sessions invoices photos".split()
HOSTS = "api db cache queue search mail".split()


def values(rng):
    """What changes from one message of a kind to the next."""
    return {
        "int": str(rng.randrange(1, 5_000_000)),
        "grouped": f"{rng.randrange(1000, 9_000_000):,}",
        "small": str(rng.randrange(1, 12)),
        "float": f"{rng.random() * 100:.2f}",
        "uuid": str(uuid.UUID(int=rng.getrandbits(128))),
        "hex": f"0x{rng.getrandbits(48):012x}",
        "sha": f"{rng.getrandbits(160):040x}",
        "ip": ".".join(str(rng.randrange(1, 255)) for _ in range(4)),
        "host": f"{rng.choice(HOSTS)}{rng.choice(['', '-eu', '-us'])}.example.com",
        "url": f"https://{rng.choice(HOSTS)}.example.com/{rng.choice(TABLES)}/{rng.randrange(999)}",
        "mail": f"{rng.choice(NAMES)}{rng.randrange(99)}@example.com",
        "date": f"2026-11-{rng.randrange(1, 29):02}T{rng.randrange(24):02}:05:07Z",
        "ms": f"{rng.randrange(1, 9000)}ms",
        "path": f"/var/lib/shop/{rng.choice(NAMES)}/{rng.randrange(9999)}/data.sqlite",
        "name": rng.choice(NAMES),
        "table": rng.choice(TABLES),
        "id": "".join(rng.choice("abcdefghkmnpqrstuvwxyzABCDEFGH23456789") for _ in range(11)),
    }


KINDS = """Connection to {host}:{small} refused after {ms}
Connection to {host}:{small} reset by peer after {ms}
Request {uuid} to {url} failed with status 503
Request {uuid} to {url} timed out after {ms}
Order {grouped} of {mail} was declined by the bank
Order {grouped} of {mail} was declined by the shop
Could not open {path}: permission denied
Could not open {path}: disk image is malformed
Could not decode key {name} of type String at {hex}
Could not decode key {name} of type Int at {hex}
Deadlock detected while waiting for lock {int} on table {table}
Duplicate key value violates unique constraint {table}_pkey
Relation {table} does not exist
Column {name} of relation {table} does not exist
Session {id} of user {name} has expired at {date}
Session {id} of user {name} was revoked at {date}
User {name} not found
User {name} not allowed
Token for {mail} is not valid utf-8
Checksum {sha} does not match for part {small} of {int}
Retry {small} of {small} in {float} s
Pool exhausted: {int} of {int} connections in use by {name}
Worker {small} stopped unexpectedly with signal {small}
Fee::add() overflowed for amount {float} of {name}
Address {ip} is blocked until {date}
Message {id} was dropped after {small} attempts
Quota of {name} exceeded by {grouped} bytes
Index {int} is out of range 0..<{int}
Certificate of {host} expired at {date}
Photo {uuid} is too large: {grouped} bytes
Lease {int} on lane {name} was lost to worker {small}
Commit {sha} of {table} is unknown
Precondition failed: version {int} is older than {int}
Queue {name} is full
Queue {name} is closed
Upload of {path} stopped at {grouped} of {grouped} bytes""".split("\n")


def generate(lines, seed):
    rng = random.Random(seed)
    log = []
    for _ in range(lines):
        # Few kinds are common and many are rare, as in real logs.
        kind = min(int(rng.paretovariate(0.6)) - 1, 10**6) % len(KINDS)
        log.append((kind, KINDS[kind].format(**values(rng))))
    return log


def grouping_accuracy(truth, found):
    """The part of lines whose cluster holds exactly the lines of their kind (Zhu et al., 2019)."""
    by_truth, by_found = defaultdict(set), defaultdict(set)
    for index, (kind, cluster) in enumerate(zip(truth, found)):
        by_truth[kind].add(index)
        by_found[cluster].add(index)
    right = sum(len(lines) for lines in by_found.values() if by_truth[truth[min(lines)]] == lines)
    return right / len(truth)


def purity(truth, found):
    """The part of lines that are of the most common kind of their cluster."""
    by_found = defaultdict(Counter)
    for kind, cluster in zip(truth, found):
        by_found[cluster][kind] += 1
    return sum(kinds.most_common(1)[0][1] for kinds in by_found.values()) / len(truth)


MASKS = [
    (r"[\w.+-]+@[\w-]+(\.[\w-]+)+", "EMAIL"),
    (r"https?://\S+", "URL"),
    (r"\b[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\b", "UUID"),
    (r"\b[0-9a-f]{40}\b", "SHA"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "DATE"),
    (r"\b\d+\.\d+\.\d+\.\d+\b", "IP"),
    (r"0x[0-9a-f]+", "HEX"),
    (r"(?<![\w.-])-?\d+(\.\d+)?(?![\w.])", "NUM"),
]


def drain(messages, similarity, masked):
    config = TemplateMinerConfig()
    config.drain_sim_th = similarity
    config.profiling_enabled = False
    if masked:
        config.masking_instructions = [MaskingInstruction(p, m) for p, m in MASKS]
    fastest = None
    for _ in range(3):
        miner = TemplateMiner(config=config)
        start = time.perf_counter()
        found = [miner.add_log_message(message)["cluster_id"] for message in messages]
        seconds = time.perf_counter() - start
        fastest = min(fastest or seconds, seconds)
    return fastest, found


def mainstay(program, log, similarity):
    with tempfile.NamedTemporaryFile("w", suffix=".log", delete=False) as file:
        file.writelines(f"{kind}\t{message}\n" for kind, message in log)
    try:
        output = subprocess.run(
            [program, file.name, "--similarity", str(similarity)],
            check=True, capture_output=True, text=True).stdout.split()
    finally:
        os.unlink(file.name)
    return float(output[0]), [int(id) for id in output[1:]]


def main():
    program = sys.argv[1]
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    logging.disable(logging.CRITICAL)
    log = generate(lines, seed=4)
    truth = [kind for kind, _ in log]
    messages = [message for _, message in log]
    print(f"{lines} lines of {len(set(truth))} kinds, seed 4\n")
    print("| | similarity | grouping accuracy | purity | clusters | messages/s |")
    print("|---|---|---|---|---|---|")
    rows = []
    for similarity in (0.4, 0.5, 0.6, 0.7):
        rows.append(("Mainstay", similarity, *mainstay(program, log, similarity)))
    for similarity in (0.4, 0.6):
        rows.append(("Drain3, without masks", similarity, *drain(messages, similarity, False)))
        rows.append(("Drain3, 8 masks", similarity, *drain(messages, similarity, True)))
    for name, similarity, seconds, found in rows:
        print(
            f"| {name} | {similarity} | {grouping_accuracy(truth, found):.3f}"
            f" | {purity(truth, found):.3f} | {len(set(found))} | {lines / seconds:,.0f} |")


main()
