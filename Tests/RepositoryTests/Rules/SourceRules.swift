// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// What library code may import, and where it may read the wall clock.
enum SourceRules {
  /// The modules that each folder of `Sources`, the examples' included, may import.
  static let imports: [String: Set<String>] = [
    "Mainstay": [
      "Foundation", "FoundationEssentials", "FoundationNetworking", "Synchronization", "Dispatch",
      "Logging", "Metrics", "CoreMetrics", "Tracing", "Instrumentation", "ServiceContextModule",
      "Glibc", "Musl", "Darwin", "os", "Network", "CNetlink",
    ],
    // Announcements to a screen reader come from Accessibility.
    "MainstayUI": ["Mainstay", "Accessibility", "Foundation", "Observation", "SwiftUI"],
    "MainstayHTTP": ["Mainstay", "Foundation", "FoundationNetworking", "Logging"],
    "MainstayAsyncHTTPClient": [
      "Mainstay", "MainstayHTTP", "AsyncHTTPClient", "Foundation", "NIOCore", "NIOHTTP1",
      "NIOHTTP2", "NIOPosix", "NIOSSL",
    ],
    // Dispatch: long messages are read off the event loop, in their order.
    "MainstayJSONRPC": [
      "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "Dispatch", "Foundation", "Logging",
      "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOWebSocket",
    ],
    "MainstayOgmios": [
      "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayJSONRPC", "Foundation",
      "Logging",
    ],
    // It warns of a reader of its file, measures the log of that, and gives workers a logger. A
    // commit waits for others by a timer of the system, whatever keeps the threads of tasks busy.
    "MainstayOutbox": [
      "Mainstay", "Crypto", "Dispatch", "GRDB", "Foundation", "Glibc", "Logging", "Metrics", "Musl",
      "Darwin",
    ],
    "MainstayOutboxPostgres": [
      "Mainstay", "MainstayOutbox", "CLibpq", "Dispatch", "Foundation", "Glibc", "Musl", "Darwin",
      "Logging",
    ],
    "MainstayServer": [
      "Mainstay", "MainstayHTTP", "MainstayOutbox", "Crypto", "Foundation", "HTTPTypes",
      // What drips in is cut off where requests are read, before there is a request.
      "Hummingbird", "HummingbirdCore", "NIOHTTP1",
      "Logging", "Metrics", "NIOCore", "ServiceLifecycle",
    ],
    // It counts what it refuses.
    "MainstayDashboard": [
      "Mainstay", "MainstayHTTP", "MainstayOutbox", "MainstayServer", "Crypto", "Foundation",
      "HTTPTypes", "Hummingbird", "Logging", "Metrics", "Mustache", "NIOCore",
      "ServiceLifecycle",
    ],
    "MainstayConfiguration": [
      "Mainstay", "Configuration", "Foundation", "Logging", "ServiceLifecycle",
    ],
    "MainstayCLI": [
      "AuditCommands", "ArgumentParser", "Foundation", "Mainstay", "MainstayOutbox",
      "MainstayOutboxPostgres",
    ],
    "MainstayTesting": ["Mainstay", "Foundation", "Synchronization", "Logging", "Testing"],
    // A port that nobody else may get is held by a socket of the system.
    "MainstayHTTPTesting": [
      "Mainstay", "MainstayHTTP", "MainstayTesting", "Foundation", "Glibc", "Darwin", "NIOCore",
      "NIOHTTP1", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOWebSocket",
    ],
    "MainstayOutboxTesting": ["Mainstay", "MainstayOutbox", "MainstayTesting", "Foundation"],
    "InventoryCore": [
      "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayOutbox", "Foundation", "GRDB",
      "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix",
    ],
    // Not Mainstay: it is somebody else's service.
    "InventoryUpstream": [
      "Foundation", "Glibc", "Darwin", "Hummingbird", "HTTPTypes", "NIOCore",
      "Logging",
    ],
    "InventoryWeb": [
      "ArgumentParser", "Foundation", "Hummingbird", "HTTPTypes", "InventoryCore", "Logging",
      "Mainstay", "MainstayDashboard", "MainstayServer", "MainstayUI", "Mustache", "NIOCore",
      "Observation", "ServiceLifecycle",
    ],
    "InventoryPostgres": [
      "Dispatch", "Foundation", "GRDB", "InventoryCore", "Mainstay", "MainstayOutbox",
      "MainstayOutboxPostgres",
    ],
    "InventoryDemo": [
      "Foundation", "AsyncHTTPClient", "InventoryUpstream", "Mainstay", "MainstayTesting",
      "NIOCore", "NIOHTTP1",
    ],
    "inventory-demo": ["Foundation", "ArgumentParser", "Dispatch", "InventoryDemo"],
    "inventory": ["ArgumentParser", "InventoryCore", "InventoryWeb"],
    "inventory-postgres": [
      "ArgumentParser", "InventoryCore", "InventoryPostgres", "InventoryWeb", "MainstayOutbox",
      "MainstayOutboxPostgres",
    ],
    "inventory-upstream": ["Foundation", "ArgumentParser", "InventoryUpstream"],
    // It knows nothing of the runtime, and the runtime nothing of it.
    "MainstayAudit": ["Foundation", "SwiftParser", "SwiftSyntax", "Yams"],
    "AuditCommands": ["ArgumentParser", "Dispatch", "Foundation", "Glibc", "MainstayAudit"],
    "mainstay-audit": ["ArgumentParser", "AuditCommands"],
    "ogmios-status": [
      "Foundation", "ArgumentParser", "Mainstay", "MainstayHTTP", "MainstayHTTPTesting",
      "MainstayOgmios",
    ],
    "InventoryApp": [
      "Foundation", "Mainstay", "MainstayOutbox", "MainstayUI", "Observation", "SwiftUI",
    ],
  ]

