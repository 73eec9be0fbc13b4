// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// One file with all its mutants in it, each asleep until its number is switched on.
public struct MutatedFile: Sendable {
  /// The path of the file, relative to the root of its package.
  public let path: String
  /// Its mutants, in the order of the file.
  public let mutants: [Mutant]
  /// The text with those that were asked for.
  public private(set) var output: String

  /// The name without folders.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// What the file says without mutants.
  var original: String { source[0..<source.bytes.count] }

  private let source: SourceText
  private let points: [(point: MutationPoint, numbers: [Int])]
  /// Which bytes of the output belong to which mutants.
  private var regions: [(range: Range<Int>, numbers: [Int])] = []

  /// Finds the mutants of a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - text: What it says.
  ///   - enums: The enums of its module.
  ///   - firstNumber: The number of the first mutant; 1 or more.
  public init(path: String, text: String, enums: EnumCases, firstNumber: Int) {
    self.path = path
    source = SourceText(text)
    let file = path.split(separator: "/").last.map(String.init) ?? path
    var mutants: [Mutant] = []
    var seen: [Mutant.Key: Int] = [:]
    var points: [(point: MutationPoint, numbers: [Int])] = []
    for point in MutationFinder.points(in: text, file: file, enums: enums) {
      var numbers: [Int] = []
      for alternative in point.alternatives {
        let mutated = source.shown(point.range, as: alternative.text)
        var key = Mutant.Key(
          file: file, original: source.shown(point.range),
          mutated: mutated.isEmpty ? "(removed)" : mutated)
        seen[key, default: 0] += 1
        key.occurrence = seen[key] ?? 1
        numbers.append(firstNumber + mutants.count)
        mutants.append(
          Mutant(
            number: firstNumber + mutants.count, kind: alternative.kind,
            line: source.line(at: point.range.lowerBound), key: key))
      }
      points.append((point, numbers))
    }
    self.mutants = mutants
    self.points = points
    output = text
    write(without: [])
  }

  /// Writes the text anew, without some of the mutants.
  public mutating func write(without dropped: Set<Int>) {
    var writer = SchemaWriter(source: source, points: points, dropped: dropped)
    writer.write(0..<source.bytes.count)
    output = String(decoding: writer.output, as: UTF8.self)
    regions = writer.regions
  }

  /// The mutants that an error of the compiler at a place of the output is about.
  ///
  /// They are those of the smallest part around it that was written for mutants; where there is
  /// none, those of the line; and at last those of the whole function, first what is left out
  /// there: an error about a value that is missing is told where the value is used.
  public func blamed(line: Int, column: Int) -> [Int] {
    let text = SourceText(output)
    guard let offset = text.offset(line: line, column: column) else { return [] }
    let around = regions.filter { $0.range.contains(offset) }
    if let smallest = around.min(by: { $0.range.count < $1.range.count }) {
      return smallest.numbers
    }
    let onLine = numbers(in: text.wholeLines(around: offset..<offset))
    if !onLine.isEmpty { return onLine }
    let inFunction = numbers(in: function(around: offset) ?? 0..<0)
    let leftOut = Set(mutants.filter { $0.kind == .removed }.map(\.number))
    let first = inFunction.filter(leftOut.contains)
    return first.isEmpty ? inFunction : first
  }

  private func numbers(in range: Range<Int>) -> [Int] {
    Set(regions.filter { $0.range.overlaps(range) }.flatMap(\.numbers)).sorted()
  }

  private func function(around offset: Int) -> Range<Int>? {
    let token = Parser.parse(source: output).token(at: AbsolutePosition(utf8Offset: offset))
    return token?.ancestors.first { node in
      node.is(FunctionDeclSyntax.self) || node.is(InitializerDeclSyntax.self)
        || node.is(PatternBindingSyntax.self)
    }?.bytes
  }
}

/// Writes a file with its mutants; inside a changed alternative nothing else is changed, since only
/// one mutant is ever awake.
private struct SchemaWriter {
  let source: SourceText
  let points: [(point: MutationPoint, numbers: [Int])]
  let dropped: Set<Int>
  var output: [UInt8] = []
  var regions: [(range: Range<Int>, numbers: [Int])] = []
  private var next = 0

  init(
    source: SourceText, points: [(point: MutationPoint, numbers: [Int])], dropped: Set<Int>
  ) {
    self.source = source
    self.points = points
    self.dropped = dropped
  }

  /// Writes a part of the source with the points inside of it.
  mutating func write(_ range: Range<Int>) {
    var copied = range.lowerBound
    while next < points.count, points[next].point.range.upperBound <= range.upperBound {
      let (point, numbers) = points[next]
      output += source.bytes[copied..<point.range.lowerBound]
      next += 1
      write(point, numbers)
      copied = point.range.upperBound
    }
    output += source.bytes[copied..<range.upperBound]
  }

  private mutating func write(_ point: MutationPoint, _ numbers: [Int]) {
    let living = zip(numbers, point.alternatives).filter { !dropped.contains($0.0) }
    guard !living.isEmpty else { return write(point.range) }
    let start = output.count
    switch point.form {
    case .expression:
      put("(")
      for (number, alternative) in living {
        put("MutationSwitch.isActive(\(number)) ? (")
        putAlternative(alternative.text, number)
        put(") : ")
      }
      put("(")
      write(point.range)
      put("))")
    case .statement:
      for (number, alternative) in living {
        put("if MutationSwitch.isActive(\(number)) { ")
        putAlternative(alternative.text, number)
        put(" } else ")
      }
      put("{ ")
      write(point.range)
      put(" }")
    case .number:
      // One call for all, since many numbers in one expression are a lot of work for the compiler.
      let steps = numbers.map { dropped.contains($0) ? -1 : $0 }
      put("MutationSwitch.stepped(")
      write(point.range)
      put(", up: \(steps[0]), down: \(steps.count > 1 ? steps[1] : -1))")
    case .insertion:
      for (number, _) in living { put("!MutationSwitch.isActive(\(number)), ") }
    }
    regions.append((start..<output.count, living.map(\.0)))
  }

  private mutating func put(_ text: String) { output += text.utf8 }

  private mutating func putAlternative(_ text: String, _ number: Int) {
    let start = output.count
    put(text)
    if output.count > start { regions.append((start..<output.count, [number])) }
  }
}
