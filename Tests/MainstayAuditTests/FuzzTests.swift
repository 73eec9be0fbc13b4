// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

/// Damaged Swift: the audit neither crashes nor hangs, and says the same with any number of jobs.
@Suite(.serialized) struct FuzzTests {
  fileprivate static let isTorture =
    ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"

  @Test(.timeLimit(.minutes(20)))
  func `mutants of the rules' examples and of real sources are survived`() async throws {
    let originals = try Self.originals()
    var random = SeededRandom(seed: 20_260_101)
    let count = Self.isTorture ? 5_000 : 100
    var mutants: [AuditSource] = []
    for number in 0..<count {
      let original = originals[Int(random.next(below: UInt64(originals.count)))]
      var mutation = Mutation(original, &random)
      for _ in 0..<(1 + random.next(below: 4)) { mutation.step(&random) }
      mutants.append(AuditSource(path: "Sources/App/M\(number).swift", bytes: mutation.bytes))
    }
    await expectSame(mutants)
  }

  @Test(.timeLimit(.minutes(20)), arguments: Shape.all)
  func `deep, long and broken shapes are survived`(shape: Shape) async throws {
    var sources: [AuditSource] = []
    for count in shape.counts {
      let bytes = shape.make(count)
      sources.append(
        AuditSource(path: "Sources/App/\(shape.name)\(count).swift", bytes: bytes))
    }
    await expectSame(sources)
  }

  @Test(arguments: [
    ("(", ")", 201), ("[", "]", 11), ("{ ", " }", 201), ("A<", ">", 101),
    ("#if A\n", "\n#endif", 201),
    ("##", "", 128),
  ])
  func `code that nests too deep is a problem with a reason`(
    open: String, close: String, count: Int
  ) async throws {
    let text =
      "let x: " + String(repeating: open, count: count) + "A"
      + String(repeating: close, count: count)
    let report = await Audit().run([AuditSource(path: "A.swift", text: text)])
    #expect(report.problems.count == 1)
    #expect(
      report.problems.first?.reason.contains("more than \(open == "##" ? 255 : count - 1)") ?? false
    )
    #expect(report.findings.isEmpty)
  }

  @Test(arguments: [
    #"let q = /"""/"#, #"let q = /a\/*/"#, "let q = #/\"\"\"/#", "let q = #/\n  \"\"\"\n/#",
    "let q = / \"\"\"/", "return / \"\"\"/", "let `\"\"\"` = 1", "let q = '\"'", "let q = \"\\",
    "let q = \"\\(a", "let q = try? / \"\"\"/", "let q = a ? /\"\"\"/ : b", "let q = -/\"\"\"/",
  ])
  func `no literal hides from the audit that code behind it nests too deep`(
    line: String
  ) async throws {
    let nested = "let x: " + String(repeating: "[", count: 11) + "A"
    let report = await Audit().run([AuditSource(path: "A.swift", text: line + "\n" + nested)])
    #expect(report.problems.map(\.reason) == ["it nests more than 10 square brackets"])
  }

  @Test func `prose of a page hides from the audit no example that nests too deep`() async throws {
    let nested = "let x: " + String(repeating: "[", count: 11) + "A"
    let page = "Files match `/*` or \"\"\".\n\n```swift\n\(nested)\n```\n"
    let report = await Audit().run([AuditSource(path: "A.md", text: page)])
    #expect(report.problems.map(\.reason) == ["it nests more than 10 square brackets"])
    let prose = String(repeating: "[[[[", count: 100) + "\n\n```swift\nlet a = 1\n```\n"
    let other = await Audit().run([AuditSource(path: "B.md", text: prose)])
    #expect(other.problems == [])
  }

  @Test func `a survey leaves alone what nests too deep`() async throws {
    let folder = try Folder()
    let nested = "let x: " + String(repeating: "[", count: 11) + "A"
    try folder.write("a.swift", "let journal = Logger(label: \"\")\n\(nested)\n")
    try folder.write("b.swift", "let diary = Logger(label: \"\")\n")
    let found = FileFinder(names: PathNames(folder: folder.path)).find([folder.path])
    let proposal = await ConfigurationProposal(of: found, jobs: 1)
    #expect(proposal.text.contains("diary") && !proposal.text.contains("journal"))
  }

  @Test func `a chain of 100000 parts is a problem with a reason`() async throws {
    let text = "let x = a" + String(repeating: ".b", count: 100_000)
    let report = await Audit().run([AuditSource(path: "A.swift", text: text)])
    #expect(report.problems.map(\.reason) == ["its code is more than 2000 levels deep"])
  }