  static func forbiddenImports(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file -> [Violation] in
      guard let target = file.target(below: "Sources") else { return [] }
      return file.places(of: ["import"]).compactMap { index in
        let module = importedModule(in: file, at: index)
        guard imports[target]?.contains(module) != true else { return nil }
        return file.violation(
          at: index, "`\(target)` may not import `\(module)`",
          cure: "Move the code to a target that may, or add a line to SourceRules with its reason")
      }
    }
  }

  /// The module of an import, which may name one declaration: `import struct Module.Name`.
  private static func importedModule(in file: SourceFile, at index: Int) -> String {
    let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    let words = file.tokens[(index + 1)...].prefix(2).map(\.text)
    guard let first = words.first else { return "" }
    return kinds.contains(first) ? words.last ?? first : first
  }

  /// Where the time of day is what is meant.
  static let wallClocks = [
    Allowance(path: "Errors/ErrorLog.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "Errors/AppError.swift", reason: "stamps an error with the time of day"),
    Allowance(path: "MainstayHTTP/HTTPError.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "Capture/ErrorMonitor.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "Connectivity/ConnectivityMonitor.swift",
      reason: "has it as the default of a parameter"),
    Allowance(path: "Conflicts/Tombstones.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "Degradation/Capability+BuiltIn.swift",
      reason: "has it as the default of a parameter"),
    Allowance(
      path: "Degradation/DegradationController.swift",
      reason: "has it as the default of a parameter"),
    Allowance(
      path: "Presentation/TaskModel.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "State/Timestamp.swift", reason: "stamps what is stored with the time of day"),
    Allowance(path: "InventoryCore/TimeOfDay.swift", reason: "is where the app reads it"),
    Allowance(
      path: "Services/ServiceMonitor.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "MainstayOutbox/Outbox.swift", reason: "reads it once, at opening"),
    Allowance(path: "Storage/FileClock.swift", reason: "compares it with the time that passes"),
    Allowance(
      path: "MainstayOutboxPostgres/PostgresEnqueue.swift",
      reason: "makes an identity that sorts by the time of day"),
    Allowance(path: "Store/ReportStore.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "Storage/InMemoryStore.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "Cache/SQLiteCacheStore.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "Conflicts/StampClock.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "MainstayDashboard/Dashboard.swift", reason: "has it as the default of a parameter"),
    Allowance(path: "Forms/FormRule+Values.swift", reason: "has it as the default of a parameter"),
    Allowance(
      path: "Outbox/LetterCommands.swift", reason: "compares it with when letters were given up"),
  ]

  static func wallClock(_ files: [SourceFile]) -> [Violation] {
    files.filter { $0.isBelow("Sources") && !wallClocks.spare($0) }.flatMap { file in
      [["Date", "(", ")"], ["Date", ".", "now"], ["Date", ".", "init", "(", ")"]].flatMap {
        file.places(of: $0).map {
          file.violation(
            at: $0, "the wall clock jumps, so it measures nothing",
            cure: "Measure with `clock:`; take a time stamp as a parameter")
        }
      }
    }
  }
}
