// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension IdempotencyConformance {
  private static func answer(_ text: String = "done") -> StoredAnswer {
    StoredAnswer(status: 201, fields: ["location": "/orders/1"], body: Data(text.utf8))
  }

  /// What is said of a request that comes again.
  static let verdicts: [Rule] = [
    Rule("a request is handled once, and its answer is repeated everywhere") { desk in
      let claim = try await desk.handled(desk.here, "a")
      desk.same(try await desk.here.begin("a", fingerprint: .one), .running)
      desk.same(try await desk.there.begin("a", fingerprint: .one), .running)
      try await desk.here.end("a", claim, with: answer())
      desk.same(try await desk.there.begin("a", fingerprint: .one), .replay(answer()))
      desk.same(try await desk.here.begin("a", fingerprint: .one), .replay(answer()))
    },
    Rule("a key that belongs to another request is refused, before its end and after it") { desk in
      let claim = try await desk.handled(desk.here, "a")
      desk.same(try await desk.there.begin("a", fingerprint: .two), .mismatch)
      try await desk.here.end("a", claim, with: answer())
      desk.same(try await desk.there.begin("a", fingerprint: .two), .mismatch)
      desk.same(try await desk.here.begin("a", fingerprint: Data()), .mismatch)
      desk.same(try await desk.here.begin("a", fingerprint: .one), .replay(answer()))
    },
    Rule("what ended without an answer is handled again, also as another request") { desk in
      let first = try await desk.handled(desk.here, "a")
      try await desk.here.end("a", first, with: nil)
      let second = try await desk.handled(desk.there, "a", .two)
      desk.hold(first != second, "a claim is nobody else's")
      desk.same(try await desk.here.begin("a", fingerprint: .two), .running)
    },
    Rule("a claim that is not the last one changes nothing") { desk in
      let first = try await desk.handled(desk.here, "a")
      try await desk.here.end("a", first, with: nil)
      let second = try await desk.handled(desk.there, "a")
      try await desk.here.end("a", first, with: answer("late"))
      desk.same(try await desk.here.begin("a", fingerprint: .one), .running)
      try await desk.here.end("a", first, with: nil)
      desk.same(try await desk.here.begin("a", fingerprint: .one), .running)
      try await desk.there.end("a", second, with: answer())
      desk.same(try await desk.here.begin("a", fingerprint: .one), .replay(answer()))
    },
    Rule("an end is the end: a second one changes nothing") { desk in
      let claim = try await desk.handled(desk.here, "a")
      try await desk.here.end("a", claim, with: answer())
      try await desk.here.end("a", claim, with: answer("other"))
      try await desk.here.end("a", claim, with: nil)
      desk.same(try await desk.there.begin("a", fingerprint: .one), .replay(answer()))
    },
    Rule("a request that was never begun cannot be ended") { desk in
      try await desk.here.end("a", 7, with: answer())
      try await desk.here.end("a", 7, with: nil)
      desk.hold(try await desk.isFree(desk.there, "a"))
    },
    Rule("keys are apart, whatever characters they have and however long they are") { desk in
      let long = String(repeating: "k", count: 10_000)
      let odd = ["", " ", "a\0", "a\0b", "ä", "'; --", "\\x61", "🔑"]
      let keys = odd + ["a", "A", long, long + "k"]
      for (number, key) in keys.enumerated() {
        let claim = try await desk.handled(desk.here, key)
        try await desk.here.end(key, claim, with: answer("\(number)"))
      }
      for (number, key) in keys.enumerated() {
        let verdict = try await desk.there.begin(key, fingerprint: .one)
        desk.same(verdict, .replay(answer("\(number)")))
      }
    },
  ]

  /// What is kept of an answer.
  static let answers: [Rule] = [
    Rule("an answer is kept to the last byte") { desk in
      let kept = [
        StoredAnswer(status: 200, fields: [:], body: Data()),
        StoredAnswer(status: 404, fields: ["x-a": ""], body: Data(0...255)),
        StoredAnswer(
          status: 599, fields: ["x-a": "ä \"quoted\" \\ 🔑", "vary": "a, b"],
          body: Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
      ]
      for (number, answer) in kept.enumerated() {
        let claim = try await desk.handled(desk.here, "\(number)")
        try await desk.here.end("\(number)", claim, with: answer)
        let verdict = try await desk.there.begin("\(number)", fingerprint: .one)
        desk.hold(verdict == .replay(answer), "answer \(number) is another one")
      }
    },
    Rule("an answer whose body was too large is repeated without it") { desk in
      let claim = try await desk.handled(desk.here, "a")
      let answer = StoredAnswer(status: 200, fields: ["x-a": "b"], body: nil)
      try await desk.here.end("a", claim, with: answer)
      desk.same(try await desk.there.begin("a", fingerprint: .one), .replay(answer))
    },
  ]

  /// What holds for many at once.
  static let crowds: [Rule] = [
    Rule("of many who begin at once, one handles") { desk in
      let stores = desk.stores
      for round in 0..<5 {
        let claims = try await withThrowingTaskGroup(of: UInt64?.self) { group in
          for number in 0..<24 {
            group.addTask {
              let store = stores[number % stores.count]
              let verdict = try await store.begin("a\(round)", fingerprint: .one)
              guard case .handle(let claim) = verdict else { return nil }
              return claim
            }
          }
          return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        desk.same(claims.count, 1)
      }
    },
    Rule("of many who take over what ended without an answer, one handles") { desk in
      let stores = desk.stores
      var claim = try await desk.handled(desk.here, "a")
      for _ in 0..<5 {
        let last = claim
        let claims = try await withThrowingTaskGroup(of: UInt64?.self) { group in
          group.addTask {
            try await stores[0].end("a", last, with: nil)
            return nil
          }
          for number in 0..<24 {
            group.addTask {
              let store = stores[number % stores.count]
              let verdict = try await store.begin("a", fingerprint: .one)
              guard case .handle(let claim) = verdict else { return nil }
              return claim
            }
          }
          return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        desk.hold(claims.count <= 1, "\(claims.count) of them handle it")
        if let claim = claims.first {
          try await desk.there.end("a", claim, with: nil)
        }
        claim = try await desk.handled(desk.there, "a")
      }
    },
    Rule("any order of calls gives the verdicts that a single process would") { desk in
      for seed: UInt64 in 0..<4 { try await walk(desk, seed: seed) }
    },
  ]

  /// What a request is known to be.
  private enum Known: Equatable {
    case running(claim: UInt64, Data)
    case answered(StoredAnswer, Data)
  }

  private static func walk(_ desk: IdempotencyDesk, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var known: [String: Known] = [:]
    for step in 0..<60 {
      let key = "\(seed) \(Int.random(in: 0..<4, using: &generator))"
      let store = desk.stores[Int.random(in: 0..<desk.stores.count, using: &generator)]
      let place = "seed \(seed), step \(step)"
      guard Int.random(in: 0..<2, using: &generator) == 0 else {
        guard case .running(let claim, let fingerprint)? = known[key] else { continue }
        let ending = Bool.random(using: &generator) ? answer("\(step)") : nil
        try await store.end(key, claim, with: ending)
        known[key] = ending.map { .answered($0, fingerprint) }
        continue
      }
      let fingerprint = Int.random(in: 0..<4, using: &generator) == 0 ? Data.two : .one
      let verdict = try await store.begin(key, fingerprint: fingerprint)
      switch (known[key], verdict) {
      case (nil, .handle(let claim)): known[key] = .running(claim: claim, fingerprint)
      case (.running(_, fingerprint)?, .running), (.answered(_, fingerprint)?, .replay): break
      case (.running(_, let other)?, .mismatch), (.answered(_, let other)?, .mismatch):
        desk.hold(other != fingerprint, "\(place): it is the same request")
      default: desk.complaints.append("\(place): \(verdict)")
      }
      if case (.answered(let answer, _)?, .replay(let found)) = (known[key], verdict) {
        desk.hold(answer == found, "\(place): the answer is another one")
      }
    }
  }
}
