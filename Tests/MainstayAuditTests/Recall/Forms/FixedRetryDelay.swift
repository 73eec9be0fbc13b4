// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let fixedRetryDelay = Forms(
    "MS501",
    bad: #"""
      func load() async throws -> Data {
        var lastError: Error?
        for _ in 0..<5 {
          do {
            return try await client.get(url)
          } catch {
            lastError = error
            try await Task.sleep(nanoseconds: 1_000_000_000)
          }
        }
        throw lastError!
      }
      ---
      func connect() async throws {
        var attempts = 0
        while attempts < 10 {
          do {
            try await socket.connect()
            return
          } catch {
            attempts += 1
            try? await Task.sleep(for: .seconds(2))
          }
        }
        throw SocketError.unreachable
      }
      ---
      func connect() throws -> Connection {
        for attempt in 1...maxAttempts {
          do {
            return try Connection(host)
          } catch {
            if attempt == maxAttempts { throw error }
            Thread.sleep(forTimeInterval: 0.5)
          }
        }
        fatalError()
      }
      ---
      private func fetch() async throws -> Feed {
        var retries = 3
        while true {
          do {
            return try await api.feed()
          } catch {
            guard retries > 0 else { throw error }
            retries -= 1
            try await Task.sleep(for: retryDelay)
          }
        }
      }
      ---
      func upload(_ file: URL) async throws {
        var tries = 0
        repeat {
          do {
            return try await session.upload(file)
          } catch let e {
            tries += 1
            logger.warning("try \(tries): \(e)")
            try await clock.sleep(for: .milliseconds(2_500))
          }
        } while tries < 4
        throw UploadError.gaveUp
      }
      ---
      for attempt in 0..<5 {
        do {
          try database.execute(statement)
          break
        } catch {
          logger.info("attempt \(attempt)")
          usleep(1_000_000)
        }
      }
      ---
      func token() async throws -> Token {
        for attempt in 0..<3 {
          do {
            return try await auth.token()
          } catch {
            if attempt == 2 { throw error }
          }
          try await Task.sleep(nanoseconds: 500 * 1_000_000)
        }
        throw AuthError.none
      }
      ---
      actor Publisher {
        let delay: Duration = .seconds(5)
        func publish(_ event: Event) async throws {
          for remaining in stride(from: 5, through: 0, by: -1) {
            do {
              try await broker.send(event)
              return
            } catch {
              if remaining == 0 { throw error }
              try await Task.sleep(for: self.delay)
            }
          }
        }
      }
      ---
      Task {
        var attempt = 0
        while attempt < 20 {
          do {
            self.session = try await peer.open()
            return
          } catch {
            attempt += 1
            try? await Task.sleep(nanoseconds: UInt64(3 * 1e9))
          }
        }
        self.fail()
      }
      ---
      func withRetry<T>(_ count: Int, _ body: () async throws -> T) async throws -> T {
        var n = 0
        while true {
          do {
            return try await body()
          } catch {
            n += 1
            if n >= count { throw error }
            try await Task.sleep(for: .milliseconds(800), tolerance: .milliseconds(20))
          }
        }
      }
      ---
      func ping() async -> Bool {
        for _ in 0..<maxRetries {
          do {
            try await server.ping()
            return true
          } catch {
            try? await Task.sleep(until: .now + .seconds(1), clock: .suspending)
          }
        }
        return false
      }
      ---
      func lock() throws {
        var left = 50
        while true {
          do {
            return try file.lock()
          } catch {
            left -= 1
            if left == 0 { throw error }
            sleep(1)
          }
        }
      }
      ---
      func subscribe() async throws {
        var failures = 0
        while !Task.isCancelled {
          do {
            try await stream.run()
          } catch is CancellationError {
            throw CancellationError()
          } catch {
            failures += 1
            if failures > 8 { throw error }
            try await Task.sleep(for: .seconds(10))
          }
        }
      }
      ---
      func migrate() async throws {
        let pause = Duration.seconds(1)
        for attempt in 1...10 {
          do {
            try await migrator.run()
            return
          } catch {
            log.error("attempt \(attempt) of 10: \(error)")
            try await Task.sleep(for: pause)
          }
        }
        throw MigrationError.failed
      }
      ---
      func query(_ sql: String) async throws -> [Row] {
        for attempt in 0...2 {
          do {
            return try await pool.query(sql)
          } catch let error as PoolError {
            guard attempt < 2, error.isTransient else { throw error }
            try await Task.sleep(nanoseconds: 2_000_000_000)
          }
        }
        return []
      }
      """#,
    good: #"""
      for attempt in 0..<5 {
        do {
          return try await client.get(url)
        } catch {
          try await Task.sleep(for: backoff.delay(attempt))
        }
      }
      ---
      var delay = Duration.milliseconds(100)
      for _ in 0..<5 {
        do {
          return try await client.get(url)
        } catch {
          try await Task.sleep(for: delay)
          delay *= 2
        }
      }
      ---
      while !Task.isCancelled {
        await poll()
        try await Task.sleep(for: .seconds(5))
      }
      ---
      for item in items {
        do { try await send(item) } catch { log.error("\(error)") }
        try await Task.sleep(for: .milliseconds(10))
      }
      ---
      for attempt in 0..<5 {
        do {
          return try await client.get(url)
        } catch {
          try await Task.sleep(nanoseconds: UInt64(attempt + 1) * 100_000_000)
        }
      }
      """#)
}
