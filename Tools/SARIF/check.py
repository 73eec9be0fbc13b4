# SPDX-License-Identifier: Apache-2.0
"""Reads a report into the models of sarif-om and of sarif-pydantic, and compares what it says with
itself and with the files that it is about.

sarif-om knows the name of every property, sarif-pydantic the type; neither knows what they mean,
so the rest is checked here, as the standard says it.
"""

import base64
import json
import pathlib
import re
import sys
import urllib.parse

import attr
import sarif_om
import sarif_pydantic

# What the members of each object are, where they are objects of the standard too.
MEMBERS = {
    sarif_om.SarifLog: {"runs": sarif_om.Run},
    sarif_om.Run: {"tool": sarif_om.Tool, "invocations": sarif_om.Invocation,
                   "results": sarif_om.Result},
    sarif_om.Tool: {"driver": sarif_om.ToolComponent},
    sarif_om.ToolComponent: {"rules": sarif_om.ReportingDescriptor},
    sarif_om.ReportingDescriptor: {
        "shortDescription": sarif_om.MultiformatMessageString,
        "fullDescription": sarif_om.MultiformatMessageString,
        "help": sarif_om.MultiformatMessageString,
        "defaultConfiguration": sarif_om.ReportingConfiguration},
    sarif_om.Invocation: {"toolExecutionNotifications": sarif_om.Notification},
    sarif_om.Notification: {"message": sarif_om.Message, "locations": sarif_om.Location},
    sarif_om.Result: {"message": sarif_om.Message, "locations": sarif_om.Location,
                      "fixes": sarif_om.Fix},
    sarif_om.Location: {"physicalLocation": sarif_om.PhysicalLocation,
                        "logicalLocations": sarif_om.LogicalLocation},
    sarif_om.PhysicalLocation: {"artifactLocation": sarif_om.ArtifactLocation,
                                "region": sarif_om.Region, "contextRegion": sarif_om.Region},
    sarif_om.Region: {"snippet": sarif_om.ArtifactContent},
    sarif_om.Fix: {"description": sarif_om.Message, "artifactChanges": sarif_om.ArtifactChange},
    sarif_om.ArtifactChange: {"artifactLocation": sarif_om.ArtifactLocation,
                              "replacements": sarif_om.Replacement},
    sarif_om.Replacement: {"deletedRegion": sarif_om.Region,
                           "insertedContent": sarif_om.ArtifactContent},
}

checks = 0


def expect(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"error: {what}")


def read(model, value, where):
    """An object of sarif-om; a property that it does not know is an error."""
    known = {each.metadata["schema_property_name"]: each.name for each in attr.fields(model)}
    arguments = {}
    for name, member in value.items():
        place = f"{where}.{name}"
        expect(name in known, f"{place} is no property of {model.__name__}")
        inner = MEMBERS.get(model, {}).get(name)
        if inner and isinstance(member, list):
            member = [read(inner, each, f"{place}[{i}]") for i, each in enumerate(member)]
        elif inner:
            member = read(inner, member, place)
        arguments[known[name]] = member
    try:
        return model(**arguments)
    except TypeError as problem:
        sys.exit(f"error: {where}: {problem}")


def unknown(model, where):
    """The members of an object of sarif-pydantic that it only keeps."""
    for name, value in model:
        for i, each in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(each, sarif_pydantic.sarif.SarifBaseModel):
                yield from unknown(each, f"{where}.{name}[{i}]")
    yield from (f"{where}.{name}" for name in model.model_extra or {})


class Sources:
    """The files that the report is about, as far as they are there."""

    def __init__(self, folder):
        self.folder = folder
        self.read = 0

    def text(self, location):
        uri = location.uri
        expect(re.fullmatch(r"([A-Za-z0-9._~/-]|%[0-9A-F]{2}|(?<=^file):)+", uri),
               f"{uri} is no URI")
        parts = urllib.parse.urlsplit(uri)
        if location.uri_base_id is not None:
            expect(not parts.scheme and not uri.startswith("/"), f"{uri} is not relative")
        else:
            expect(parts.scheme == "file", f"{uri} has neither base nor scheme")
        path = self.folder / urllib.parse.unquote(parts.path)
        if not path.is_file():
            return None
        self.read += 1
        return path.read_bytes()


