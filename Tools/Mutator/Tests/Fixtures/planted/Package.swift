// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "planted",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Planted", targets: ["Planted"])],
  dependencies: [.package(url: "https://example.invalid/never-fetched", from: "1.0.0")],
  targets: [
    .target(name: "Planted"),
    .target(
      name: "Elsewhere",
      dependencies: [.product(name: "NeverFetched", package: "never-fetched")]),
    .testTarget(name: "PlantedTests", dependencies: ["Planted"]),
    .testTarget(name: "MixedTests", dependencies: ["Elsewhere", "Planted"]),
  ],
  swiftLanguageModes: [.v6]
)
