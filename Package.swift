// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Products that are fetched with a trait alone.
func products(_ package: String, _ names: [String], _ trait: String) -> [Target.Dependency] {
  names.map { .product(name: $0, package: package, condition: .when(traits: [trait])) }
}
func audit(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "Audit")
}
func client(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "HTTPClient")
}
func server(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "Server")
}
func sqlite(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "SQLite")
}

let package = Package(
  name: "mainstay",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Mainstay", targets: ["Mainstay"]),
    .library(name: "MainstayUI", targets: ["MainstayUI"]),
    .library(name: "MainstayHTTP", targets: ["MainstayHTTP"]),
    .library(name: "MainstayAsyncHTTPClient", targets: ["MainstayAsyncHTTPClient"]),
    .library(name: "MainstayJSONRPC", targets: ["MainstayJSONRPC"]),
    .library(name: "MainstayOgmios", targets: ["MainstayOgmios"]),
    .library(name: "MainstayOutbox", targets: ["MainstayOutbox"]),
    .library(name: "MainstayTesting", targets: ["MainstayTesting"]),
    .library(name: "MainstayOutboxTesting", targets: ["MainstayOutboxTesting"]),
    .library(name: "MainstayHTTPTesting", targets: ["MainstayHTTPTesting"]),
    .library(name: "MainstayAudit", targets: ["MainstayAudit"]),
    .executable(name: "mainstay", targets: ["MainstayCLI"]),
    .executable(name: "mainstay-audit", targets: ["mainstay-audit"]),
    .plugin(name: "MainstayAuditPlugin", targets: ["MainstayAuditPlugin"]),
  ],
  traits: [
    .default(enabledTraits: ["SQLite"]),
    .trait(name: "SQLite", description: "The durable operation queue: MainstayOutbox, on GRDB."),
    .trait(name: "Audit", description: "The static audit, on swift-syntax."),
    .trait(
      name: "CLI", description: "The program mainstay, on ArgumentParser.",
      enabledTraits: ["Audit", "SQLite"]),
    .trait(
      name: "Encryption", description: "Payloads of MainstayOutbox sealed on the disk.",
      enabledTraits: ["SQLite"]),
    .trait(name: "HTTPClient", description: "What needs the client library AsyncHTTPClient."),
    .trait(
      name: "Server", description: "What needs the server framework Hummingbird.",
      enabledTraits: ["HTTPClient", "SQLite"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.10.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    // No product reaches it, so no dependent fetches it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .systemLibrary(name: "CNetlink"),
    .target(
      name: "Mainstay",
      dependencies: [
        .target(name: "CNetlink", condition: .when(platforms: [.linux])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(name: "MainstayUI", dependencies: ["Mainstay"]),
    .target(
      name: "MainstayHTTP",
      dependencies: ["Mainstay", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "MainstayAsyncHTTPClient",
      dependencies: ["Mainstay", "MainstayHTTP"] + client("async-http-client", "AsyncHTTPClient")
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix")
        + client("swift-nio-http2", "NIOHTTP2") + client("swift-nio-ssl", "NIOSSL")),
    .target(
      name: "MainstayJSONRPC",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP",
        .product(name: "Logging", package: "swift-log"),
      ] + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + client("swift-nio-ssl", "NIOSSL")),
    .target(
      name: "MainstayOgmios",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayJSONRPC",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "MainstayOutbox",
      dependencies: [
        "Mainstay",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ] + sqlite("GRDB.swift", "GRDB")),
    .target(name: "MainstayTesting", dependencies: ["Mainstay"]),
    .target(
      name: "MainstayOutboxTesting",
      dependencies: ["Mainstay", "MainstayOutbox", "MainstayTesting"]
    ),
    .target(
      name: "MainstayHTTPTesting",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayTesting"]
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + client("swift-nio-http2", "NIOHTTP2") + client("swift-nio-ssl", "NIOSSL")),
    .target(
      name: "MainstayAudit",
      dependencies: audit("swift-syntax", "SwiftParser", "SwiftSyntax") + audit("Yams", "Yams")),
    // The commands of the audit, for both programs that have them.
    .target(
      name: "AuditCommands",
      dependencies: ["MainstayAudit"] + audit("swift-argument-parser", "ArgumentParser")),
    .executableTarget(
      name: "mainstay-audit",
      dependencies: ["AuditCommands"] + audit("swift-argument-parser", "ArgumentParser")),
    .plugin(
      name: "MainstayAuditPlugin",
      capability: .command(
        intent: .custom(verb: "audit", description: "Checks how code handles errors.")),
      dependencies: ["mainstay-audit"]),
    .testTarget(
      name: "MainstayAuditTests",
      dependencies: ["AuditCommands", "MainstayAudit", "TestSupport", "mainstay-audit"]
        + audit("swift-syntax", "SwiftParser", "SwiftSyntax")),
    .executableTarget(
      name: "MainstayCLI",
      dependencies: [
        .target(name: "AuditCommands", condition: .when(traits: ["CLI"])),
        "Mainstay", .target(name: "MainstayOutbox", condition: .when(traits: ["CLI"])),
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["CLI"])),
      ]),
    .testTarget(
      name: "MainstayCLITests",
      dependencies: ["Mainstay", "MainstayCLI", "MainstayOutbox", "MainstayTesting", "TestSupport"]
        + sqlite("GRDB.swift", "GRDB")),
    .target(
      name: "ChildSupport", dependencies: ["Mainstay"], path: "Tests/ChildSupport"),
    .target(name: "TestSupport", dependencies: ["Mainstay"], path: "Tests/TestSupport"),
    .testTarget(
      name: "MainstayTests",
      dependencies: [
        "ConnectivityChild", "Mainstay", "MainstayTesting", "PressureChild", "ReportCrashChild",
        "TestSupport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .executableTarget(
      name: "ConnectivityChild", dependencies: ["ChildSupport", "Mainstay"],
      path: "Tests/ConnectivityChild"),
    // An app in a control group whose memory it fills.
    .executableTarget(
      name: "PressureChild", dependencies: ["Mainstay"], path: "Tests/PressureChild"),
    .executableTarget(
      name: "ReportCrashChild", dependencies: ["ChildSupport", "Mainstay"],
      path: "Tests/ReportCrashChild"),
    .testTarget(
      name: "MainstayUITests",
      // With the answers of HTTP, whose errors of fields a form shows.
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayUI", "MainstayTesting", "TestSupport"]),
    // The services that the transports of reports are tested with.
    .target(
      name: "HTTPTestSupport",
      dependencies: [
        "Mainstay", "MainstayHTTP", "MainstayHTTPTesting", "MainstayTesting", "TestSupport",
      ],
      path: "Tests/HTTPTestSupport"),
    .testTarget(
      name: "MainstayHTTPTests",
      dependencies: [
        "HTTPTestSupport", "Mainstay", "MainstayHTTP", "MainstayTesting", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "MainstayAsyncHTTPClientTests",
      dependencies: [
        "HTTPTestSupport", "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP",
        "MainstayHTTPTesting", "MainstayTesting", "TestSupport",
      ] + client("async-http-client", "AsyncHTTPClient")
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix")
        + client("swift-nio-http2", "NIOHTTP2") + client("swift-nio-ssl", "NIOSSL")),
    .testTarget(
      name: "MainstayHTTPTestingTests",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayHTTPTesting",
        "MainstayTesting", "TestSupport",
      ] + client("async-http-client", "AsyncHTTPClient")
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + client("swift-nio-ssl", "NIOSSL")),
    .testTarget(
      name: "MainstayJSONRPCTests",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayHTTPTesting",
        "MainstayJSONRPC", "MainstayTesting", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ] + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + client("swift-nio-ssl", "NIOSSL")),
    .testTarget(
      name: "MainstayOgmiosTests",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayHTTPTesting",
        "MainstayJSONRPC", "MainstayOgmios", "MainstayTesting", "TestSupport", "ogmios-status",
      ]),
    // How servers of Ogmios and their chain are; by itself it plays one.
    .executableTarget(
      name: "ogmios-status",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayHTTPTesting", "MainstayOgmios"]
        + server("swift-argument-parser", "ArgumentParser"),
      path: "Examples/Ogmios/Sources/ogmios-status"),
    .testTarget(
      name: "MainstayOutboxTests",
      dependencies: [
        .target(name: "CFaultyDisk", condition: .when(traits: ["SQLite"])),
        "Mainstay", "MainstayOutbox", "MainstayOutboxTesting", "MainstayTesting",
        "OutboxCrashChild", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ] + sqlite("GRDB.swift", "GRDB")),
    // A disk that fails, under SQLite; the library is the one that GRDB links.
    .target(
      name: "CFaultyDisk", path: "Tests/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "OutboxCrashChild",
      dependencies: ["ChildSupport", "Mainstay", "MainstayOutbox"],
      path: "Tests/OutboxCrashChild"),
    // The service behind a proxy that does harm, for tests and for the program below.
    .target(
      name: "NetworkTestSupport",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayOutbox", "TestSupport",
      ] + client("async-http-client", "AsyncHTTPClient")
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix"),
      path: "Tests/NetworkTestSupport"),
    // One end of a cable between two networks of their own, which fails in the middle of its work.
    .executableTarget(
      name: "NetworkChild",
      dependencies: ["ChildSupport", "Mainstay", "MainstayOutbox", "NetworkTestSupport"],
      path: "Tests/NetworkChild"),
    .testTarget(
      name: "NetworkFaultTests",
      dependencies: [
        "Mainstay", "MainstayHTTPTesting", "MainstayOutbox", "MainstayTesting", "NetworkChild",
        "NetworkTestSupport", "TestSupport",
      ]),
    .testTarget(
      name: "RepositoryTests", dependencies: ["Mainstay", "MainstayTesting", "TestSupport"]),

    // What the example app is without its pages and routes.
    .target(
      name: "InventoryCore",
      dependencies: ["Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayOutbox"]
        + client("async-http-client", "AsyncHTTPClient") + sqlite("GRDB.swift", "GRDB")
        + client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix"),
      path: "Examples/Inventory/Sources/InventoryCore"),
    .target(
      name: "InventoryWeb",
      dependencies: [
        "InventoryCore", "Mainstay", "MainstayUI",
        .product(name: "Logging", package: "swift-log"),
      ] + server("swift-http-types", "HTTPTypes") + server("hummingbird", "Hummingbird")
        + server("swift-mustache", "Mustache") + server("swift-nio", "NIOCore")
        + server("swift-service-lifecycle", "ServiceLifecycle"),
      path: "Examples/Inventory/Sources/InventoryWeb",
      // In the program itself, so that it can be moved and is never served half an older page.
      resources: [.embedInCode("Templates"), .embedInCode("Public")]),
    .executableTarget(
      name: "inventory",
      dependencies: [
        "InventoryCore", "InventoryWeb", "Mainstay",
        .product(name: "Logging", package: "swift-log"),
      ] + server("swift-argument-parser", "ArgumentParser"),
      path: "Examples/Inventory/Sources/inventory"),
    .testTarget(
      name: "InventoryWebTests",
      dependencies: [
        "InventoryCore", "InventoryTestSupport", "InventoryUpstream", "InventoryWeb", "Mainstay",
        "MainstayOutbox", "MainstayTesting", "TestSupport", "inventory", "inventory-upstream",
      ] + sqlite("GRDB.swift", "GRDB") + server("hummingbird", "Hummingbird", "HummingbirdTesting")
        + server("swift-http-types", "HTTPTypes") + server("swift-nio", "NIOCore"),
      path: "Examples/Inventory/Tests/InventoryWebTests"),
    .target(
      name: "InventoryTestSupport",
      dependencies: ["InventoryCore"] + client("async-http-client", "AsyncHTTPClient")
        + client("swift-nio", "NIOCore", "NIOHTTP1"),
      path: "Examples/Inventory/Tests/InventoryTestSupport"),
    // The pages in a real browser: what a person sees and can reach.
    .testTarget(
      name: "InventoryBrowserTests",
      dependencies: [
        "InventoryCore", "InventoryTestSupport", "Mainstay", "TestSupport", "inventory",
        "inventory-upstream",
        .product(name: "Logging", package: "swift-log"),
      ] + client("async-http-client", "AsyncHTTPClient") + server("hummingbird", "Hummingbird")
        + client("swift-nio", "NIOCore", "NIOHTTP1"),
      path: "Examples/Inventory/Tests/InventoryBrowserTests"),
    .testTarget(
      name: "InventoryCoreTests",
      dependencies: [
        "InventoryCore", "InventoryUpstream", "Mainstay", "MainstayOutbox",
        "MainstayHTTPTesting", "MainstayOutboxTesting", "MainstayTesting", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ] + client("async-http-client", "AsyncHTTPClient") + sqlite("GRDB.swift", "GRDB")
        + server("swift-http-types", "HTTPTypes") + server("hummingbird", "Hummingbird"),
      path: "Examples/Inventory/Tests/InventoryCoreTests"),

    // The service that the example app talks to. It is somebody else's, so it uses no Mainstay.
    .target(
      name: "InventoryUpstream",
      dependencies: [.product(name: "Logging", package: "swift-log")]
        + server("swift-http-types", "HTTPTypes") + server("hummingbird", "Hummingbird")
        + server("swift-nio", "NIOCore"),
      path: "Examples/Inventory/Sources/InventoryUpstream"),
    .executableTarget(
      name: "inventory-upstream",
      dependencies: ["InventoryUpstream"] + server("swift-argument-parser", "ArgumentParser"),
      path: "Examples/Inventory/Sources/inventory-upstream"),
    .testTarget(
      name: "InventoryUpstreamTests",
      dependencies: ["InventoryUpstream", "inventory-upstream", "MainstayTesting", "TestSupport"]
        + server("swift-http-types", "HTTPTypes")
        + server("hummingbird", "Hummingbird", "HummingbirdTesting")
        + server("swift-nio", "NIOCore", "NIOPosix"),
      path: "Examples/Inventory/Tests/InventoryUpstreamTests"),

    // Both programs under every fault and SIGKILL, and the proof that nothing is lost.
    .target(
      name: "InventoryDemo",
      dependencies: ["InventoryUpstream", "Mainstay", "MainstayTesting"]
        + client("async-http-client", "AsyncHTTPClient")
        + server("swift-nio", "NIOCore", "NIOHTTP1"),
      path: "Examples/Inventory/Sources/InventoryDemo"),
    .executableTarget(
      name: "inventory-demo",
      dependencies: ["InventoryDemo"] + server("swift-argument-parser", "ArgumentParser"),
      path: "Examples/Inventory/Sources/inventory-demo"),
    .testTarget(
      name: "InventoryDemoTests",
      dependencies: [
        "InventoryDemo", "InventoryUpstream", "TestSupport", "inventory", "inventory-demo",
        "inventory-upstream",
      ],
      path: "Examples/Inventory/Tests/InventoryDemoTests"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin && target.type != .system {
  var settings = target.swiftSettings ?? []

  // Existential types are written `any P`.
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))

  // An import is seen by this module alone unless it says `public import`.
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

  // A member is visible only where its module is imported.
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
  settings.append(.enableUpcomingFeature("MemberImportVisibility"))

  // An async function runs where its caller runs.
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
  settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

  // A conformance of an isolated type may be isolated too.
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
  settings.append(.enableUpcomingFeature("InferIsolatedConformances"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0480-swiftpm-warning-control.md
  settings.append(.treatAllWarnings(as: .error))

  target.swiftSettings = settings
}
