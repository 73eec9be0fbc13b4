// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let keyNotKept = Forms(
    "MS513",
    bad: #"""
      func order(_ book: Book) async throws -> Order {
        try await books.post("/orders", json: book, key: IdempotencyKey(), as: Order.self)
      }
      ---
      func pay() async {
        do {
          try await shop.pay(cart, idempotencyKey: IdempotencyKey())
        } catch {
          presenter.present(error, during: "Pay") { [weak self] in await self?.pay() }
        }
      }
      ---
      func save(_ note: Note) async {
        do {
          let key = IdempotencyKey()
          try await api.add(note, key: key)
        } catch {
          presenter.present(error, during: "Save note", of: note.id) { [weak self] in
            await self?.save(note)
          }
        }
      }
      ---
      @MainActor final class Checkout {
        let order = TaskModel<Order>()
        func buy() async {
          await order.run("Buy") { [shop, cart] in
            try await shop.buy(cart, key: IdempotencyKey())
          }
        }
      }
      ---
      await payment.run("Pay", recovery: plan) {
        let key = IdempotencyKey()
        return try await bank.transfer(amount, key: key)
      }
      ---
      await payment.run(
        "Pay", operation: { try await bank.transfer(amount, key: IdempotencyKey()) })
      ---
      toasts.show(.failure, error, retry: {
        try await api.delete(note, key: IdempotencyKey())
      })
      ---
      errors.present(error) {
        await IdempotencyKey().active { await model.save() }
      }
      ---
      let answer = try await withRetry(times: 4) {
        try await bank.transfer(amount, key: IdempotencyKey())
      }
      ---
      let answer = try await Retry(maximumAttempts: 3).run {
        var request = Request(order)
        request.key = IdempotencyKey()
        return try await session.send(request)
      }
      ---
      try await self.retry.run {
        try await self.bank.transfer(self.amount, idempotencyKey: IdempotencyKey())
      }
      ---
      let id = try await client.put("/notes/1", json: note, key: IdempotencyKey()).id
      ---
      _ = try? await client.patch("/notes/1", json: note, key: IdempotencyKey())
      ---
      struct BookView: View {
        var body: some View {
          Button("Order") {
            Task { order = try await books.order(book, key: IdempotencyKey()) }
          }
        }
      }
      """#,
    good: #"""
      func order(_ book: Book, key: IdempotencyKey) async throws -> Order {
        try await books.post("/orders", json: book, key: key, as: Order.self)
      }
      ---
      @MainActor final class Checkout {
        private let key = IdempotencyKey()
        func buy() async {
          await order.run("Buy") { [shop, cart, key] in try await shop.buy(cart, key: key) }
        }
      }
      ---
      func begin() { draft = Draft(key: IdempotencyKey()) }
      ---
      let key = IdempotencyKey()
      try await withRetry(times: 4) { try await bank.transfer(amount, key: key) }
      ---
      try await outbox.enqueue(AddNote(note: note, key: IdempotencyKey()), orderedBy: "notes")
      ---
      let records = drafts.map { Record(draft: $0, key: IdempotencyKey()) }
      ---
      actor Store {
        func key(of id: UUID) -> IdempotencyKey { keys[id] ?? IdempotencyKey() }
      }
      """#)
}
