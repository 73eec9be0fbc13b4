# SPDX-License-Identifier: Apache-2.0
"""Writes the bad examples of all rules below a folder, from what `rules --json` prints.

Beside them go a name that an address has to escape, characters that count differently in bytes and
in UTF-16, the ends of lines of Windows, and a file that is no Swift.
"""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


def write(path, data):
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


for rule in json.load(sys.stdin)["rules"]:
    bad = [each for each in rule["examples"] if each["kind"] == "bad"]
    for number, example in enumerate(bad):
        write(f"{rule['id']}/{number}/{example['path']}", example["code"].encode())

odd = 'func f() { let n = "👩‍👩‍👧 é"; do { try save(n) } catch {} }\n'
write("Odd/Sources/Ä 100%/Größe#1.swift", odd.encode())
write("Odd/Sources/App/Windows.swift", ("// 𝄞\n" + odd).replace("\n", "\r\n").encode())
write("Odd/Sources/App/Bytes.swift", b"func f() { try? save() /* \xff\xfe */ }\n")
write("Odd/Sources/App/Torn.swift", b"func f( {\n")
