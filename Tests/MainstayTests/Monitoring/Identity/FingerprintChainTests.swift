// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private final class Knot: AppErrorConvertible {
  let code: ErrorCode
  let next = Locked<(any Error)?>(nil)

  init(_ code: ErrorCode) { self.code = code }

  var appError: AppError { failing(next.withLock { $0.map { [$0] } ?? [] }, code: code) }
}

private func failing(_ causes: [any Error], code: ErrorCode = "sync.failed") -> AppError {
  AppError(
    code: code, kind: .unknown, disposition: .permanent, title: "Not synced",
    message: "Nothing was synced.", underlying: causes)
}

private func numbered(_ number: Int) -> NSError { NSError(domain: "Shop", code: number) }

private struct Selfish: AppErrorConvertible {
  var appError: AppError { .unknown(self) }
}

private enum Named: AppErrorConvertible {
  case itself
  var appError: AppError {
    AppError(
      code: "named.itself", kind: .unknown, disposition: .permanent, title: "Itself",
      message: "It names itself.", underlying: [self])
  }
}

private struct Curious: AppErrorConvertible {
  var appError: AppError {
    AppError(
      code: "curious", kind: .unknown, disposition: .permanent, title: "Curious",
      message: "It asks.", details: Fingerprint(of: self).description)
  }
}

/// Describes itself by its own group.
private struct Narcissus: Error, CustomStringConvertible {
  var description: String { "\(Fingerprint(of: self)) \(Fingerprint(of: self, key: "me"))" }
}

/// Shows its own group to whoever looks inside.
private struct Mirrored: Error, CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["group": Fingerprint(of: self)]) }
}

