// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The page with the licences of other packages, against the manifest and what a build has chosen.
@Suite struct NoticeTests {
  static let page = "Documentation/Notices.md"

  private let repository = Repository.current

  /// What the page says of a package.
  private struct Row {
    let version: String
    let licence: String
  }

  private func rows() throws -> [String: Row] {
    let page = try repository.text(at: Self.page)
    let rows = page.matches(of: /(?m)^\| \[([^\]]+)\]\([^)]+\) \| ([^|]+) \| ([^|]+) \|$/)
    return Dictionary(
      uniqueKeysWithValues: rows.map {
        (String($0.1).lowercased(), Row(version: String($0.2), licence: String($0.3)))
      })
  }

  @Test func `every package that the manifest names stands there with its versions`() throws {
    let rows = try rows()
    let manifest = try repository.text(at: "Package.swift")
    let named = manifest.matches(
      of: /\.package\(url: "https:\/\/[^"]+\/([^"\/]+)", from: "([^"]+)"\)/)
    #expect(named.count > 10)
    for package in named {
      let row = try #require(rows[package.1.lowercased()], "\(package.1): run `make notices`")
      #expect(row.version.hasPrefix("from \(package.2), below "), "\(package.1)")
    }
  }

  @Test func `so does every package that these need`() throws {
    struct Resolved: Decodable {
      struct Pin: Decodable { let identity: String }
      let pins: [Pin]
    }
    let text = try repository.text(at: "Package.resolved")
    let pins = try JSONDecoder().decode(Resolved.self, from: Data(text.utf8)).pins
    let rows = try rows()
    #expect(pins.count > 20)
    #expect(
      Set(rows.keys) == Set(pins.map(\.identity)), "Run `make notices` and commit the page.")
    #expect(rows.values.allSatisfy { !$0.licence.isEmpty })
  }

  /// Whoever gives a program away has to give these texts along.
  @Test func `the texts that have to be given along are there`() throws {
    let page = try repository.text(at: Self.page)
    for name in ["GRDB.swift", "Yams"] { #expect(page.contains("## Licence of \(name)\n")) }
    for name in ["swift-nio", "swift-nio-ssl", "swift-crypto", "hummingbird"] {
      #expect(page.contains("## Notice of \(name)\n"))
    }
    #expect(page.contains("Permission is hereby granted, free of charge"))
    #expect(try repository.text(at: "LICENSE").contains("Apache License"))
  }
}
