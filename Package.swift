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
func postgres(_ targets: String...) -> [Target.Dependency] {
  targets.map { .target(name: $0, condition: .when(traits: ["Postgres"])) }
}
func server(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "Server")
}
func sqlite(_ package: String, _ names: String...) -> [Target.Dependency] {
  products(package, names, "SQLite")
}
/// What many targets of tests use, beside what they test.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  let usual = [name, "Mainstay", "MainstayTesting", "TestSupport"]
  return .testTarget(
    name: "\(name)Tests",
    dependencies: Set(usual).sorted().map { .byName(name: $0) } + dependencies)
}
/// What tests share, and the programs that they start.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)")
}
func child(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)")
}
/// Where the parts of the example app lie.
func example(_ name: String) -> String { "Examples/Inventory/Sources/\(name)" }
func exampleProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies + arguments, path: example(name))
}
func exampleTests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: "Examples/Inventory/Tests/\(name)")
}
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nio = client("swift-nio", "NIOCore", "NIOHTTP1", "NIOPosix")
let secured = client("swift-nio-ssl", "NIOSSL")
let sockets = nio + client("swift-nio", "NIOWebSocket") + secured
let http2 = client("swift-nio-http2", "NIOHTTP2")
let asyncHTTPClient = client("async-http-client", "AsyncHTTPClient")
let configuration = products("swift-configuration", ["Configuration"], "Configuration")
let grdb = sqlite("GRDB.swift", "GRDB")
let hummingbird = server("hummingbird", "Hummingbird", "HummingbirdCore")
let hummingbirdTesting = hummingbird + server("hummingbird", "HummingbirdTesting")
let httpTypes = server("swift-http-types", "HTTPTypes")
let lifecycle = server("swift-service-lifecycle", "ServiceLifecycle")
let arguments = server("swift-argument-parser", "ArgumentParser")
let libraries = [
  "Mainstay", "MainstayUI", "MainstayHTTP", "MainstayAsyncHTTPClient", "MainstayJSONRPC",
  "MainstayOgmios", "MainstayOutbox", "MainstayOutboxPostgres", "MainstayServer",
  "MainstayDashboard", "MainstayConfiguration", "MainstayTesting", "MainstayOutboxTesting",
  "MainstayHTTPTesting", "MainstayAudit",
]
// `make breaking` turns all on so: it cannot hand any to the earlier version that it builds.
let isWhole = Context.environment["MAINSTAY_ALL_TRAITS"] != nil
// The Swift Package Index builds documentation with all but PostgreSQL: see .spi.yml.
let isDocumented = Context.environment["SPI_GENERATE_DOCS"] != nil
let most: Set = ["CLI", "Configuration", "Encryption", "Server"]
let usual = isWhole ? most.union(["Postgres"]) : isDocumented ? most : ["SQLite"]

