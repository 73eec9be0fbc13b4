// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

// An app whose code belongs to the main actor unless it says otherwise, as new ones do. It compiles
// what the README and the guides show, each file as a program of its own. `Guides` is a link to
// the snippets, by another name: SwiftPM would build a folder of that name by itself.
let libraries = [
  "Mainstay", "MainstayHTTP", "MainstayOutbox", "MainstayOutboxTesting", "MainstayTesting",
  "MainstayUI",
]

// Snippets of libraries behind a trait are left out: their packages take minutes to build.
let behindTrait = [
  "AsyncHTTPClient", "Configuration", "Dashboard", "HTTPTesting", "JSONRPC", "Ogmios",
  "OutboxPostgres", "Server",
]
let libraryBehindTrait = try Regex("import Mainstay(\(behindTrait.joined(separator: "|")))")
let guides = Context.packageDirectory + "/Guides"
let snippets = try FileManager.default.contentsOfDirectory(atPath: guides)
  .filter { file in
    let text = try String(contentsOfFile: "\(guides)/\(file)", encoding: .utf8)
    return file.hasSuffix(".swift") && !text.contains(libraryBehindTrait)
  }.sorted()

let package = Package(
  name: "mainactor",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "mainstay", path: "../../..", traits: ["SQLite"])
  ],
  targets: [
    .executableTarget(
      name: "mainactor", dependencies: [.product(name: "MainstayUI", package: "mainstay")])
  ]
    + snippets.map { file in
      .executableTarget(
        name: String(file.dropLast(".swift".count)),
        dependencies: libraries.map { .product(name: $0, package: "mainstay") },
        path: "Guides", sources: [file])
    },
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .defaultIsolation(MainActor.self),
    // What Xcode switches on with it.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
  ]
}