@Suite(.requirement("B41")) struct FingerprintChainTests {
  @Test func `a chain that leads back to itself has an end`() {
    let (first, second) = (Knot("knot.first"), Knot("knot.second"))
    first.next.withLock { $0 = second }
    second.next.withLock { $0 = first }
    defer { first.next.withLock { $0 = nil } }
    #expect(Fingerprint(of: first) == Fingerprint(of: first))
    #expect(Fingerprint(of: first) != Fingerprint(of: second))
    let explanation = Fingerprint.explain(first)
    #expect(
      explanation.components.filter(\.contributes).map(\.value) == ["knot.first", "knot.second"])
  }

  @Test func `ten thousand causes below each other are bounded work`() {
    var error: any Error = numbered(0)
    for number in 1...10_000 { error = failing([error], code: number % 2 == 0 ? "even" : "odd") }
    #expect(!Fingerprint(of: error).isCancellation)
    var alike: any Error = numbered(0)
    for _ in 1...10_000 { alike = failing([alike]) }
    #expect(Fingerprint(of: alike) == Fingerprint(of: failing([])))
  }

  @Test func `ten thousand causes beside each other are bounded work`() {
    let error = failing((0..<10_000).map(numbered))
    #expect(Fingerprint.explain(error).components.count < 1_000)
  }

  @Test func `causes in another order and twice are the same set`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SeededGenerator(seed: seed)
      let causes = (0..<Int.random(in: 1...8, using: &random)).map { number in
        number % 3 == 0 ? failing([numbered(number)], code: "inner") : numbered(number) as any Error
      }
      let again = (causes + causes.prefix(2)).shuffled(using: &random)
      #expect(Fingerprint(of: failing(causes)) == Fingerprint(of: failing(again)))
      #expect(
        Fingerprint(of: failing(causes), chain: .whole)
          == Fingerprint(of: failing(again), chain: .whole))
    }
  }

  @Test func `an error that names itself as its cause is asked no further`() {
    #expect(Fingerprint(of: Selfish()) == Fingerprint(of: AppError.from(Selfish())))
    #expect(Fingerprint.explain(Selfish()).tier == .type)
    #expect(Fingerprint(of: Named.itself) == Fingerprint(of: AppError.from(Named.itself)))
    #expect(Fingerprint.explain(Named.itself).components.filter(\.contributes).count == 1)
    #expect(Fingerprint.explain(Curious()).tier == .code)
  }

  @Test(.ends(withinMinutes: 5)) func `an error that describes itself by its group ends`() {
    for error in [Narcissus(), Mirrored()] as [any Error] {
      let group = Fingerprint(of: error)
      #expect(!group.isCancellation)
      #expect(Fingerprint(of: error) == group)
      #expect(Fingerprint(of: AppError.from(error)) == group)
      #expect(Fingerprint(of: error, key: "a") == Fingerprint(key: "a"))
      #expect(Fingerprint.explain(error).fingerprint == group)
      #expect(!RecordedError(error).type.isEmpty)
    }
    #expect(Fingerprint.explain(Narcissus()).tier == .message)
  }

  @Test func `a mapping may ask for the group of its own error`() {
    let mapping = ErrorMapping.standard.adding(CartError.self) { error in
      failing([], code: Fingerprint(of: error).isCancellation ? "a" : "b")
    }
    let mapped = ErrorMapping.with(mapping) { Fingerprint(of: CartError.empty) }
    #expect(mapped == Fingerprint(of: failing([CartError.empty], code: "b")))
  }

  @Test func `what is recorded of a cause has the group of the cause`() throws {
    let error = failing([numbered(7)])
    let data = try JSONEncoder().encode(error)
    let decoded = try JSONDecoder().decode(AppError.self, from: data)
    #expect(Fingerprint(of: decoded) == Fingerprint(of: error))
  }

  @Test(arguments: FingerprintTests.caught.indices)
  func `what was written and read again stays in its group`(_ index: Int) throws {
    let caught = FingerprintTests.caught[index]
    let between = failing([caught], code: "between.them")
    let errors = [
      AppError.from(caught), failing([caught]), failing([between]),
      failing([between, numbered(1)]),
      failing([AppError.network(between), caught]),
    ]
    for error in errors {
      let read = try throughJSON(error)
      let again = try throughJSON(read)
      for chain in [Fingerprint.Chain.ends, .whole] {
        let group = Fingerprint(of: error, chain: chain)
        #expect(Fingerprint(of: read, chain: chain) == group, "\(Fingerprint.explain(read))")
        #expect(Fingerprint(of: again, chain: chain) == group)
      }
    }
  }

  @Test func `an enum is recorded by its case and not by its place among them`() throws {
    #expect(RecordedError(CartError.full(limit: 3)).code == "MainstayTests.CartError full")
    let flat = failing([RecordedError(CartError.full(limit: 3))])
    #expect(Fingerprint(of: flat) == Fingerprint(of: failing([CartError.full(limit: 1)])))
    #expect(
      Fingerprint(of: failing([RecordedError(CancellationError())]))
        == Fingerprint(of: failing([CancellationError()])))
  }

  @Test func `what an earlier release wrote is read, and its environment is known`() throws {
    let error = failing([URLError(.timedOut), numbered(7)])
    let data = try JSONEncoder().encode(error)
    var document = try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: Any])
    document["underlying"] = [
      ["type": "Foundation.URLError", "code": "NSURLErrorDomain -1001", "text": "too late"],
      ["type": "__C.NSError", "code": "Shop 7", "text": "", "identity": ["odd"]],
    ]
    let read = try JSONDecoder().decode(
      AppError.self, from: JSONSerialization.data(withJSONObject: document))
    #expect(read.underlying.count == 2)
    #expect(Fingerprint(of: read) == Fingerprint(of: error))
  }

  @Test func `a chain is written as deep as it is useful, and read as deep`() throws {
    var error: any Error = numbered(0)
    for number in 1...10_000 { error = failing([error], code: number % 2 == 0 ? "even" : "odd") }
    let read = try throughJSON(AppError.from(error))
    #expect(ErrorChain(read).reduce(0) { count, _ in count + 1 } == 17)
    let wide = try throughJSON(failing((0..<10_000).map(numbered)))
    #expect(wide.underlying.count == 64)
    let (first, second) = (Knot("knot.first"), Knot("knot.second"))
    first.next.withLock { $0 = second }
    second.next.withLock { $0 = first }
    defer { first.next.withLock { $0 = nil } }
    let knot = try throughJSON(AppError.from(first))
    #expect(Fingerprint(of: knot) == Fingerprint(of: first))
    #expect(ErrorChain(knot).reduce(0) { count, _ in count + 1 } == 3)
  }

  @Test func `a report has each cause once, also of an error that was read`() throws {
    let monitor = ErrorMonitor()
    let error = try throughJSON(failing([failing([numbered(7)], code: "between.them")]))
    monitor.capture(error)
    let report = try #require(monitor.history.first)
    #expect(report.causes.map(\.code) == ["between.them", "Shop 7"])
    let text = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    #expect(text.components(separatedBy: "Shop 7").count == 2)
  }

  @Test func `the wording decides where nobody gave a code`() {
    let rows = [3, 4].map { AppError.validation("Row \($0) is too long.") }
    #expect(Fingerprint(of: rows[0]) == Fingerprint(of: rows[1]))
    #expect(Fingerprint(of: rows[0]) != Fingerprint(of: AppError.validation("No name.")))
    #expect(Fingerprint.explain(rows[0]).tier == .message)
    let coded = AppError.validation("Row \(3) is too long.", code: "import.row")
    #expect(Fingerprint.explain(coded).tier == .code)
  }

  @Test func `a key that is the message itself is taken as its template`() {
    let errors = ["row 5 is bad", "row 17 is bad"].map {
      NSError(domain: "Shop", code: 1, userInfo: [NSLocalizedDescriptionKey: $0])
    }
    let keyed = errors.map { Fingerprint(of: $0, key: $0.localizedDescription) }
    #expect(keyed[0] == keyed[1])
  }
}

