# SPDX-License-Identifier: Apache-2.0
"""Scenarios, each of them one trap against one library."""

import asyncio
import inspect
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable


class Verdict(Enum):
    """What a scenario showed."""

    HOLDS = "holds"
    FALLS = "falls"
    # One documented way of use holds, another one falls.
    PARTLY = "partly"


@dataclass
class Finding:
    """A verdict and what was seen."""

    verdict: Verdict
    seen: str


def holds(seen: str) -> Finding:
    return Finding(Verdict.HOLDS, seen)


def falls(seen: str) -> Finding:
    return Finding(Verdict.FALLS, seen)


def judged(is_right: bool, seen: str) -> Finding:
    """The verdict follows from what was measured, and the sentence says the measure."""
    return Finding(Verdict.HOLDS if is_right else Verdict.FALLS, seen)


@dataclass
class Scenarios:
    """All scenarios, by trap and library."""

    found: dict[tuple[int, str], Callable] = field(default_factory=dict)

    def __call__(self, trap: int, library: str) -> Callable:
        def keep(function: Callable) -> Callable:
            key = (trap, library)
            if key in self.found:
                raise ValueError(f"two scenarios for {key}")
            self.found[key] = function
            return function

        return keep

    def run(self) -> dict[tuple[int, str], Finding]:
        return {key: one(function) for key, function in sorted(self.found.items())}


def one(function: Callable) -> Finding:
    if inspect.iscoroutinefunction(function):
        return asyncio.run(asyncio.wait_for(function(), timeout=30))
    return function()


scenario = Scenarios()


class Failed(Exception):
    """The dependency failed."""
