# SPDX-License-Identifier: Apache-2.0
"""Decodes Tests/Payloads with opentelemetry-proto and sentry-sdk, and compares what they read with
the reports in reports.jsonl.

The Swift tests hold the bytes of these files, this holds their meaning. Where all agree it writes
down which bytes it was asked about; the tests fail for any others.
"""

import base64
import datetime
import hashlib
import json
import pathlib
import sys

import sentry_sdk.utils
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from sentry_sdk.envelope import Envelope

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Payloads"
AGREED = "agreed.sha256"
NUMBERS = {"critical": 21, "error": 17, "warning": 13, "info": 9, "debug": 5}
LEVELS = {"critical": "fatal", "error": "error", "warning": "warning", "info": "info",
          "debug": "debug"}
# https://develop.sentry.dev/sdk/telemetry/client-reports/
REASONS = {"queue_overflow", "cache_overflow", "buffer_overflow", "ratelimit_backoff",
           "network_error", "sample_rate", "before_send", "event_processor", "send_error",
           "internal_sdk_error", "insufficient_data", "backpressure"}

checks = 0


def expect(actual, expected, what):
    global checks
    checks += 1
    if actual != expected:
        sys.exit(f"{what}: {actual!r} instead of {expected!r}")


def reports():
    lines = (FOLDER / "reports.jsonl").read_text("utf-8").split("\n")
    expect(lines.pop(), "", "the end of reports.jsonl")
    return [json.loads(line) for line in lines]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def read_otlp(name):
    """OTLP's JSON is that of Protobuf, but for identifiers in hexadecimal and enumerations as
    numbers, which the decoder of Protobuf is therefore not asked about."""
    document = json.loads((FOLDER / name).read_bytes().decode("utf-8", "strict"))
    identifiers = []
    for resource in document["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                expect(type(record["severityNumber"]), int, "the type of an enumeration")
                expect(type(record["timeUnixNano"]), str, "the type of a number of 64 bits")
                for key, length in (("traceId", 16), ("spanId", 8)):
                    if key in record:
                        identifiers.append(record[key])
                        data = bytes.fromhex(record[key])
                        expect(len(data), length, key)
                        record[key] = base64.b64encode(data).decode()
    request = json_format.Parse(json.dumps(document), ExportLogsServiceRequest(),
                                ignore_unknown_fields=False)
    # What goes over the wire in the binary form is the same.
    again = ExportLogsServiceRequest.FromString(request.SerializeToString())
    expect(again, request, "the binary form")
    return request, identifiers


def value(any_value):
    kind = any_value.WhichOneof("value")
    content = getattr(any_value, kind)
    return [value(each) for each in content.values] if kind == "array_value" else content


def check_otlp(name, expected):
    request, identifiers = read_otlp(name)
    found = []
    for resource in request.resource_logs:
        attributes = {each.key: value(each.value) for each in resource.resource.attributes}
        for scope in resource.scope_logs:
            expect(scope.scope.name, "mainstay.errors", "the scope")
            found += [(attributes, record) for record in scope.log_records]
    found.sort(key=lambda pair: [each["id"].lower() for each in expected].index(
        {each.key: value(each.value) for each in pair[1].attributes}["log.record.uid"]))
    expect(len(found), len(expected), "the number of records")
    for (resource, record), report in zip(found, expected):
        attributes = {each.key: value(each.value) for each in record.attributes}
        expect(len(attributes), len(record.attributes), "the number of different attributes")
        facts = {key: resource[key] for key in report.get("facts", {})}
        expect(facts, report.get("facts", {}), "the resource")
        expect(record.severity_number, NUMBERS[report["severity"]], "the severity")
        expect(record.body.string_value, report["message"], "the body")
        seconds = max(0, moment(report["time"]).timestamp())
        expect(record.time_unix_nano, round(seconds * 1000) * 1_000_000, "the time")
        expect(attributes["error.type"], report["code"], "error.type")
        expect(attributes["exception.type"], report["type"], "exception.type")
        expect(attributes["exception.message"], report.get("details", report["message"]),
               "exception.message")
        expect(attributes["mainstay.fingerprint"], report["fingerprint"], "the fingerprint")
        expect(attributes["mainstay.handled"], report["isHandled"], "handled")
        expect(attributes["code.line.number"], report["site"]["line"], "the line")
        for cause in report.get("causes", []):
            assert cause["type"] in attributes["exception.stacktrace"]
        metadata = report.get("metadata", {})
        for key, text in metadata.items():
            if record.trace_id and key in ("trace_id", "span_id"):
                expect(getattr(record, key).hex(), text, key)
            else:
                expect(attributes["mainstay.metadata." + key], text, "metadata")
        expect(attributes.get("mainstay.suggestion"), report.get("suggestion"), "the suggestion")
        shown = report.get("presentation", {})
        expect([attributes.get("mainstay.presentation." + key) for key in
                ("style", "title", "action")],
               [shown.get(key) for key in ("style", "titleKey", "action")], "what was shown")
        expect(attributes.get("mainstay.recovered"), report.get("recovery", {}).get("succeeded"),
               "whether it was recovered from")
        if "suppressed" in report:
            expect(attributes["mainstay.suppressed"], report["suppressed"]["count"], "suppressed")
    return identifiers


def read_sentry(name):
    data = (FOLDER / name).read_bytes()
    data.decode("utf-8", "strict")
    envelope = Envelope.deserialize(data)
    expect(len(envelope.items), 1, "the number of items of " + name)
    item = envelope.items[0]
    # The length of the header is that of the payload: written again, nothing is cut or left.
    expect(Envelope.deserialize(envelope.serialize()).items[0].headers["type"],
           item.headers["type"], "the type")
    return envelope, item


def check_sentry(name, report):
    envelope, item = read_sentry(name)
    event = envelope.get_event()
    expect(item.data_category, "error", "the category")
    identity = report["id"].replace("-", "").lower()
    expect(envelope.headers["event_id"], identity, "the identity of the envelope")
    expect(event["event_id"], identity, "the identity of the event")
    expect(event["level"], LEVELS[report["severity"]], "the level")
    expect(event["fingerprint"], [report["fingerprint"]], "the fingerprint")
    expect(moment(event["timestamp"]), moment(report["time"]), "the time")
    values = event["exception"]["values"]
    causes = report.get("causes", [])
    expect([each["type"] for each in values],
           [each["type"] for each in reversed(causes)] + [report["type"]], "the chain")
    foreign = report["disposition"]["name"] == "unclassified"
    said = report.get("details", report["message"]) if foreign else report["message"]
    expect(values[-1]["value"], said, "the value")
    expect(values[-1]["mechanism"]["handled"], report["isHandled"], "handled")
    numbers = [each["mechanism"]["exception_id"] for each in values]
    expect(numbers, list(reversed(range(len(values)))), "the numbers of the chain")
    for each in values[:-1]:
        expect(each["mechanism"]["parent_id"], each["mechanism"]["exception_id"] - 1, "a parent")
        expect(each["mechanism"]["type"], "chained", "the mechanism of a cause")
    crumbs = event.get("breadcrumbs", {"values": []})["values"]
    expect([each["message"] for each in crumbs],
           [each["message"] for each in report.get("breadcrumbs", [])], "the breadcrumbs")
    for key, text in event["tags"].items():
        assert len(key) <= 32 and 0 < len(text) <= 200 and "\n" not in text, (key, text)
    expect(event["contexts"].get("metadata", {}), report.get("metadata", {}), "the metadata")
    context = event["contexts"]["error"]
    expect(context.get("suggestion"), report.get("suggestion"), "the suggestion")
    shown = report.get("presentation", {})
    expect([context.get("shown"), context.get("action"), context.get("recovered")],
           [shown.get("style"), shown.get("action"), report.get("recovery", {}).get("succeeded")],
           "what was shown and done")
    # What the SDK itself does with an event before it sends it.
    trimmed = sentry_sdk.serializer.serialize(event)
    expect(trimmed["fingerprint"], event["fingerprint"], "the fingerprint as the SDK writes it")
    return event


def check_losses():
    _, item = read_sentry("sentry-losses.envelope")
    expect(item.headers["type"], "client_report", "the type")
    expect(item.data_category, "internal", "the category")
    report = json.loads(item.get_bytes())
    expect(report["timestamp"], "2026-11-22T03:25:47.123Z", "the time")
    for entry in report["discarded_events"]:
        assert entry["reason"] in REASONS, entry
        expect(entry["category"], "error", "the category of what was lost")
    expect({entry["reason"]: entry["quantity"] for entry in report["discarded_events"]},
           {"queue_overflow": 3, "send_error": 2, "internal_sdk_error": 1, "cache_overflow": 5},
           "the quantities")


def main():
    full, hostile, least = reports()
    identifiers = check_otlp("otlp-batch.json", [full, hostile, least])
    expect(identifiers, ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"], "the trace")
    check_otlp("otlp-hostile.json", [hostile])
    event = check_sentry("sentry-full.envelope", full)
    expect(event["release"], "inventory@1.4.0", "the release")
    expect(event["environment"], "production", "the environment")
    expect(event["contexts"]["trace"]["trace_id"], identifiers[0], "the trace")
    check_sentry("sentry-hostile.envelope", hostile)
    check_sentry("sentry-least.envelope", least)
    check_losses()
    agreed = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
              for file in sorted(FOLDER.iterdir()) if file.name != AGREED]
    (FOLDER / AGREED).write_text("".join(agreed), "utf-8")
    print(f"opentelemetry-proto and sentry-sdk agree with us: {checks} checks")


main()
