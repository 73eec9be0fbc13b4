// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An app that wants the core and nothing else. `make consumers` counts what it has to fetch.
let package = Package(
  name: "lean",
  platforms: [.macOS(.v15)],
  dependencies: [
    // No trait, not even the default one: no extra checkout.
    .package(name: "mainstay", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "lean", dependencies: [.product(name: "Mainstay", package: "mainstay")])
  ]
)
