// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let nestedRetry = Forms(
    "MS508",
    bad: #"""
      let feed = try await retry(times: 3) {
        try await retry(times: 3) {
          try await api.feed()
        }
      }
      ---
      try await withRetry(maxAttempts: 5) {
        let token = try await auth.token()
        try await withRetry(maxAttempts: 3) {
          try await api.send(message, token: token)
        }
      }
      ---
      func load() async throws -> Data {
        try await self.retrier.retry {
          if let cached = await self.cache.value() { return cached }
          return try await self.retrier.retry { try await self.client.get(self.url) }
        }
      }
      ---
      publisher
        .flatMap { id in
          retry(3) { retry(2) { load(id) } }
        }
      ---
      return try await retrying(.exponential(3)) {
        switch kind {
        case .photo:
          return try await retrying(.constant(2)) { try await photos.load(id) }
        case .video:
          return try await videos.load(id)
        }
      }
      ---
      try retry(attempts: 4) {
        for part in parts {
          try retry(attempts: 4) { try upload(part) }
        }
      }
      ---
      let value = try await Retry.run(policy: .default) { attempt in
        log.debug("attempt \(attempt)")
        return try await Retry.run(policy: .fast) { _ in try await work() }
      }
      ---
      await performWithRetry {
        await performWithRetry {
          await sync()
        }
      }
      ---
      try await retryPolicy.execute {
        try await retryPolicy.execute { try await call() }
      }
      ---
      try await retry(3, delay: .seconds(1), operation: {
        try await retry(3, delay: .seconds(1), operation: { try await call() })
      })
      ---
      static func open() async throws -> Connection {
        let connection = try await retryWithBackoff {
          let address = try await retryWithBackoff { try await resolve() }
          return try await connect(address)
        }
        return connection
      }
      ---
      Task { [weak self] in
        do {
          try await retry { [weak self] in
            guard let self else { return }
            try await retry { try await self.push() }
          }
        } catch {
          report(error)
        }
      }
      ---
      try await withRetries(3) {
        do {
          try await withRetries(2) { try await primary() }
        } catch {
          log.error("\(error)")
          try await secondary()
        }
      }
      ---
      let all = try await retry(limit: 3) {
        try await withThrowingTaskGroup(of: Item.self) { group in
          for id in ids {
            group.addTask { try await retry(limit: 3) { try await item(id) } }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      ---
      eventLoop.retry(times: 2) {
        client.get(url).flatMap { page in
          eventLoop.retry(times: 2) { client.get(page.next) }
        }
      }
      """#,
    good: #"""
      let first = try await retry(times: 3) { try await api.first() }
      let second = try await retry(times: 3) { try await api.second() }
      ---
      try await retry(times: 3) {
        try await retry(times: 1) { try await api.feed() }
      }
      ---
      try await retry(times: 3) {
        Button("Retry") { retryTapped() }
      }
      ---
      struct RetryView: View {
        var body: some View { RetryButton { retry() } }
      }
      ---
      try await retry(times: 3) {
        log.debug("retry \(retryCount)")
        return try await api.feed()
      }
      """#)
}
