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
    .trait(name: "SQLite", description: "The durable operation queue: MainstayOutbox, on GRDB."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
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
