// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let uncappedBackoff = Forms(
    "MS505",
    bad: #"""
      let delay = UInt64(pow(2.0, Double(attempt)) * 1_000_000_000)
      try await Task.sleep(nanoseconds: delay)
      ---
      func delay(for attempt: Int) -> UInt64 {
        return UInt64(pow(2, Double(attempt))) * NSEC_PER_SEC
      }
      ---
      var backoff: UInt64 = 1_000_000
      while true {
        do {
          return try await client.get(url)
        } catch {
          try await Task.sleep(nanoseconds: backoff)
          backoff *= 2
        }
      }
      ---
      struct Backoff {
        var attempt = 0
        mutating func next() -> Int {
          attempt += 1
          return Int(pow(Double(2), Double(attempt)))
        }
      }
      ---
      let nanoseconds = UInt64(base * pow(multiplier, Double(retryCount)) * 1e9)
      ---
      private func retryDelay(_ retries: Int) -> DispatchTimeInterval {
        .milliseconds(Int(pow(2.0, Double(retries)) * 100))
      }
      ---
      try? await Task.sleep(nanoseconds: UInt64(pow(2.0, Float(self.retryAttempt))) * 1_000_000)
      ---
      func retry<T>(_ limit: Int, _ work: () async throws -> T) async throws -> T {
        var wait: UInt64 = 500_000_000
        for _ in 0..<limit {
          do {
            return try await work()
          } catch {
            try await Task.sleep(nanoseconds: wait)
            wait = wait * 2
          }
        }
        return try await work()
      }
      ---
      let seconds = Int(exp2(Double(attempts)))
      queue.asyncAfter(deadline: .now() + .seconds(seconds)) { self.connect() }
      ---
      let pause = 1 << attempt
      try await Task.sleep(for: .milliseconds(pause))
      ---
      let delay = Int64(baseDelay * pow(2.0, Double(attempt - 1)))
      eventLoop.scheduleTask(in: .milliseconds(delay)) { self.reconnect() }
      ---
      func reconnect() {
        attempts += 1
        let delay = 3 * Int(pow(2.0, Double(attempts)))
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(delay)) { self.open() }
      }
      ---
      while !isConnected {
        usleep(useconds_t(pow(2.0, Double(tries)) * 1000))
        tries += 1
        connect()
      }
      ---
      var interval = 1
      while true {
        if await check() { return }
        try await Task.sleep(for: .seconds(interval))
        interval <<= 1
      }
      ---
      actor Connector {
        private var delayInMilliseconds = 100
        func failed() async {
          try? await Task.sleep(for: .milliseconds(delayInMilliseconds))
          delayInMilliseconds *= 2
          await connect()
        }
      }
      """#,
    good: #"""
      let delay = UInt64(min(60, pow(2.0, Double(attempt))) * 1_000_000_000)
      ---
      backoff = min(backoff * 2, maximumBackoff)
      try await Task.sleep(nanoseconds: backoff)
      ---
      for attempt in 0..<5 {
        do {
          return try await client.get(url)
        } catch {
          try await Task.sleep(nanoseconds: UInt64(pow(2.0, Double(attempt)) * 1e9))
        }
      }
      ---
      let area = Int(pow(Double(side), 2))
      ---
      var capacity = 16
      while capacity < count { capacity *= 2 }
      """#)
}