def utf16(text):
    return text.encode("utf-16-le")


def part(text, region):
    """The offsets of a region in UTF-16, in bytes of that, with the newlines that the run has."""
    starts = [0] + [match.end() for match in re.finditer("\r\n|\n|\r", text)]
    ends = []
    for line, column in ((region.start_line, region.start_column),
                         (region.end_line, region.end_column)):
        expect(1 <= line <= len(starts), f"there is no line {line}")
        start = len(utf16(text[:starts[line - 1]]))
        end = start + 2 * (column - 1)
        expect(end <= len(utf16(text)), f"{line}:{column} is behind the end")
        ends.append(end)
    expect(ends[0] <= ends[1], "a region ends before it starts")
    return ends


def check_result(result, rules, sources):
    expect(rules[result.rule_index].id == result.rule_id, "ruleIndex names another rule")
    expect(result.level in ("note", "warning", "error"), f"the level {result.level}")
    expect(result.message.text, "a message")
    expect(result.partial_fingerprints, "a fingerprint")
    place = result.locations[0].physical_location
    data = sources.text(place.artifact_location)
    if data is None:
        return
    text = data.decode("utf-8", "replace")
    if "\ufffd" in text:
        return  # Columns behind bytes that are no text are a matter of taste.
    start, end = part(text, place.region)
    if place.region.snippet is not None:
        expect(utf16(text)[start:end].decode("utf-16-le") == place.region.snippet.text,
               f"{place.artifact_location.uri}:{place.region.start_line} has another text")
    for fix in result.fixes or []:
        for change in fix.artifact_changes:
            expect(change.artifact_location.uri == place.artifact_location.uri,
                   "a fix is of another file")
            check_replacements(change.replacements, text, data)


def check_replacements(replacements, text, data):
    expect(replacements, "a fix without a change")
    last = 0
    for each in replacements:
        region, content = each.deleted_region, each.inserted_content
        if region.byte_offset not in (None, -1):
            expect(region.byte_offset + (region.byte_length or 0) <= len(data), "too many bytes")
            base64.b64decode(content.binary, validate=True).decode("utf-8", "strict")
        else:
            start, end = part(text, region)
            expect(start >= last, "replacements overlap, or are out of order")
            expect(isinstance(content.text, str), "what a fix puts in")
            last = end


def check_run(run, sources):
    rules = run.tool.driver.rules
    expect(len({rule.id for rule in rules}) == len(rules), "a rule is listed twice")
    for rule in rules:
        expect(rule.default_configuration.level in ("note", "warning", "error"), rule.id)
        for text in (rule.short_description, rule.full_description, rule.help):
            expect(text.text, f"a text of {rule.id}")
        expect(rule.help.markdown, f"the help of {rule.id}")
        expect(rule.properties["tags"], f"the tags of {rule.id}")
    expect(run.column_kind == "utf16CodeUnits", "the kind of columns")
    seen = set()
    for result in run.results:
        check_result(result, rules, sources)
        uri = result.locations[0].physical_location.artifact_location.uri
        mark = (uri, *sorted(result.partial_fingerprints.items()))
        expect(mark not in seen, f"two results of {uri} have one fingerprint")
        seen.add(mark)
    for invocation in run.invocations:
        for notification in invocation.tool_execution_notifications:
            expect(notification.message.text, "what went wrong")


def main():
    text = pathlib.Path(sys.argv[1]).read_bytes().decode("utf-8", "strict")
    document = json.loads(text)
    expect(document["version"] == "2.1.0", "the version")
    model = sarif_pydantic.Sarif.model_validate(document)
    for place in unknown(model, "sarif"):
        # Of these sarif-pydantic has no field; sarif-om knows them.
        expect(place.rsplit(".", 1)[1] in ("$schema", "columnKind", "newlineSequences",
                                           "toolExecutionNotifications"),
               f"sarif-pydantic does not know {place}")
    log = read(sarif_om.SarifLog, document, "sarif")
    sources = Sources(pathlib.Path(sys.argv[2]))
    for run in log.runs:
        check_run(run, sources)
    results = sum(len(run.results) for run in log.runs)
    print(f"{results} results, {sources.read} places in files, {checks} checks: all agree")


main()