@Suite(.requirement("B41")) struct FingerprintExplanationTests {
  @Test func `every component says whether it decides and why`() throws {
    let error = failing([failing([numbered(7)], code: "between.them")])
    let explanation = Fingerprint.explain(error)
    #expect(explanation.fingerprint == Fingerprint(of: error))
    #expect(
      explanation.components.map(\.name) == [
        "code", "between.code", "cause.1.domain", "cause.1.number",
      ])
    #expect(explanation.components.map(\.contributes) == [true, false, true, true])
    #expect(explanation.components.allSatisfy { !$0.hint.isEmpty })
    #expect(explanation.description.contains("- between.code: between.them"))
    let copy = try JSONDecoder().decode(
      Fingerprint.Explanation.self, from: JSONEncoder().encode(explanation))
    #expect(copy.components == explanation.components)
    #expect(copy.fingerprint == explanation.fingerprint)
  }

  @Test
  func `a secret in words decides about no group, and is not explained`() throws {
    let secrets = ["hunter2", "open!s3same", "1234", "\"two words\""]
    let faults = secrets.map { WordyFault(description: "Order 12 failed: password=\($0)") }
    let texts = secrets.map {
      AppError.validation(LocalizableText(verbatim: "Order 12 failed: password=\($0)"))
    }
    for errors in [faults, texts] as [[any Error]] {
      #expect(Set(errors.map { Fingerprint(of: $0) }).count == 1)
      let explanation = Fingerprint.explain(errors[0])
      #expect(explanation.tier == .message)
      #expect(
        explanation.components.last?.value == "Order <int> failed: password=<redacted>")
      let text = String(decoding: try JSONEncoder().encode(explanation), as: UTF8.self)
      #expect(!(text + explanation.description).contains(secrets[0]))
    }
    let wrapped = failing([faults[0]])
    #expect(Fingerprint(of: try throughJSON(wrapped)) == Fingerprint(of: wrapped))
    let keyed = Fingerprint.explain(faults[0], key: faults[0].description)
    #expect(keyed.tier == .key && !keyed.description.contains(secrets[0]))
  }

  @Test func `a difference says what keeps two errors apart`() {
    let apart = Fingerprint.difference(CartError.empty, CartError.full(limit: 1))
    #expect(!apart.areTogether)
    #expect(apart.shared.map(\.name) == ["type"])
    #expect(apart.onlyFirst.map(\.value) == ["empty"])
    #expect(apart.onlySecond.map(\.value) == ["full"])
    #expect(apart.description.hasPrefix("apart\n= type: MainstayTests.CartError"))
    let together = Fingerprint.difference(URLError(.timedOut), AppError.timeout())
    #expect(together.areTogether)
    #expect(together.onlyFirst.isEmpty && together.onlySecond.isEmpty)
  }

  @Test func `a key leaves all else out, and says so`() {
    let explanation = Fingerprint.explain(CartError.empty, key: "checkout")
    #expect(explanation.components.filter(\.contributes).map(\.value) == ["checkout"])
    #expect(explanation.components.count == 3)
  }
}
