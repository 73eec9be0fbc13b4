// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let nonidempotentRetry = Rule(
    "MS507", "nonidempotent-retry", .warning, .strict, serves: ["A7", "D10"],
    summary: "What must happen once is retried without an idempotency key.",
    why: """
      An attempt whose answer got lost may have done its work; the next one does it again, and the \
      customer pays twice.
      """,
    guess: "A name such as `createOrder` or `charge` makes something new with each call.",
    onPurpose: "Give the call an argument with `idempotency` in its name.",
    remedy: .none("a key must be made where the intent begins, before the first attempt"),
    examples: [
      .bad("try await retry { try await ↓api.createOrder(order) }"),
      .bad("try await retry(3) { try await ↓charge(card, amount) }"),
      .bad(
        """
        func pay() async throws {
          try await Retry(maximumAttempts: 3).run {
            try await ↓gateway.submitPayment(payment)
          }
        }
        """),
      .bad(
        """
        func save() async throws {
          try await withRetry(times: 5) {
            var request = URLRequest(url: url)
            request.httpMethod = ↓"POST"
            return try await session.data(for: request)
          }
        }
        """),
      .bad(
        """
        let order = try await retrying(maximum: 3) { [api] in
          let cart = try await api.cart()
          return try await ↓api.purchase(cart)
        }
        """),
      .good("try await retry { try await api.createOrder(order, idempotencyKey: key) }"),
      .good("try await retry { try await api.order(id) }", because: "it reads"),
      .good("try await api.createOrder(order)"),
      .good(
        """
        func save() async throws {
          request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
          try await retry { try await api.submit(request) }
        }
        """, because: "the request carries a key"),
      .good(
        """
        try await retry {
          let task = createTask(for: url)
          return try await task.value
        }
        """, because: "it makes something here, which cannot fail"),
    ],
    checks: .call { call, file in
      guard let retry = RetryCall(call, file.vocabulary), !retry.isSingle else { return }
      guard !retry.call.hasKeyAround, let found = retry.effect(file.vocabulary) else { return }
      file.report(
        found.node, "\(found.name) is repeated without an idempotency key, and may happen twice")
    })
}

extension RetryCall {
  /// What in the operation must not happen twice.
  fileprivate func effect(_ vocabulary: Vocabulary) -> (node: Syntax, name: String)? {
    for expression in operation.statements.everyOwn(TryExprSyntax.self) {
      guard let call = expression.expression.core.as(FunctionCallExprSyntax.self),
        let name = call.name, name.isOnceOnly(vocabulary)
      else { continue }
      return (Syntax(call), "`\(name)`")
    }
    for literal in operation.statements.everyOwn(StringLiteralExprSyntax.self)
    where literal.plainText == "POST" {
      return (Syntax(literal), "A POST")
    }
    return nil
  }
}

extension String {
  /// Whether the name says that something comes to be each time.
  ///
  /// Verbs of everyday calls, such as `send`, need an object that matters.
  fileprivate func isOnceOnly(_ vocabulary: Vocabulary) -> Bool {
    let parts = words(of: self)
    guard let verb = parts.first, vocabulary.onceOnly.contains(verb) else { return false }
    guard Self.everyday.contains(verb) else { return true }
    return parts.dropFirst().contains(where: Self.weighty.contains)
  }

  private static let everyday: Set<String> = ["send", "post", "order", "book", "insert", "add"]
  private static let weighty: Set<String> = [
    "order", "payment", "money", "invoice", "transfer", "transaction", "email", "mail", "sms",
    "item", "user", "account", "booking", "ticket", "message", "comment",
  ]
}

extension FunctionCallExprSyntax {
  /// Whether the routine around it speaks of a key that makes repetition harmless.
  fileprivate var hasKeyAround: Bool {
    let scope = enclosingFunction?.node ?? Syntax(self)
    return scope.contains { node in
      guard let token = node.as(TokenSyntax.self) else { return false }
      let text = token.text.lowercased()
      return text.contains("idempoten") || text.contains("dedup") || text.contains("clienttoken")
        || text.contains("requestid")
    }
  }
}
