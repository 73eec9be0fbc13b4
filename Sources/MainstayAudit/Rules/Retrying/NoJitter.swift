// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let noJitter = Rule(
    "MS502", "no-jitter", .info, .strict, serves: ["A8", "T9"],
    summary: "The delay of a retry grows, and chance has no part in it.",
    why: """
      Clients that failed at the same moment compute the same delays, and so all come back at the \
      same moments.
      """,
    guess: "Chance shows in a name such as `random` or `jitter`.",
    onPurpose: "Take the delay from a policy.",
    remedy: .none("where chance belongs depends on the formula"),
    examples: [
      .bad(
        """
        func load() async throws -> Data {
          for attempt in 0..<5 {
            do { return try await fetch() } catch {
              try await ↓Task.sleep(for: .seconds(base * pow(2, Double(attempt))))
            }
          }
          throw LoadError.unavailable
        }
        """),
      .bad(
        """
        var delay = 1.0
        while attempts < limit {
          do {
            try await connect()
            return
          } catch {
            attempts += 1
            try await ↓Task.sleep(for: .seconds(delay))
            delay = min(delay * 2, 60)
          }
        }
        """),
      .bad(
        """
        struct Loader {
          func load() async throws -> Data {
            var attempt = 0
            while true {
              do { return try await fetch() } catch {
                attempt += 1
                guard attempt < 5 else { throw error }
                try await ↓Task.sleep(for: pause(before: attempt))
              }
            }
          }
          func pause(before attempt: Int) -> Duration { .seconds(1 << attempt) }
        }
        """),
      .bad(
        """
        for attempt in 1...4 {
          do { return try await fetch() } catch {
            let delay = UInt64(attempt * attempt) * second
            try await ↓Task.sleep(nanoseconds: delay)
          }
        }
        """),
      .bad(
        """
        for attempt in 1...4 {
          do { return try fetch() } catch {}
          ↓Thread.sleep(forTimeInterval: 0.5 * Double(attempt))
        }
        """),
      .good(
        """
        func load() async throws -> Data {
          for attempt in 0..<5 {
            do { return try await fetch() } catch {
              let most = min(cap, base * pow(2, Double(attempt)))
              try await Task.sleep(for: .seconds(Double.random(in: 0...most)))
            }
          }
          throw LoadError.unavailable
        }
        """),
      .good(
        """
        for attempt in 1...5 {
          do { return try await fetch() } catch {
            try await Task.sleep(for: policy.delay(attempt))
          }
        }
        """, because: "a policy knows the delay"),
      .good(
        """
        for attempt in 1...5 {
          do { return try await fetch() } catch {
            try await Task.sleep(for: .seconds(1))
          }
        }
        """, because: "another rule finds that"),
      .good(
        """
        for attempt in 1...5 {
          do { return try await fetch() } catch {
            var delay = Double(attempt) * 2
            delay += jitter()
            try await Task.sleep(for: .seconds(delay))
          }
        }
        """, because: "the loop adds chance"),
      .good(
        """
        struct Loader {
          func load() async throws -> Data {
            for attempt in 1...5 {
              do { return try await fetch() } catch { try await Task.sleep(for: pause(attempt)) }
            }
            throw LoadError.unavailable
          }
          func pause(_ attempt: Int) -> Duration {
            .seconds(Double.random(in: 0...pow(2, Double(attempt))))
          }
        }
        """, because: "the helper adds chance"),
    ],
    checks: .loop { loop, file in
      guard let retry = RetryLoop(loop), let sleep = retry.sleeps.first else { return }
      guard retry.mostAttempts.map({ $0 > 2 }) ?? true, !loop.body.speaksOfChance else { return }
      let delay = Delay(sleep.delay, in: loop)
      guard !delay.isRandom, !delay.isFixed, sleep.delay.isComputed(delay, in: file) else { return }
      file.report(sleep.call, "The delay of this retry grows without a random part")
    })
}

extension ExprSyntax {
  /// Whether the formula of a delay is known, here or in the one function that it is left to.
  fileprivate func isComputed(_ delay: Delay, in file: AuditedFile) -> Bool {
    if delay.helpers.isEmpty { return delay.grows }
    guard delay.helpers.count == 1, let call = delay.helpers.first,
      call.receiver.map({ $0.lastName == "self" || $0.lastName == "Self" }) ?? true,
      let name = call.name, let functions = file.functions[name], functions.count == 1,
      let body = functions[0].body
    else { return false }
    return body.statements.raises && !body.speaksOfChance
  }
}

extension SyntaxProtocol {
  /// Whether an identifier in it is about chance.
  fileprivate var speaksOfChance: Bool {
    mentions { token in
      let text = token.text.lowercased()
      return text.contains("random") || text.contains("jitter") || text.contains("drand48")
    }
  }

  /// Whether it holds a power, a product or a shift.
  fileprivate var raises: Bool {
    contains { node in
      if let call = node.as(FunctionCallExprSyntax.self) {
        return ["pow", "exp2", "scalbn"].contains(call.name)
      }
      let sign = node.as(BinaryOperatorExprSyntax.self)?.operator.text
      return sign == "*" || sign == "<<"
    }
  }
}
