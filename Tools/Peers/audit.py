# SPDX-License-Identifier: Apache-2.0
"""Measures the audit beside a bare parse, swift-format and ast-grep, over one generated corpus.

Each program reads the same files in a process of its own; processor time and memory are what the
system counts for that process. Rounds are interleaved, and figures are medians over them. Ratios
are to the bare parse of the same round.
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

NOUNS = """account address archive banner basket bucket cache calendar camera catalog channel chart
client contact counter cursor customer device document draft export feed field folder gallery image
invoice item journal label ledger library list location lock message meter movie network note
order page parcel payment photo player policy price profile queue quota receipt record region report
request review route sample scanner schedule screen search section session setting shelf signal
snapshot source station status stream summary table tag ticket timer token track transfer upload user
vendor video wallet window worker""".split()
VERBS = """add apply archive attach build cancel change check clear close collect compare compute copy
count create decode delete deliver draw drop encode fetch fill filter find finish flush gather import
insert join keep limit list load lock make map mark match measure merge move notify open order pack
parse pause perform place plan play poll post prepare present print publish pull push read reduce
refresh register release reload remove render replace report request reset resolve restore resume
save scan schedule search select send sort split start stop store stream submit sync take track trim
unlock update upload validate verify wait watch write""".split()
TYPES = ["Int", "String", "Double", "Bool", "Data", "URL", "[String]", "[Int: String]", "Duration"]


class Writer:
    """Writes Swift as people do: types with properties and functions, some of which can fail."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def noun(self):
        return self.chance.choice(NOUNS)

    def call(self):
        return f"{self.chance.choice(VERBS)}{self.noun().capitalize()}"

    def statement(self, depth):
        pick = self.chance.random()
        name, other = self.noun(), self.noun()
        if pick < 0.30:
            return [f"let {name}{depth} = {self.call()}({other}: {self.chance.randrange(999)})"]
        if pick < 0.48:
            return [f"{other}.{self.call()}(with: {name}, at: index + {self.chance.randrange(9)})"]
        if pick < 0.58:
            return [f'log.debug("{name} of \\({other}.id) has \\({name}.count) parts")']
        if pick < 0.70 and depth < 3:
            return ([f"if {name}.is{other.capitalize()} && {name}.count > {self.chance.randrange(9)} {{"]
                    + self.block(depth + 1, 2) + ["} else {"] + self.block(depth + 1, 1) + ["}"])
        if pick < 0.78 and depth < 3:
            return ([f"for {name} in {other}s where !{name}.isEmpty {{"]
                    + self.block(depth + 1, 2) + ["}"])
        if pick < 0.84 and depth < 3:
            return ([f"guard let {name} = {other}.first(where: {{ $0.id == id }}) else {{"]
                    + ["  return nil", "}"])
        if pick < 0.90 and depth < 3:
            cases = [self.noun() for _ in range(3)]
            lines = [f"switch {name}.kind {{"]
            for case in cases:
                lines += [f"case .{case}:"] + self.block(depth + 1, 1)
            return lines + ["default:", "  break", "}"]
        if pick < 0.94:
            return [f"total += {name}s.map {{ $0.{other} * 2 }}.filter {{ $0 > 3 }}.reduce(0, +)"]
        if pick < 0.97 and depth < 2:
            return (["do {"] + self.block(depth + 1, 2) + [f"  try await {self.call()}({name})"]
                    + ["} catch is CancellationError {", "  throw CancellationError()",
                       "} catch {", f'  log.error("{name}: \\(error)")', "  throw error", "}"])
        if pick < 0.985:
            return [f"let {name}{depth} = try {self.call()}({other})"]
        return [f"let {name}{depth} = try? await {self.call()}({other})"]

    def block(self, depth, size):
        lines = []
        for _ in range(self.chance.randint(1, size)):
            lines += self.statement(depth)
        return ["  " + line for line in lines]

    def function(self):
        effects = self.chance.choice(["", "", " throws", " async throws", " async"])
        lines = [f"/// {self.chance.choice(VERBS).capitalize()}s the {self.noun()} of a {self.noun()}.",
                 f"func {self.call()}(_ {self.noun()}: {self.chance.choice(TYPES)}, "
                 f"id: Int){effects} -> {self.chance.choice(TYPES)}? {{"]
        for _ in range(self.chance.randint(3, 7)):
            lines += ["  " + line for line in self.statement(0)]
        return lines + ["  return nil", "}", ""]

    def type(self, number):
        name = f"{self.noun().capitalize()}{self.noun().capitalize()}{number}"
        kind = self.chance.choice(["struct", "final class", "actor"])
        lines = [f"/// What is known of one {self.noun()}.", f"{kind} {name} {{"]
        for _ in range(self.chance.randint(2, 6)):
            lines.append(f"  private(set) var {self.noun()}: {self.chance.choice(TYPES)}?")
        lines.append("")
        for _ in range(self.chance.randint(4, 9)):
            lines += ["  " + line if line else "" for line in self.function()]
        return lines + ["}", ""]

    def file(self, number):
        lines = ["import Foundation", "import Logging", ""]
        while len(lines) < 200:
            lines += self.type(number)
        return lines


