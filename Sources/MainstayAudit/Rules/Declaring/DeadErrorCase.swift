// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let deadErrorCase = Rule(
    "MS113", "dead-error-case", .info, .optIn, serves: ["B31"],
    summary: "Nothing in the project makes an error of this case.",
    why: """
      Code that handles it never runs and is never tested; or the place that should report it was \
      forgotten.
      """,
    guess: "A case that code names without a type may be of any type that has one of that name.",
    onPurpose: "Make the type public, or a case of a type with raw values or that is decoded.",
    remedy: .none(
      "whether the case or the place that throws it is missing is for the author to say"),
    examples: [
      .bad(
        """
        enum DiskError: Error { case full, ↓quotaReached }
        func write() throws { throw DiskError.full }
        """),
      .bad(
        """
        enum DiskError: Error { case full, ↓readOnly }
        func write() throws(DiskError) { throw .full }
        func text(_ e: DiskError) -> String {
          if e == .readOnly { return "r" }
          switch e { case .full: return "f"; case .readOnly: return "r" }
        }
        """),
      .bad(
        """
        enum DiskError: Error { case ↓full(left: Int), failed(code: Int) }
        enum Glass { case full }
        func pour() -> Glass { .full }
        let glass = Glass.full
        func write() throws { throw DiskError.failed(code: 3) }
        func ask() { do { try write() } catch DiskError.full(let left) { print(left) } catch {} }
        """),
      .bad(
        """
        extension Disk { enum Failure: Swift.Error { case ↓full, broken } }
        enum State { case full }
        let state: State = .full
        func fill() -> State { return .full }
        let failure = Disk.Failure.broken
        """),
      .bad(
        """
        private enum DiskError: Error { case ↓full }
        func f(_ volume: Volume) -> Bool { volume.full }
        """),
      .good(
        """
        enum DiskError: Error { case full, quotaReached }
        func write() throws { throw isFull ? DiskError.full : .quotaReached }
        """),
      .good("public enum DiskError: Error { case full }", because: "its users may make one"),
      .good("enum DiskError: Int, Error { case full = 28 }", because: "it is made of a number"),
      .good("enum DiskError: Error, Codable { case full }", because: "it is decoded"),
      .good(
        "enum DiskError: Error { case full(Int) }",
        others: ["Sources/App/Disk.swift": "func f(_ n: Int) { done(.failure(.full(n))) }"]),
      .good(
        """
        enum DiskError: Error {
          case full
          static let all = [full]
        }
        """),
      .good(
        """
        enum DiskError: Error { case full }
        typealias Failure = DiskError
        func write() throws { throw Failure.full }
        """),
      .good(
        """
        enum DiskError: Error {
          case full
          init(_ code: Int) { self = .full }
        }
        """),
      .good(
        """
        enum DiskError: Error { case full(String) }
        let errors = ["a"].map(DiskError.full)
        """),
    ],
    checks: .project { index, project in
      for type in index.errorTypes where type.kind == .enumeration && !type.isPublic {
        guard index.ancestors(of: type).isDisjoint(with: makers), !index.hasForeignAncestors(type)
        else {
          continue
        }
        for element in type.cases where !index.constructs(element, of: type) {
          project.report(
            element.site, in: type.pathClass,
            "Nothing makes a `\(type.qualifiedName).\(element.name)`")
        }
      }
    })
}

/// What makes values of cases that no code names.
private let makers: Set<String> = [
  "String", "Character", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
  "UInt32", "UInt64", "Double", "Float", "RawRepresentable", "CaseIterable", "Codable", "Decodable",
]