  @Test(arguments: [
    "let text = \"" + String(repeating: "(((((", count: 1_000) + "\"",
    "// " + String(repeating: "[[[[[", count: 1_000),
    "/* " + String(repeating: "/* {", count: 300) + String(repeating: "*/", count: 301),
    "let text = #\"\\(\"((((\" \"#" + String(repeating: " + [1]", count: 500),
    "let flags = [" + String(repeating: "a < b, ", count: 500) + "c < d]",
    "let bits = [" + String(repeating: "1<<0,\n", count: 200) + "1<<1]",
    "let spans = [" + String(repeating: "0..<1, a<=b, ", count: 200) + "0..<2]",
    "let less = [" + String(repeating: "f(a<b), ", count: 200) + "f(c<d)]",
    String(repeating: "if a<b { c() }\n", count: 200),
    String(repeating: "let half = a / 2 // \"\n", count: 300) + "let x = a / b / c",
    String(repeating: "let a = /[/ + /(\"/ + b /c + d/ 2\n", count: 300),
    "let json: Any = " + String(repeating: "[\"a\": ", count: 60) + "1"
      + String(repeating: "]", count: 60),
    "enum E {\n" + String(repeating: "  case a, b\n", count: 2_000) + "}",
    "let x = a" + String(repeating: ".b()", count: 400),
  ])
  func `brackets in strings and comments do not nest, and long code is no deep code`(
    text: String
  ) async throws {
    let report = await Audit().run([AuditSource(path: "A.swift", text: text)])
    #expect(report.problems == [])
  }

  @Test func `a finding in a very long line quotes its start alone`() async throws {
    let line = String(repeating: "do { try save() } catch {} ", count: 200)
    let report = await Audit().run([AuditSource(path: "Sources/App/A.swift", text: line)])
    #expect(report.findings.count >= 200)
    #expect(report.findings.allSatisfy { $0.source.utf8.count <= 500 })
  }

  /// Audits sources with one job and with three.
  private func expectSame(_ sources: [AuditSource]) async {
    var configuration = AuditConfiguration()
    configuration.profile = .all
    let one = await Audit(configuration).run(sources, jobs: 1)
    let three = await Audit(configuration).run(sources, jobs: 3)
    #expect(one.files == sources.count)
    #expect(one.findings == three.findings)
    #expect(one.problems == three.problems)
    #expect(one.lines == three.lines)
  }

  /// The examples of all rules, and some sources of the package.
  private static func originals() throws -> [[UInt8]] {
    let examples = Rule.all.flatMap(\.examples).map { Array($0.code.utf8) }
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/MainstayAudit")
    let files = [
      "Engine/Suppressions.swift", "Syntax/Routine.swift", "Rules/Losing/EmptyCatch.swift",
    ]
    return try examples
      + files.map { try Array(Data(contentsOf: sources.appending(path: $0))) }
  }
}

/// One text on its way to become another.
private struct Mutation {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8], _ random: inout SeededRandom) {
    // A window of a long text, so that a change is near something.
    let length = min(bytes.count, 4_000)
    let start = Int(random.next(below: UInt64(bytes.count - length + 1)))
    self.bytes = Array(bytes[start..<(start + length)])
  }

  mutating func step(_ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    let tokens = Self.tokens(of: bytes)
    let one = tokens[Int(random.next(below: UInt64(tokens.count)))]
    let other = tokens[Int(random.next(below: UInt64(tokens.count)))]
    switch random.next(below: 12) {
    case 0: bytes.removeSubrange(one)
    case 1: bytes.insert(contentsOf: bytes[one], at: other.lowerBound)
    case 2:
      let (first, second) = one.lowerBound < other.lowerBound ? (one, other) : (other, one)
      guard first.upperBound <= second.lowerBound else { return }
      let texts = (Array(bytes[first]), Array(bytes[second]))
      bytes.replaceSubrange(second, with: texts.0)
      bytes.replaceSubrange(first, with: texts.1)
    case 3: bytes.removeLast(bytes.count - one.lowerBound)
    case 4: bytes.removeFirst(one.lowerBound)
    case 5: bytes[one.lowerBound] = UInt8(truncatingIfNeeded: random.next())
    case 6: bytes.insert(contentsOf: Self.broken(&random), at: one.lowerBound)
    case 7:
      let count = Int(1 + random.next(below: 40))
      for _ in 0..<count { bytes.insert(contentsOf: Self.opening(&random), at: one.lowerBound) }
    case 8: bytes = bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    case 9: bytes = bytes.map { $0 == 0x0A ? 0x0D : $0 }
    case 10: bytes = [0xEF, 0xBB, 0xBF] + bytes
    default:
      let low = min(one.lowerBound, other.lowerBound)
      let high = max(one.upperBound, other.upperBound)
      bytes.insert(contentsOf: Array(bytes[low..<high]), at: high)
    }
  }

  /// Words, runs of blanks, and single signs.
  private static func tokens(of bytes: [UInt8]) -> [Range<Int>] {
    var tokens: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let kind = Self.kind(bytes[start])
      var end = start + 1
      while kind != 0, end < bytes.count, Self.kind(bytes[end]) == kind { end += 1 }
      tokens.append(start..<end)
      start = end
    }
    return tokens
  }

  private static func kind(_ byte: UInt8) -> Int {
    if byte <= 0x20 { return 1 }
    return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte >= 0x80 ? 2 : 0
  }

  private static func broken(_ random: inout SeededRandom) -> [UInt8] {
    let all: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x80], [0x00],
      Array("\"\"\"".utf8), Array("\"\\(".utf8), Array("/*".utf8), Array("#\"".utf8),
      Array("`".utf8), Array("#if".utf8), Array("'".utf8), Array("\u{202E}\u{2028}".utf8),
    ]
    return all[Int(random.next(below: UInt64(all.count)))]
  }

  private static func opening(_ random: inout SeededRandom) -> [UInt8] {
    let all = [
      "(", "{", "a<", "\"\\(", "if a { ", "do { try ", "catch { ", "switch a { case .b: ", ".c",
      "for a in b { ", "while true { do { ", "try ", "try? ", "!", "?", "else if b {} ",
    ]
    return Array(all[Int(random.next(below: UInt64(all.count)))].utf8)
  }
}