let package = Package(
  name: "mainstay",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + [
    .executable(name: "mainstay", targets: ["MainstayCLI"]),
    .executable(name: "mainstay-audit", targets: ["mainstay-audit"]),
    .plugin(name: "MainstayAuditPlugin", targets: ["MainstayAuditPlugin"]),
  ],
  traits: [
    .default(enabledTraits: usual),
    .trait(name: "SQLite", description: "The durable operation queue: MainstayOutbox, on GRDB."),
    .trait(name: "Audit", description: "The static audit, on swift-syntax."),
    .trait(
      name: "CLI", description: "The program mainstay, on ArgumentParser.",
      enabledTraits: ["Audit", "SQLite"]),
    .trait(
      name: "Encryption", description: "Payloads of MainstayOutbox sealed on the disk.",
      enabledTraits: ["SQLite"]),
    .trait(name: "Configuration", description: "Settings from swift-configuration, followed live."),
    .trait(name: "HTTPClient", description: "What needs the client library AsyncHTTPClient."),
    .trait(
      name: "Postgres", description: "The outbox of many machines, on libpq.",
      enabledTraits: ["SQLite"]),
    .trait(
      name: "Server", description: "What needs the server framework Hummingbird.",
      enabledTraits: ["HTTPClient", "SQLite"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
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
  ],
  targets: [
    .systemLibrary(name: "CNetlink"),
    .target(
      name: "Mainstay",
      dependencies: [
        .target(name: "CNetlink", condition: .when(platforms: [.linux])),
        logging, metrics,
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(name: "MainstayUI", dependencies: ["Mainstay"]),
    .target(name: "MainstayHTTP", dependencies: ["Mainstay", logging]),
    .target(
      name: "MainstayAsyncHTTPClient",
      dependencies: ["Mainstay", "MainstayHTTP"] + asyncHTTPClient + nio + http2 + secured),
    .target(
      name: "MainstayJSONRPC",
      dependencies: ["Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", logging] + sockets),
    .target(
      name: "MainstayOgmios",
      dependencies: [
        "Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayJSONRPC", logging,
      ]),
    .target(
      name: "MainstayOutbox",
      dependencies: [
        "Mainstay", logging, metrics,
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ] + grdb),
    .systemLibrary(
      name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "MainstayOutboxPostgres",
      dependencies: ["Mainstay", "MainstayOutbox", logging] + postgres("CLibpq")),
    support(
      "PostgresTestSupport",
      ["Mainstay", "MainstayOutboxPostgres", "MainstayTesting", "TestSupport"]),
    child(
      "PostgresChild", ["ChildSupport", "Mainstay", "MainstayOutbox", "MainstayOutboxPostgres"]),
    tests(
      "MainstayOutboxPostgres",
      [
        "MainstayHTTPTesting", "MainstayOutbox", "MainstayOutboxTesting", "PostgresChild",
        "PostgresTestSupport",
      ]),
    .target(
      name: "MainstayServer",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayOutbox", logging, metrics] + httpTypes
        + hummingbird + lifecycle + server("swift-crypto", "Crypto")
        + server("swift-nio", "NIOCore", "NIOHTTP1")),
    tests(
      "MainstayServer",
      [
        "MainstayHTTP", "MainstayHTTPTesting", "MainstayOutbox", "MainstayOutboxTesting", logging,
        metrics,
      ] + asyncHTTPClient + httpTypes + hummingbirdTesting + lifecycle + nio),
    .target(
      name: "MainstayDashboard",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayOutbox", "MainstayServer", logging]
        + [metrics] + httpTypes + hummingbird + server("swift-crypto", "Crypto")
        + lifecycle + server("swift-mustache", "Mustache") + server("swift-nio", "NIOCore"),
      resources: [.embedInCode("Templates"), .embedInCode("Public")]),
    // A dashboard with much to show, in a process of its own: for a browser, and for its memory.
    child(
      "DashboardChild",
      ["Mainstay", "MainstayDashboard", "MainstayOutbox", "MainstayServer", logging] + hummingbird
        + server("swift-nio", "NIOCore")),
    tests(
      "MainstayDashboard",
      [
        "DashboardChild", "MainstayHTTPTesting", "MainstayOutbox", "MainstayOutboxTesting",
        "MainstayServer", logging, metrics,
      ] + asyncHTTPClient + httpTypes + hummingbirdTesting + nio),
    .target(
      name: "MainstayConfiguration",
      dependencies: ["Mainstay", logging] + configuration
        + products("swift-service-lifecycle", ["ServiceLifecycle"], "Configuration")),
    tests("MainstayConfiguration", ["MainstayOutbox", logging] + configuration),
    .target(name: "MainstayTesting", dependencies: ["Mainstay"]),
    .target(
      name: "MainstayOutboxTesting",
      dependencies: ["Mainstay", "MainstayOutbox", "MainstayTesting"]),
    .target(
      name: "MainstayHTTPTesting",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayTesting"] + sockets + http2),
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
    tests(
      "MainstayAudit",
      ["AuditCommands", "mainstay-audit"] + audit("swift-syntax", "SwiftParser", "SwiftSyntax")),
    .executableTarget(
      name: "MainstayCLI",
      dependencies: [
        .target(name: "AuditCommands", condition: .when(traits: ["CLI"])),
        "Mainstay", .target(name: "MainstayOutbox", condition: .when(traits: ["CLI"])),
      ] + products("swift-argument-parser", ["ArgumentParser"], "CLI")
        + postgres("MainstayOutboxPostgres")),
    tests(
      "MainstayCLI", ["MainstayOutbox", "MainstayOutboxPostgres", "PostgresTestSupport"] + grdb),
    support("ChildSupport", ["Mainstay"]),
    support("TestSupport", ["Mainstay", "MainstayTesting", logging, metrics]),
    tests(
      "Mainstay",
      [
        "ConnectivityChild", "PressureChild", "ReportCrashChild", logging, metrics,
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    child("ConnectivityChild", ["ChildSupport", "Mainstay"]),
    // An app in a control group whose memory it fills.
    child("PressureChild", ["Mainstay"]),
    child("ReportCrashChild", ["ChildSupport", "Mainstay"]),
    // With the answers of HTTP, whose errors of fields a form shows.
    tests("MainstayUI", ["MainstayHTTP"]),
    // The services that the transports of reports are tested with.
    support(
      "HTTPTestSupport",
      ["Mainstay", "MainstayHTTP", "MainstayHTTPTesting", "MainstayTesting", "TestSupport"]),
    tests("MainstayHTTP", ["HTTPTestSupport", logging]),
    tests(
      "MainstayAsyncHTTPClient",
      ["HTTPTestSupport", "MainstayHTTP", "MainstayHTTPTesting"] + asyncHTTPClient + nio + http2
        + secured),
    tests(
      "MainstayHTTPTesting",
      ["MainstayAsyncHTTPClient", "MainstayHTTP"] + asyncHTTPClient + sockets),
    tests(
      "MainstayJSONRPC",
      ["MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayHTTPTesting", logging] + sockets),
    tests(
      "MainstayOgmios",
      [
        "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayHTTPTesting", "MainstayJSONRPC",
        "ogmios-status",
      ]),
    // How servers of Ogmios and their chain are; by itself it plays one.
    .executableTarget(
      name: "ogmios-status",
      dependencies: ["Mainstay", "MainstayHTTP", "MainstayHTTPTesting", "MainstayOgmios"]
        + arguments,
      path: "Examples/Ogmios/Sources/ogmios-status"),
    tests(
      "MainstayOutbox",
      [
        .target(name: "CFaultyDisk", condition: .when(traits: ["SQLite"])),
        "ChildSupport", "MainstayOutboxTesting", "OutboxCrashChild", logging,
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ] + grdb),
    // A disk that fails, under SQLite; the library is the one that GRDB links.
    .target(
      name: "CFaultyDisk", path: "Tests/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    child("OutboxCrashChild", ["ChildSupport", "Mainstay", "MainstayOutbox"]),
    // The service behind a proxy that does harm, for tests and for the program below.
    support(
      "NetworkTestSupport",
      ["Mainstay", "MainstayAsyncHTTPClient", "MainstayHTTP", "MainstayOutbox"]
        + asyncHTTPClient + nio),
    // One end of a cable between two networks of their own, which fails in the middle of its work.
    child(
      "NetworkChild",
      ["ChildSupport", "Mainstay", "MainstayOutbox", "MainstayTesting", "NetworkTestSupport"]),
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
        + asyncHTTPClient + grdb + client("swift-nio", "NIOCore"),
      path: example("InventoryCore")),
    .target(
      name: "InventoryWeb",
      dependencies: [
        "InventoryCore", "Mainstay", "MainstayDashboard", "MainstayServer", "MainstayUI", logging,
      ] + arguments + httpTypes + hummingbird + server("swift-mustache", "Mustache")
        + server("swift-nio", "NIOCore") + lifecycle,
      path: example("InventoryWeb"),
      // In the program itself, so that it can be moved and is never served half an older page.
      resources: [.embedInCode("Templates"), .embedInCode("Public")]),
    exampleProgram("inventory", ["InventoryCore", "InventoryWeb"]),
    // The same on a database that several processes share.
    .target(
      name: "InventoryPostgres",
      dependencies: ["InventoryCore", "Mainstay", "MainstayOutbox", "MainstayOutboxPostgres"]
        + grdb,
      path: example("InventoryPostgres")),
    exampleProgram(
      "inventory-postgres",
      [
        "InventoryCore", "InventoryPostgres", "InventoryWeb", "MainstayOutbox",
        "MainstayOutboxPostgres",
      ]),
    exampleTests(
      "InventoryPostgresTests",
      [
        "InventoryCore", "InventoryPostgres", "InventoryTestSupport", "Mainstay", "MainstayOutbox",
        "MainstayOutboxPostgres", "PostgresTestSupport", "TestSupport", "inventory-postgres",
        "inventory-upstream",
      ]),
    exampleTests(
      "InventoryWebTests",
      [
        "InventoryCore", "InventoryTestSupport", "InventoryUpstream", "InventoryWeb", "Mainstay",
        "MainstayOutbox", "MainstayTesting", "TestSupport", "inventory", "inventory-upstream",
      ] + grdb + hummingbirdTesting + httpTypes + server("swift-nio", "NIOCore")),
    .target(
      name: "InventoryTestSupport",
      dependencies: ["InventoryCore"] + asyncHTTPClient
        + client("swift-nio", "NIOCore", "NIOHTTP1"),
      path: "Examples/Inventory/Tests/InventoryTestSupport"),
    // The pages in a real browser: what a person sees and can reach.
    exampleTests(
      "InventoryBrowserTests",
      [
        "DashboardChild", "InventoryCore", "InventoryTestSupport", "Mainstay", "MainstayServer",
        "TestSupport", "inventory", "inventory-upstream", logging,
      ] + asyncHTTPClient + httpTypes + hummingbird + client("swift-nio", "NIOCore", "NIOHTTP1")),
    exampleTests(
      "InventoryCoreTests",
      [
        "InventoryCore", "InventoryUpstream", "Mainstay", "MainstayHTTP", "MainstayOutbox",
        "MainstayHTTPTesting", "MainstayOutboxTesting", "MainstayTesting", "TestSupport", logging,
      ] + grdb + httpTypes + hummingbird),

    // The service that the example app talks to. It is somebody else's, so it uses no Mainstay.
    .target(
      name: "InventoryUpstream",
      dependencies: [logging] + httpTypes + hummingbird + server("swift-nio", "NIOCore"),
      path: example("InventoryUpstream")),
    exampleProgram("inventory-upstream", ["InventoryUpstream"]),
    exampleTests(
      "InventoryUpstreamTests",
      ["InventoryUpstream", "inventory-upstream", "MainstayTesting", "TestSupport"]
        + httpTypes + hummingbirdTesting + server("swift-nio", "NIOCore", "NIOPosix")),
    // Both programs under every fault and SIGKILL, and the proof that nothing is lost.
    .target(
      name: "InventoryDemo",
      dependencies: ["InventoryUpstream", "Mainstay", "MainstayTesting"] + asyncHTTPClient
        + server("swift-nio", "NIOCore", "NIOHTTP1"),
      path: example("InventoryDemo")),
    exampleProgram("inventory-demo", ["InventoryDemo"]),
    exampleTests(
      "InventoryDemoTests",
      [
        "InventoryDemo", "InventoryUpstream", "TestSupport", "inventory", "inventory-demo",
        "inventory-upstream",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// In this order: existential types are written `any P` (SE-0335); an import (SE-0409) and a member
// (SE-0444) count where they are named; async functions (SE-0461) and conformances (SE-0470) stay.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),  // SE-0480
]
for target in package.targets where target.type != .plugin && target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
