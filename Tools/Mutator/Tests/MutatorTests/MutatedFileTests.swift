// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftParser
import SwiftSyntax
import Testing

@testable import Mutator

@Suite struct MutatedFileTests {
  private static let text = """
    struct Queue {
      enum State { case idle, busy }
      var state = State.idle
      var items: [Int] = []  // the oldest < first

      mutating func add(_ item: Int) -> Bool {
        guard items.count < 10, let first = items.first(where: { $0 == item }) else {
          return false
        }
        items.append(min(first, item) + 1)
        if case .idle = state, items.count > 2 * item || items.isEmpty { state = .busy }
        return true
      }
    }

    """

  private static func file(_ text: String = text) -> MutatedFile {
    MutatedFile(
      path: "Queue.swift", text: text, enums: EnumCases([("Queue.swift", text)]), firstNumber: 1)
  }

  @Test func `what is written is Swift, with every mutant in it`() {
    let file = Self.file()
    #expect(!Parser.parse(source: file.output).hasError)
    #expect(file.mutants.count > 20)
    for mutant in file.mutants {
      let isThere =
        file.output.contains("(\(mutant.number))") || file.output.contains("up: \(mutant.number),")
        || file.output.contains("down: \(mutant.number))")
      #expect(isThere, "\(mutant.key.mutated)")
    }
  }

  @Test func `the repository's own machines are still Swift when mutated`() throws {
    let folder = Repository.root.appending(path: "Sources/Mainstay/Policies")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    #expect(names.contains("RetryStateMachine.swift"))
    for name in names {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      #expect(!Parser.parse(source: Self.file(text).output).hasError, "\(name)")
    }
  }

  @Test func `without its mutants a file says what it said`() {
    var file = Self.file()
    file.write(without: Set(file.mutants.map(\.number)))
    #expect(file.output == Self.text)
  }

  @Test func `an error is blamed on the mutants around it`() throws {
    let file = Self.file("let x = a + b < c\nlet y = z\n")
    let column = { (part: String) throws -> Int in
      let place = try #require(file.output.firstRange(of: part)?.lowerBound)
      return file.output.utf8.distance(from: file.output.startIndex, to: place) + 1
    }
    #expect(file.blamed(line: 1, column: try column("<= c")) == [1])
    #expect(file.blamed(line: 1, column: try column("- b")) == [2])
    #expect(file.blamed(line: 1, column: try column("let x")) == [1, 2])
    #expect(file.blamed(line: 2, column: 1).isEmpty)
    #expect(file.blamed(line: 99, column: 1).isEmpty)
  }

  @Test func `an error that is nowhere near is blamed on the function`() {
    let file = Self.file(
      "func f() -> Int {\n  let g = a < b || h\n  return c\n}\nlet d = e < 1\n")
    #expect(file.blamed(line: 3, column: 3) == [1, 2])
  }

  @Test func `what is left out is blamed before the rest of the function`() {
    var file = Self.file("func f() -> Int {\n  g(a < b)\n  x = a\n  return c\n}\n")
    let leftOut = file.mutants.filter { $0.kind == .removed }.map(\.number)
    #expect(file.blamed(line: 4, column: 3) == leftOut && leftOut.count == 2)
    file.write(without: Set(leftOut))
    #expect(file.blamed(line: 4, column: 3).count == file.mutants.count - 2)
  }

  @Test func `a build of the same files knows what did not compile`() throws {
    let place = FileManager.default.temporaryDirectory.appending(
      path: "uncompiled-\(ProcessInfo.processInfo.processIdentifier).json")
    defer { try? FileManager.default.removeItem(at: place) }
    var known = UncompiledMutants(at: place)
    #expect(known.numbers(in: [Self.file()]).isEmpty)
    known.note([2: "no such operator"], in: [Self.file()])
    try known.write(to: place)
    let read = UncompiledMutants(at: place)
    #expect(read.numbers(in: [Self.file()]) == [2: "no such operator"])
    #expect(read.numbers(in: [Self.file(Self.text + "\n")]).isEmpty)
  }

  @Test func `the errors of a build are found`() {
    let log = """
      [1/9] Compiling Mainstay Backoff.swift
      /a/Backoff.swift:12:34: error: binary operator '-' cannot be applied
      /a/Backoff.swift:13:1: warning: never executed
      12 |    |- error: binary operator
      """
    #expect(
      MutantBuild.errors(in: log) == [
        .init(
          path: "/a/Backoff.swift", line: 12, column: 34,
          message: "binary operator '-' cannot be applied")
      ])
  }
}
