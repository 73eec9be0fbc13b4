// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What released builds have left on disks stays what it was.
@Suite(.requirement("C13")) struct PayloadCorpusTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.url.appending(path: "Payloads.tsv").path }

  private var text: String {
    get throws { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }
  }

  private func findings(_ corpus: PayloadCorpus) throws -> [String] {
    do {
      try corpus.check(against: path, recording: false)
      return []
    } catch let error as PayloadCorpus.Broken {
      return error.findings
    }
  }

  /// The build that was released first.
  private var released: PayloadCorpus {
    PayloadCorpus(["plain": Order(item: "tea", count: 2)]) { Worker(for: Order.self) { _, _ in } }
  }

  @Test func `what was recorded and is read the same is in order`() throws {
    #expect(try findings(released) == ["+ order 1 \"plain\" is not in the file"])
    try released.check(against: path, recording: true)
    #expect(try findings(released).isEmpty)
    let line = "order\t1\tplain\t{\"count\":2,\"item\":\"tea\"}\t=\n"
    #expect(try text.hasSuffix(line) && text.hasPrefix("# kind"))
  }

  @Test func `a form that lost its worker is missed, and recording does not hide it`() throws {
    try released.check(against: path, recording: true)
    let next = PayloadCorpus(["plain": Order2(item: "tea", count: 2, shelf: "a")]) {
      Worker(for: Order2.self) { _, _ in }
    }
    #expect(
      try findings(next) == [
        "- order 1 \"plain\": no worker reads it", "+ order 2 \"plain\" is not in the file",
      ])
    #expect(throws: PayloadCorpus.Broken.self) { try next.check(against: path, recording: true) }
    #expect(try findings(next) == ["- order 1 \"plain\": no worker reads it"])
  }

  @Test func `an upcast is recorded with what it makes, and watched from then on`() throws {
    func next(shelf: String) -> PayloadCorpus {
      PayloadCorpus(["plain": Order2(item: "tea", count: 2, shelf: "a")]) {
        Worker(for: Order2.self) { _, _ in }
          .upcasting(from: Order.self) {
            Order2(item: $0.item, count: $0.count, shelf: shelf)
          }
      }
    }
    try released.check(against: path, recording: true)
    #expect(try findings(next(shelf: "none")).first == "! order 1 \"plain\" means something else")
    try next(shelf: "none").check(against: path, recording: true)
    #expect(try findings(next(shelf: "none")).isEmpty)
    #expect(
      try findings(next(shelf: "other")) == [
        "! order 1 \"plain\" means something else",
        #"    was {"count":2,"item":"tea","shelf":"none"}"#,
        #"    is  {"count":2,"item":"tea","shelf":"other"}"#,
      ])
  }

  @Test func `a form that is changed without another version is noticed`() throws {
    try released.check(against: path, recording: true)
    let renamed = PayloadCorpus(["plain": RenamedOrder(title: "tea", count: 2)]) {
      Worker(for: RenamedOrder.self) { _, _ in }
    }
    let findings = try findings(renamed)
    #expect(findings.first?.hasPrefix("- order 1 \"plain\" cannot be read: ") == true)
    #expect(findings.last == "+ order 1 \"plain\" is not in the file")
    // Every old payload is read, and says less than it did.
    let smaller = PayloadCorpus(["plain": SmallerOrder(item: "tea")]) {
      Worker(for: SmallerOrder.self) { _, _ in }
    }
    #expect(try self.findings(smaller).first == "! order 1 \"plain\" means something else")
  }

  @Test func `a worker without a sample is named, with the forms that it reads`() throws {
    let corpus = PayloadCorpus([:]) {
      Worker(for: Order2.self) { _, _ in }
        .upcasting(from: Order.self) { Order2(item: $0.item, count: $0.count, shelf: "") }
    }
    #expect(
      try findings(corpus) == [
        "? order 1: a worker reads it, and there is no sample of it",
        "? order 2: a worker reads it, and there is no sample of it",
      ])
  }

  @Test func `an operation that is merged is read like any other`() throws {
    let corpus = PayloadCorpus([
      "made": SaveOrder(base: .init(.deleted, version: nil), local: .deleted)
    ]) {
      Worker(for: SaveOrder.self) { _, _, _ in nil }
    }
    try corpus.check(against: path, recording: true)
    #expect(try findings(corpus).isEmpty)
  }

  @Test func `a line that is no sample is named`() throws {
    try Data("# heading\norder\tone\t\t\t\n".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: PayloadCorpus.Unreadable.self) {
      try released.check(against: path, recording: false)
    }
    #expect(error?.line == 2 && error?.text == "order\tone\t\t\t")
  }

  @Test func `names with the marks of the file are written without them`() throws {
    let corpus = PayloadCorpus(["a\tb\n#": Order(item: "tea\t\n#", count: 0)]) {
      Worker(for: Order.self) { _, _ in }
    }
    try corpus.check(against: path, recording: true)
    #expect(try findings(corpus).isEmpty)
    #expect(try text.split(separator: "\n").count == 2)
  }
}

private struct Order: QueuedOperation {
  static let kind: OperationKind = "order"
  var item: String
  var count: Int
}

private struct Order2: QueuedOperation {
  static let kind: OperationKind = "order"
  static let version = 2
  var item: String
  var count: Int
  var shelf: String
}

private struct RenamedOrder: QueuedOperation {
  static let kind: OperationKind = "order"
  var title: String
  var count: Int
}

private struct SmallerOrder: QueuedOperation {
  static let kind: OperationKind = "order"
  var item: String
}

private struct SaveOrder: MergingOperation {
  static let kind: OperationKind = "save-order"
  static let mergePolicy = MergePolicy<Order.Record>([.field("item", \.item)])
  var base: VersionedState<Order.Record>
  var local: RecordState<Order.Record>
}

extension Order {
  fileprivate struct Record: Codable, Sendable, Equatable {
    var item = ""
  }
}
