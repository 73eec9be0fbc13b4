// SPDX-License-Identifier: Apache-2.0

import Testing

/// What the catalogs of documentation list.
@Suite struct TopicTests {
  private static let modules = Repository.current.paths.compactMap { path in
    path.wholeMatch(of: /Sources\/(\w+)\/\1\.docc\/\1\.md/).map { String($0.1) }
  }

  private func pages(of module: String) -> [SourceFile] {
    Repository.current.writtenFiles.filter {
      $0.path.hasPrefix("Sources/\(module)/\(module).docc/") && $0.path.hasSuffix(".md")
    }
  }

  /// What the items of lists name, between two backticks or as a page.
  private func listed(in module: String, _ item: Regex<(Substring, Substring)>) -> Set<String> {
    let lines = pages(of: module).flatMap(\.lines)
    return Set(lines.compactMap { $0.wholeMatch(of: item).map { String($0.1) } })
  }

  @Test(arguments: modules)
  func `every public type stands in a topic of its library`(module: String) throws {
    let interface = try Repository.current.text(at: "API/\(module).txt")
    // As in: `Chain: struct Chain<Outer, Inner>`; what is nested has a dot in its name.
    let types = interface.split(separator: "\n").compactMap {
      $0.prefixMatch(
        of: /(\w+): (?:@\w+ )?(?:final )?(?:actor|class|enum|protocol|struct|typealias)\b/
      ).map { String($0.1) }
    }
    #expect(!types.isEmpty)
    let missing = Set(types).subtracting(listed(in: module, /- ``(\w+)``/))
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  /// What pages long told of without its name, and where people look for it.
  private static let told = [
    "StateContext": "Mainstay/Mainstay.docc/State/KeepingState",
    "CircuitBreaker/setMode(_:)": "Mainstay/Mainstay.docc/Policies/BreakingCircuits",
    "DegradationController/onLeave(_:_:)": "Mainstay/Mainstay.docc/Degradation/DegradingGracefully",
    "ConnectivityMonitor/suspect()": "Mainstay/Mainstay.docc/Connectivity/KnowingTheConnection",
    "Outbox/pendingOperations(orderedBy:)":
      "MainstayOutbox/MainstayOutbox.docc/ShowingLocalChanges",
    "ConnectivityService": "MainstayServer/MainstayServer.docc/ServingRequests",
  ]

  @Test(arguments: told.keys.sorted())
  func `a page tells of it by its name`(symbol: String) throws {
    let page = try Repository.current.text(at: "Sources/\(try #require(Self.told[symbol])).md")
    #expect(page.contains("`\(symbol)`"))
  }

  @Test(arguments: modules)
  func `the README leads to the first page of every library`(module: String) throws {
    let readme = try Repository.current.text(at: "README.md")
    #expect(readme.contains("](Sources/\(module)/\(module).docc/\(module).md)"))
  }

  @Test func `the package index hosts the documentation of all libraries but one`() throws {
    let settings = try Repository.current.text(at: ".spi.yml")
    let targets = settings.matches(of: #/(?m)^ +- (\w+)$/#).map { String($0.1) }
    // It needs a library of the system that the index does not have.
    #expect(targets.sorted() == Self.modules.filter { $0 != "MainstayOutboxPostgres" }.sorted())
    // Without its trait a library does not compile.
    let manifest = try Repository.current.text(at: "Package.swift")
    #expect(manifest.contains("Context.environment[\"SPI_GENERATE_DOCS\"]"))
  }

  @Test(arguments: modules)
  func `every page stands in a topic of its library`(module: String) throws {
    let names = pages(of: module).compactMap {
      $0.path.split(separator: "/").last.map { String($0.dropLast(3)) }
    }
    let missing = Set(names).subtracting([module])
      .subtracting(listed(in: module, /- <doc:(\w+)>/))
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}
