// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Measures the libraries from another package, as a user would call them; a package of its own, so
// that nobody who uses them fetches or builds it.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "mainstay", path: "..", traits: ["SQLite", "HTTPClient", "Postgres"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
  ],
  targets: [
    // Counts `malloc` by standing in front of it.
    .target(name: "CAllocations"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CAllocations",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Mainstay", package: "mainstay"),
        .product(name: "MainstayUI", package: "mainstay"),
      ]),
    // Tables of what was measured, and other libraries.
    .target(name: "Figures"),
    // A queue that does nothing but what SQLite needs: the raw limit of an outbox.
    .target(name: "CRawQueue", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench-outbox",
      dependencies: [
        "CRawQueue", "Figures",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Mainstay", package: "mainstay"),
        .product(name: "MainstayOutbox", package: "mainstay"),
      ]),
    .executableTarget(
      name: "bench-postgres",
      dependencies: [
        "CRawQueue", "Figures",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Mainstay", package: "mainstay"),
        .product(name: "MainstayOutbox", package: "mainstay"),
        .product(name: "MainstayOutboxPostgres", package: "mainstay"),
      ]),
    .executableTarget(
      name: "bench-http",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Mainstay", package: "mainstay"),
        .product(name: "MainstayAsyncHTTPClient", package: "mainstay"),
        .product(name: "MainstayHTTP", package: "mainstay"),
        .product(name: "MainstayJSONRPC", package: "mainstay"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ]),
    // What reading Swift costs before anything is done with it.
    .executableTarget(
      name: "bare-parse",
      dependencies: [
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ]),
    // Sorts a log into clusters, to be compared with Drain3.
    .executableTarget(
      name: "cluster",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Mainstay", package: "mainstay"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where !target.name.hasPrefix("C") {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