def write_corpus(folder, lines):
    written = 0
    number = 0
    while written < lines:
        text = Writer(number).file(number)
        place = folder / f"Sources/Module{number % 40}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"File{number}.swift").write_text("\n".join(text) + "\n")
        written += len(text)
        number += 1
    return written


AST_GREP_RULES = """id: forced-try
language: swift
severity: warning
message: forced
rule: {pattern: "try! $A"}
---
id: empty-catch
language: swift
severity: warning
message: empty
rule: {kind: catch_block, not: {has: {kind: statements}}}
---
id: fatal
language: swift
severity: warning
message: fatal
rule: {pattern: "fatalError($$$A)"}
---
id: print
language: swift
severity: warning
message: print
rule: {pattern: "print($$$A)"}
---
id: optional-try
language: swift
severity: warning
message: optional
rule: {pattern: "try? $A"}
"""


class Sample:
    def __init__(self, command, folder, allowed):
        with open(os.devnull, "w") as nothing:
            started = time.perf_counter()
            process = subprocess.Popen(command, cwd=folder, stdout=nothing, stderr=nothing)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in allowed:
            sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
        self.processor = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--audit", required=True)
    parser.add_argument("--ast-grep", required=True)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="measures this folder in the place of a generated one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.folder or scratch + "/corpus").resolve()
        lines = options.lines
        if not options.folder:
            lines = write_corpus(folder, options.lines)
        rules = pathlib.Path(scratch) / "rules.yml"
        rules.write_text(AST_GREP_RULES)
        measure(options, folder, rules, lines)


def measure(options, folder, rules, lines):
    absolute = {name: str(pathlib.Path(getattr(options, name)).resolve())
                for name in ("bare", "audit", "ast_grep")}
    audit = [absolute["audit"], "--no-progress", "--format", "json"]
    contenders = {
        "bare parse, 1 thread": ([absolute["bare"], "."], {0}),
        "audit, default, 1 thread": (audit + ["--jobs", "1", "."], {0, 1}),
        "audit, default, 2 threads": (audit + ["--jobs", "2", "."], {0, 1}),
        "audit, strict, 1 thread": (audit + ["--profile", "strict", "--jobs", "1", "."], {0, 1}),
        "audit, all, 1 thread": (audit + ["--profile", "all", "--jobs", "1", "."], {0, 1}),
        "ast-grep, 5 rules, 1 thread":
            ([absolute["ast_grep"], "scan", "--rule", str(rules), "--threads", "1", "."], {0, 1}),
        "swift format lint": (["swift", "format", "lint", "-r", "-p", "."], {0, 1}),
    }
    samples = {name: [] for name in contenders}
    for _ in range(options.rounds):
        for name, (command, allowed) in contenders.items():
            samples[name].append(Sample(command, folder, allowed))
    bare = samples["bare parse, 1 thread"]
    print(f"{lines} lines; medians of {options.rounds} rounds, ratios to the bare parse beside it\n")
    print(f"{'program':30} {'wall s':>8} {'cpu s':>8} {'ratio':>6} {'lines/cpu s':>12} {'MB':>6}")
    for name, own in samples.items():
        processor = statistics.median(sample.processor for sample in own)
        ratio = statistics.median(
            one.processor / raw.processor for one, raw in zip(own, bare))
        print(f"{name:30} {statistics.median(s.wall for s in own):8.2f} {processor:8.2f} "
              f"{ratio:6.2f} {lines / processor:12.0f} {max(s.megabytes for s in own):6.0f}")
    one, two = samples["audit, default, 1 thread"], samples["audit, default, 2 threads"]
    speed = statistics.median(a.wall / b.wall for a, b in zip(one, two))
    print(f"\ntwo threads: {speed:.2f} x as fast as one")


if __name__ == "__main__":
    main()
