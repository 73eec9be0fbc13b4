// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

// Programs that use one library each and do as little with it as makes sense. `make sizes` builds
// them one after another, and writes down by how much each is larger than the one that uses none.
let sources = Context.packageDirectory + "/Sources"
let programs = try FileManager.default.contentsOfDirectory(atPath: sources).sorted()

let package = Package(
  name: "sizes",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      name: "mainstay", path: "../..",
      traits: ["Audit", "Configuration", "HTTPClient", "Postgres", "SQLite", "Server"]),
    // What programs hand to the libraries.
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
  ],
  targets: programs.map { program in
    // The program `UseX` uses the library X.
    let library = String(program.dropFirst("Use".count))
    var used: [Target.Dependency] = [.product(name: library, package: "mainstay")]
    switch library {
    case "Nothing": used = []
    case "MainstayConfiguration":
      used.append(.product(name: "Configuration", package: "swift-configuration"))
    case "MainstayDashboard":
      used.append(.product(name: "Hummingbird", package: "hummingbird"))
      used.append(.product(name: "NIOCore", package: "swift-nio"))
    case "MainstayServer":
      used.append(.product(name: "Hummingbird", package: "hummingbird"))
    case "MainstayAsyncHTTPClient":
      used.append(.product(name: "MainstayHTTP", package: "mainstay"))
    case "MainstayOutboxPostgres", "MainstayOutboxTesting":
      used.append(.product(name: "MainstayOutbox", package: "mainstay"))
    default: break
    }
    return .executableTarget(name: program, dependencies: used)
  },
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
