// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let cancellationRetried = Forms(
    "MS303",
    bad: #"""
      func fetch<T>(_ work: () async throws -> T) async throws -> T {
        var lastError: Error?
        for attempt in 0..<3 {
          do {
            return try await work()
          } catch {
            lastError = error
            log.warning("attempt \(attempt) failed")
          }
        }
        throw lastError!
      }
      ---
      func load() async throws -> Data {
        var attempts = 0
        while true {
          do {
            return try await client.get(url)
          } catch {
            attempts += 1
            if attempts >= maxAttempts { throw error }
          }
        }
      }
      ---
      func upload() async throws {
        var retries = 0
        while retries < 5 {
          do {
            try await session.upload(for: request, fromFile: file)
            return
          } catch {
            retries += 1
          }
        }
        throw UploadError.tooManyRetries
      }
      ---
      func connect() async throws -> Channel {
        for _ in 1...maximum {
          do {
            return try await bootstrap.connect(host: host, port: 80).get()
          } catch {
            continue
          }
        }
        throw ConnectError.gaveUp
      }
      ---
      func send(_ message: Message) async throws {
        var remaining = 3
        repeat {
          do {
            try await socket.send(message)
            return
          } catch {
            remaining -= 1
            logger.error("\(error)")
          }
        } while remaining > 0
        throw SendError.failed
      }
      ---
      let result = await Task {
        for _ in 0..<3 {
          do { return try await api.token() } catch { last = error }
        }
        throw last
      }.result
      ---
      func syncAll() async throws {
        for attempt in 1...5 {
          do {
            try await sync()
            break
          } catch let error {
            if attempt == 5 { throw error }
            await wait(attempt)
          }
        }
      }
      ---
      static func withRetry<T>(
        times: Int, _ operation: @Sendable () async throws -> T
      ) async throws -> T {
        var count = 0
        while count < times {
          count += 1
          do {
            let value = try await operation()
            return value
          } catch let e {
            guard count < times else { throw e }
          }
        }
        fatalError()
      }
      ---
      actor Worker {
        func run(_ job: Job) async throws {
          var tries = 0
          while tries <= job.maxTries {
            do {
              try await job.perform()
              return
            } catch {
              tries += 1
              await delay(tries)
              continue
            }
          }
          throw JobError.exhausted
        }
      }
      ---
      func login() async throws -> Session {
        var failure: (any Error)?
        for delay in delays {
          do {
            return try await auth.login()
          } catch let e {
            failure = e
            try? await Task.sleep(for: delay)
          }
        }
        throw failure ?? AuthError.none
      }
      ---
      func read() async -> Data? {
        for attempt in 0..<3 {
          do {
            return try await storage.read(key)
          } catch {
            logger.info("retry \(attempt): \(error)")
          }
        }
        return nil
      }
      ---
      func query(_ sql: String) async throws -> [Row] {
        var attempt = 0
        retry: while true {
          attempt += 1
          do {
            return try await pool.query(sql)
          } catch {
            if attempt < 4 { continue retry }
            throw error
          }
        }
      }
      ---
      func refresh() async throws {
        var attemptsLeft = retryCount
        while attemptsLeft > 0 {
          do {
            items = try await api.items()
            return
          } catch let error as DecodingError {
            throw error
          } catch {
            attemptsLeft -= 1
          }
        }
      }
      ---
      func ping() async throws {
        for try_ in 0...2 {
          do {
            return try await peer.ping()
          } catch {
            if try_ == 2 {
              throw PingError.lost(error)
            } else {
              metrics.increment("ping.retry")
            }
          }
        }
      }
      """#,
    good: #"""
      func load() async throws -> Data {
        var attempts = 0
        while true {
          do {
            return try await client.get(url)
          } catch is CancellationError {
            throw CancellationError()
          } catch {
            attempts += 1
            if attempts >= 3 { throw error }
          }
        }
      }
      ---
      func load() async throws -> Data {
        for _ in 0..<3 {
          do {
            return try await client.get(url)
          } catch {
            try Task.checkCancellation()
            last = error
          }
        }
        throw last
      }
      ---
      for item in items {
        do { try await send(item) } catch { failed.append(item) }
      }
      ---
      func load() throws -> Data {
        for _ in 0..<3 {
          do { return try read() } catch { last = error }
        }
        throw last
      }
      ---
      for attempt in 0..<3 {
        do {
          return try await client.get(url)
        } catch {
          guard policy.isRetryable(error) else { throw error }
        }
      }
      """#)
}
