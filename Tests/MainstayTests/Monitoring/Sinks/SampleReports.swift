// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import Testing

/// Reports as another process may have written them.
enum SampleReports {
  /// One that has everything, from the outside in: a timeout behind a failed save.
  static let full = line(
    """
    {"version":1,"id":"6F1C52B0-6D0E-4A37-9B0E-0D5C1E0F4A11","time":"2026-11-22T03:25:47.123Z",
    "fingerprint":"1-2c26b46b68ffc68ff99b453c1d304134","code":"inventory.save-failed",
    "kind":"timeout","disposition":{"name":"transient","retryAfter":2.5},"severity":"error",
    "isHandled":false,"type":"Inventory.SaveError","message":"The item could not be saved.",
    "suggestion":"Try again in a moment.","details":"the catalog did not answer",
    "operation":"Save item","category":"storage",
    "metadata":{"attempt":"3","trace_id":"0af7651916cd43dd8448eb211c80319c",
    "span_id":"b7ad6b7169203331"},
    "causes":[{"type":"Inventory.CatalogError","code":"catalog.timeout","text":"after 10 s"},
    {"type":"Foundation.URLError","code":"NSURLErrorDomain -1001","text":"timed out"}],
    "frames":[{"operation":"Sync","metadata":{},"site":{"fileID":"Inventory/Sync.swift",
    "function":"sync()","line":7}}],
    "site":{"fileID":"Inventory/Store.swift","function":"save(_:)","line":42},
    "breadcrumbs":[{"time":"2026-11-22T03:25:40.000Z","message":"opened the list",
    "category":"navigation","severity":"info","metadata":{"items":"12"}}],
    "stack":["Store.save(_:)","Sync.sync()"],
    "suppressed":{"count":17,"first":"2026-11-22T03:20:00.000Z","last":"2026-11-22T03:25:00.000Z"},
    "presentation":{"style":"alert","titleKey":"save.failed","action":"retry",
    "time":"2026-11-22T03:25:48.000Z"},
    "recovery":{"id":"6F1C52B0-6D0E-4A37-9B0E-0D5C1E0F4A11","type":"Inventory.SaveError",
    "fingerprint":"1-2c26b46b68ffc68ff99b453c1d304134","code":"inventory.save-failed",
    "succeeded":true,"action":"retry","time":"2026-11-22T03:25:49.000Z"},
    "facts":{"app.name":"inventory","app.version":"1.4.0","environment":"production",
    "service.name":"inventory"}}
    """)

  /// One whose texts try to be something else.
  static let hostile = line(
    #"""
    {"version":1,"id":"00000000-0000-4000-8000-000000000001","time":"0001-01-01T00:00:00.000Z",
    "fingerprint":"1-00000000000000000000000000000001","code":"unknown","kind":"unknown",
    "disposition":{"name":"unclassified"},"severity":"critical","isHandled":true,
    "type":"Evil.\"Type\"\\","message":"a\u0000b\n{\"type\":\"event\"}\r\n\t\u001b[31m\u2028\u007f",
    "details":"😀 \u202Eהפוך</script><!-- ]]>","operation":"Save\nitem","category":"x\u0000y",
    "metadata":{"\n":"\n","":"empty","trace_id":"not hexadecimal","é":"é"},
    "site":{"fileID":"","function":"","line":-1},
    "facts":{"environment":"a/b\nc","app.version":"1/2\n3","service.version":""}}
    """#)

  /// One that says as little as it may.
  static let least = line(
    """
    {"id":"00000000-0000-4000-8000-000000000002","fingerprint":"1-00000000000000000000000000000002",
    "facts":{"app.name":"inventory","app.version":"1.4.0","environment":"production",
    "service.name":"inventory"}}
    """)

  static let all = [full, hostile, least]

  /// One whose texts are as long as another process could make them.
  static func long(_ bytes: Int, in key: String = "breadcrumbs") -> ErrorReport {
    let text = String(repeating: "\\u0001", count: bytes)
    let value = (values[key] ?? "").replacing("LONG", with: text)
    let member = key.split(separator: " ").first ?? ""
    return with(#""code":"long.report","\#(member)":\#(value)"#)
  }

  /// Every member that may be long, the ones whose names or values are also by which of the two.
  static let members = values.keys.sorted()

  private static let values: [String: String] = {
    let site = #"{"fileID":"LONG","function":"LONG","line":1}"#
    let time = #""time":"2026-11-22T03:25:40.000Z""#
    let many = (1...9_000).map { #""\#($0)":"some value or other""# }.joined(separator: ",")
    var all = [
      "breadcrumbs": #"[{\#(time),"message":"LONG","severity":"info","metadata":{}}]"#,
      "causes": #"[{"type":"LONG","code":"LONG","text":"LONG"}]"#,
      "frames": #"[{"operation":"LONG","metadata":{"a":"LONG"},"site":\#(site)}]"#,
      "site": site, "stack": #"["LONG"]"#,
      "presentation": #"{"style":"LONG","titleKey":"LONG","action":"LONG",\#(time)}"#,
      "recovery": #"{"id":"00000000-0000-4000-8000-000000000003","type":"LONG","#
        + #""fingerprint":"1-00000000000000000000000000000003","code":"a","succeeded":true,"#
        + #""operation":"LONG","action":"LONG",\#(time)}"#,
    ]
    for key in ["metadata", "facts"] {
      all[key] = #"{"long":"LONG"}"#
      all[key + " names"] = #"{"LONG":"x"}"#
      all[key + " number"] = "{\(many)}"
    }
    for key in [
      "kind", "type", "title", "message", "suggestion", "details", "operation", "category",
    ] {
      all[key] = #""LONG""#
    }
    return all
  }()

  /// One that was made at a second since 1970.
  static func at(_ second: Double) -> ErrorReport {
    let text = """
      {"id":"00000000-0000-4000-8000-000000000003",
      "fingerprint":"1-00000000000000000000000000000003","time":\(second)}
      """
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    guard let report = try? decoder.decode(ErrorReport.self, from: Data(text.utf8)) else {
      preconditionFailure("the sample is no report")
    }
    return report
  }

  /// One with members of its own.
  static func with(_ members: String) -> ErrorReport {
    line(
      """
      {"id":"00000000-0000-4000-8000-000000000003",
      "fingerprint":"1-00000000000000000000000000000003",\(members)}
      """)
  }

  static func recovery(succeeded: Bool, code: String = "inventory.save-failed")
    -> ErrorReport.Recovery
  {
    let text = """
      {"id":"6F1C52B0-6D0E-4A37-9B0E-0D5C1E0F4A11","type":"Inventory.SaveError",
      "fingerprint":"1-2c26b46b68ffc68ff99b453c1d304134","code":"\(code)",
      "succeeded":\(succeeded),"operation":"Save item","time":0}
      """
    guard
      let recovery = try? JSONDecoder().decode(ErrorReport.Recovery.self, from: Data(text.utf8))
    else { preconditionFailure("the sample is no recovery") }
    return recovery
  }

  private static func line(_ text: String) -> ErrorReport {
    let bytes = Data(text.utf8.filter { $0 != UInt8(ascii: "\n") })
    guard let report = ErrorReport.Encoding.contents(ofJSON: bytes).reports.first else {
      preconditionFailure("the sample is no report")
    }
    return report
  }
}

/// A folder of its own for a test, deleted afterwards.
func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("mainstay-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}
