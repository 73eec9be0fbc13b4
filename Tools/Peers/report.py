# SPDX-License-Identifier: Apache-2.0
"""Runs all scenarios and writes the page about them: `make peers`."""

import importlib.metadata
import re
import sys
import warnings
from pathlib import Path

import breakers, limits, retries  # noqa: E401, F401 - each adds its scenarios
from harness import Finding, Verdict, scenario

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Documentation" / "Peers.md"
LIBRARIES = ["tenacity", "pybreaker", "purgatory", "hyx", "aiolimiter"]
MARKS = {Verdict.HOLDS: "holds", Verdict.FALLS: "**falls**", Verdict.PARTLY: "partly"}

HEAD = """# Other libraries and the traps

What libraries of another language do where Mainstay has a named test. `make peers` installs them,
runs a small script for each cell, and writes this page: it is not edited by hand.

- *holds*: the script saw that the trap is avoided. *falls*: it saw the opposite. *partly*: one
  documented way of use holds, another one falls. A dash: the library has no such part.
- Mainstay's column counts the tests and suites of that trap, which `make test` runs and
  [Requirements](Requirements.md) lists under the trap's number. `make requirements` counts anew.
- All are used as their documentation shows, with default settings but for numbers and times. The
  scripts are in `Tools/Peers`; whoever thinks that one of them is unfair can read and change it.
"""


def traps() -> dict[int, str]:
    """The traps' sentences, by number."""
    lines = (ROOT / "Documentation" / "requirements.tsv").read_text().splitlines()
    found = (re.match(r"P(\d+)\t(.*)", line) for line in lines)
    return {int(match[1]): match[2] for match in found if match}


def tests() -> dict[int, int]:
    """How many tests and suites of Mainstay are about a trap, by its number."""
    text = (ROOT / "Documentation" / "Requirements.md").read_text()
    bar = r"((?:[^|\\]|\\.)*)\|"
    rows = re.findall(rf"^\| P(\d+) \|{bar}{bar}", text, re.MULTILINE)
    # A decision stands there in words; a test has its suite before it, and a suite is one word.
    proof = re.compile(r".* › .*|[\w.]+Tests")
    return {
        int(number): sum(bool(proof.fullmatch(entry.strip())) for entry in cell.split("<br>"))
        for number, _, cell in rows
    }


def page(findings: dict[tuple[int, str], Finding]) -> str:
    names = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    sentences, counts = traps(), tests()
    rows, seen = [], []
    for trap in sorted({trap for trap, _ in findings}):
        cells = [findings.get((trap, library)) for library in LIBRARIES]
        marks = [MARKS[cell.verdict] if cell else "–" for cell in cells]
        count = counts.get(trap, 0)
        ours = f"{count} test{'' if count == 1 else 's'}" if count else "open"
        rows.append(f"| P{trap} | {sentences[trap]} | {ours} | " + " | ".join(marks) + " |")
        seen.append(f"\n### P{trap}: {sentences[trap]}\n")
        for library, cell in zip(LIBRARIES, cells):
            if cell:
                seen.append(f"- {library} {MARKS[cell.verdict]}: {cell.seen}.")
    heading = "| | Trap | Mainstay | " + " | ".join(names) + " |"
    line = "|---" * (3 + len(names)) + "|"
    return "\n".join([HEAD, heading, line, *rows, "\n## What was seen", *seen, ""])


def main() -> int:
    warnings.simplefilter("ignore")  # of the libraries, about themselves
    findings = scenario.run()
    PAGE.write_text(page(findings))
    for (trap, library), finding in findings.items():
        print(f"P{trap:<3} {library:<11} {finding.verdict.value:<7} {finding.seen}")
    counts = {v: sum(f.verdict is v for f in findings.values()) for v in Verdict}
    print(", ".join(f"{count} {verdict.value}" for verdict, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