/// Code of one repeated piece.
struct Shape: Sendable, CustomTestStringConvertible {
  let name: String
  let counts: [Int]
  let make: @Sendable (Int) -> [UInt8]

  /// The longest, which `make torture` alone can afford.
  private static let longest = FuzzTests.isTorture ? 100_000 : 400
  private static let lengths = [190, longest]

  var testDescription: String { name }

  private init(
    _ name: String, _ counts: [Int] = Shape.lengths,
    _ make: @escaping @Sendable (Int) -> String
  ) {
    self.name = name
    self.counts = counts
    self.make = { Array(make($0).utf8) }
  }

  private static func around(_ name: String, _ open: String, _ close: String) -> Shape {
    Shape(name, [9, 150, longest]) {
      String(repeating: open, count: $0) + "a" + String(repeating: close, count: $0)
    }
  }

  private static func chain(_ name: String, _ first: String, _ part: String) -> Shape {
    Shape(name) { first + String(repeating: part, count: $0) }
  }

  static let all: [Shape] = [
    around("parentheses", "(", ")"), around("closures", "a { b in ", " }"),
    around("ifs", "if a { ", " }"), around("arrays", "[", "]"), around("generics", "A<", ">"),
    around("strings", "\"\\(", ")\""), around("switches", "switch a { default: ", " }"),
    around("functions", "func a() { ", " }"), around("catches", "do { try a() } catch { ", " }"),
    around("loops", "while true { do { ", " } catch {} }"),
    around("conditions", "#if A\n", "\n#endif\n"), around("mixed", "[A<(", ")>]"),
    around("retries", "retry(3) { ", " }"), around("types", "actor ACache { ", " }"),
    chain("members", "let x = a", ".b"), chain("calls", "let x = a", ".b { try? c() }"),
    chain("forced", "let x = a", "!"), chain("optional", "let x: A", "?"),
    chain("elses", "if a {} ", "else if b {} "), chain("sums", "let x = a", " + a"),
    chain("ternaries", "let x = a", " ? b : c"), chain("tries", "", "try "),
    chain("lets", "switch a { case ", "let "), chain("arrows", "let x: ", "A -> "),
    chain("clauses", "do {} ", "catch {} "), chain("open", "", "("), chain("closed", "", ")"),
    chain("quotes", "", "\""), chain("signs", "let x = ", "- "), chain("hashes", "", "#"),
    chain("literal", "let x = \"", "abc "), chain("unterminated", "", "let x = \"abc\n"),
    chain("returns", "func f() {", "\r"), chain("comments", "", "/*"), chain("marks", "", "@a "),
    chain("ignores", "", "// mainstay:ignore MS201 -- why\n"), chain("labels", "", "a: "),
    chain("nulls", "let x = 1", "\u{0}"), chain("subscripts", "a", "[0]"),
    Shape("empty", [0]) { _ in "" }, Shape("mark", [0]) { _ in "\u{FEFF}" },
    Shape("blank", [1]) { _ in "\n" }, Shape("break", [1]) { _ in "\r" },
  ]
}

/// The same numbers from the same seed.
private struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func next(below bound: UInt64) -> UInt64 { next() % bound }
}
