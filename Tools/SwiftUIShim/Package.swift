// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Declarations of SwiftUI for machines without it. It is no part of the root's graph: a target with
// this name there would make `canImport(SwiftUI)` true in every build.
let package = Package(
  name: "swiftui-shim",
  targets: [
    .target(name: "Accessibility"),
    .target(name: "SwiftUI"),
  ],
  swiftLanguageModes: [.v6]
)
