// SPDX-License-Identifier: Apache-2.0

import Testing

/// That whoever reads the pages of a client finds all that it can be asked.
@Suite struct MemberPageTests {
  /// A type, and the library that it belongs to.
  struct Kind: Sendable, CustomTestStringConvertible {
    let module: String
    let type: String
    var testDescription: String { type }
  }

  static let kinds = [
    Kind(module: "MainstayJSONRPC", type: "JSONRPCClient"),
    Kind(module: "MainstayOgmios", type: "OgmiosClient.LedgerStateQuery"),
    Kind(module: "MainstayOgmios", type: "OgmiosClient.NetworkQuery"),
  ]

  @Test(arguments: kinds)
  func `every member of a client stands on a page of its library`(_ kind: Kind) throws {
    let interface = try Repository.current.text(at: "API/\(kind.module).txt")
    // As in: `JSONRPCClient.notify(_:_:timeout:): func notify(`; what is nested has a capital.
    let members = interface.split(separator: "\n").filter { $0.hasPrefix(kind.type + ".") }
      .map { $0.dropFirst(kind.type.count + 1).prefix { $0.isLetter } }
      .filter { $0.first?.isLowercase == true && $0 != "init" }
    #expect(!members.isEmpty)
    let folder = "Sources/\(kind.module)/\(kind.module).docc/"
    let pages = Repository.current.writtenFiles
      .filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".md") }
      .flatMap(\.lines)
    let link = kind.type.split(separator: ".").joined(separator: "/") + "/"
    let missing = Set(members).filter { member in
      !pages.contains { $0.names(link + member) || $0.contains("client.\(member)(") }
    }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}

extension Substring {
  /// Whether a name stands in it, and not only the beginning of a longer one.
  fileprivate func names(_ name: String) -> Bool {
    ranges(of: name).contains { self[$0.upperBound...].first?.isLetter != true }
  }
}
