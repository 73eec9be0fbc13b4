// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The example as an app in SwiftUI; empty where there is none. `make check-views` compiles it.
let package = Package(
  name: "inventory-app",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "mainstay", path: "../..", traits: ["SQLite"])],
  targets: [
    .executableTarget(
      name: "InventoryApp",
      dependencies: [
        .product(name: "Mainstay", package: "mainstay"),
        .product(name: "MainstayOutbox", package: "mainstay"),
        .product(name: "MainstayUI", package: "mainstay"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
