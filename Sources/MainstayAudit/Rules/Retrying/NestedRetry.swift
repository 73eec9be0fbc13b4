// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let nestedRetry = Rule(
    "MS508", "nested-retry", .warning, .default, serves: ["A7"],
    summary: "A retry runs inside the operation of another, so that attempts multiply.",
    why: """
      Three attempts of three attempts are nine calls to a service that is already in trouble, and \
      a wait that nobody planned.
      """,
    guess: "A call named `retry` or the like tries its closure more than once.",
    onPurpose: "Limit the inner one to a single attempt.",
    remedy: .none("which of the two is right depends on who knows the errors"),
    examples: [
      .bad("try await retry(3) { try await ↓retry(3) { try await f() } }"),
      .bad(
        """
        try await withRetry {
          let token = try await ↓withRetry(maxAttempts: 2) { try await login() }
          return try await load(token)
        }
        """),
      .bad(
        """
        let value = try await retry(times: 3, operation: {
          if isCold {
            try await ↓retrying { try await warmUp() }
          }
          return try await f()
        })
        """),
      .bad(
        """
        func load() async throws -> Data {
          for _ in 1...3 {
            do {
              return try await ↓withRetry { try await fetch() }
            } catch where error.isTransient {
              await pause()
            }
          }
          throw LoadError.unavailable
        }
        """),
      .bad(
        """
        retry { group in
          group.perform { ↓self.retry(attempts: 5) { try send() } }
        }
        """),
      .good("try await retry(3) { try await f() }"),
      .good("try await retry(3) { try await retry(1) { try await f() } }"),
      .good(
        """
        let a = try await retry(3) { try await f() }
        let b = try await retry(3) { try await g(a) }
        """, because: "one stands after the other"),
      .good(
        """
        try await Retry(maximumAttempts: 3).run {
          try await Retry(maximumAttempts: 3).run { try await f() }
        }
        """, because: "Mainstay's retries do not multiply"),
      .good(
        """
        try await retry(3) { try await f() } onRetry: { _ in
          try await retry(2) { try await report() }
        }
        """, because: "the second is not part of what the first tries"),
    ],
    checks: .call { call, file in
      guard let name = call.name, RetryCall.mayBe(name, file.vocabulary),
        let inner = RetryCall(call, file.vocabulary), !inner.isSingle
      else { return }
      if let outer = RetryCall(around: call, file.vocabulary) {
        guard !outer.isSingle, !(inner.isOurs && outer.isOurs) else { return }
      } else {
        guard !inner.isOurs, let loop = call.enclosingLoop, let retry = RetryLoop(loop),
          retry.endsWithSuccess, retry.attempt.body.contains(where: { $0.id == call.id })
        else { return }
      }
      file.report(call, "This retry lies inside another, so that their attempts multiply")
    })
}
