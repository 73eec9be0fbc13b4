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

  /// A file with the tags in another order than that in which this process writes them.
  private func permute(_ tags: Set<String>) throws {
    let written = try text
    let all = tags.map { "\"\($0)\"" }
    for first in all {
      let others = all.filter { $0 != first }
      let list = "[\(([first] + others).joined(separator: ","))]"
      let other = written.replacing(/\[[^\]]*\]/, with: list)
      guard other != written else { continue }
      return try Data(other.utf8).write(to: URL(filePath: path))
    }
  }

  @Test func `the order of a set is chance, and no other payload`() throws {
    let tags: Set = ["a", "b", "c", "d"]
    let corpus = PayloadCorpus(["tagged": Tagged(tags: tags)]) {
      Worker(for: Tagged.self) { _, _ in }
    }
    try corpus.check(against: path, recording: true)
    try permute(tags)
    let before = try text
    #expect(try findings(corpus).isEmpty)
    try corpus.check(against: path, recording: true)
    #expect(try text == before)
  }

  @Test func `where nobody can say whether an order is chance, that is told, and no line added`()
    throws
  {
    let tags: Set = ["a", "b", "c", "d"]
    let corpus = PayloadCorpus(["tagged": Untold(tags: tags)]) {
      Worker(for: Untold.self) { _, _ in }
    }
    try corpus.check(against: path, recording: true)
    try permute(tags)
    let line =
      "~ tagged 1 \"tagged\" has another order: where that is a set, make the operation Equatable"
    let before = try text
    // What is read may by chance be in the order of the file; the sample itself is not.
    #expect(try Set(findings(corpus)) == [line])
    try corpus.check(against: path, recording: true)
    #expect(try text == before)
  }

  @Test func `the order of a list is what it says`() throws {
    func corpus(_ items: [String]) -> PayloadCorpus {
      PayloadCorpus(["listed": Listed(items: items)]) { Worker(for: Listed.self) { _, _ in } }
    }
    try corpus(["a", "b"]).check(against: path, recording: true)
    #expect(try findings(corpus(["b", "a"])) == ["+ listed 1 \"listed\" is not in the file"])
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

private struct Tagged: QueuedOperation, Equatable {
  static let kind: OperationKind = "tagged"
  var tags: Set<String>
}

private struct Untold: QueuedOperation {
  static let kind: OperationKind = "tagged"
  var tags: Set<String>
}

private struct Listed: QueuedOperation, Equatable {
  static let kind: OperationKind = "listed"
  var items: [String]
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
