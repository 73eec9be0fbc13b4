// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "mainstay",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Mainstay", targets: ["Mainstay"]),
    .library(name: "MainstayUI", targets: ["MainstayUI"]),
    .library(name: "MainstayOutbox", targets: ["MainstayOutbox"]),
    .library(name: "MainstayTesting", targets: ["MainstayTesting"]),
  ],
  traits: [
    .default(enabledTraits: ["SQLite"]),
    .trait(name: "SQLite", description: "Builds the durable queue, which needs GRDB."),
    .trait(
      name: "Server", description: "Builds what needs the server framework Hummingbird.",
      enabledTraits: ["SQLite"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
    // No product reaches it, so no dependent fetches it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .target(name: "Mainstay", dependencies: [.product(name: "Logging", package: "swift-log")]),
    .target(name: "MainstayUI", dependencies: ["Mainstay"]),
    .target(
      name: "MainstayOutbox",
      dependencies: [
        "Mainstay",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ]),
    .target(name: "MainstayTesting", dependencies: ["Mainstay"]),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(
      name: "MainstayTests", dependencies: ["Mainstay", "MainstayTesting", "TestSupport"]),
    .testTarget(
      name: "MainstayUITests",
      dependencies: ["Mainstay", "MainstayUI", "MainstayTesting", "TestSupport"]),
    .testTarget(
      name: "MainstayOutboxTests",
      dependencies: [
        "Mainstay", "MainstayOutbox", "MainstayTesting", "OutboxCrashChild", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ]),
    .executableTarget(
      name: "OutboxCrashChild", dependencies: ["Mainstay", "MainstayOutbox"],
      path: "Tests/OutboxCrashChild"),
    .testTarget(name: "RepositoryTests", dependencies: ["TestSupport"]),

    // The service that the example app talks to. It is somebody else's, so it uses no Mainstay.
    .target(
      name: "InventoryUpstream",
      dependencies: [
        .product(
          name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
        .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
      ],
      path: "Examples/Inventory/Sources/InventoryUpstream"),
    .executableTarget(
      name: "inventory-upstream",
      dependencies: [
        "InventoryUpstream",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Server"])),
      ],
      path: "Examples/Inventory/Sources/inventory-upstream"),
    .testTarget(
      name: "InventoryUpstreamTests",
      dependencies: [
        "InventoryUpstream", "inventory-upstream", "MainstayTesting", "TestSupport",
        .product(
          name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
        .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
        .product(
          name: "HummingbirdTesting", package: "hummingbird", condition: .when(traits: ["Server"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
      ],
      path: "Examples/Inventory/Tests/InventoryUpstreamTests"),
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
