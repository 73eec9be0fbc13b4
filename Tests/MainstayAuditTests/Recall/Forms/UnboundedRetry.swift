// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let unboundedRetry = Forms(
    "MS503",
    bad: #"""
      func load() async throws -> Data {
        while true {
          do {
            return try await client.get(url)
          } catch {
            logger.error("\(error)")
          }
        }
      }
      ---
      func fetch() async -> Feed {
        do {
          return try await api.feed()
        } catch {
          return await fetch()
        }
      }
      ---
      func connect() {
        do {
          try socket.connect()
        } catch {
          log.warning("\(error)")
          connect()
        }
      }
      ---
      func connect() async throws -> Channel {
        repeat {
          do {
            return try await bootstrap.connect(host: host, port: port).get()
          } catch {
            try await Task.sleep(for: .seconds(1))
          }
        } while true
      }
      ---
      while true {
        do {
          token = try await auth.token()
          break
        } catch {
          continue
        }
      }
      ---
      func upload(_ file: URL) async throws -> URL {
        do {
          return try await session.upload(file)
        } catch let e as NetworkError {
          log.info("again after \(e)")
          return try await self.upload(file)
        }
      }
      ---
      final class Loader {
        func start() {
          Task {
            do {
              self.items = try await service.items()
            } catch {
              try? await Task.sleep(for: .seconds(3))
              start()
            }
          }
        }
      }
      ---
      func open() -> Database {
        while true {
          do {
            return try Database(path)
          } catch let e {
            print("cannot open: \(e)")
            Thread.sleep(forTimeInterval: 1)
          }
        }
      }
      ---
      func register() async {
        do {
          try await api.register(deviceToken)
        } catch {
          await delay()
          await register()
        }
      }
      ---
      func next() -> Message {
        while true {
          if let message = buffer.popFirst() { return message }
          do {
            try fill(&buffer)
          } catch {
            logger.warning("could not fill: \(error)")
          }
        }
      }
      ---
      actor Session {
        private func reconnect() async {
          do {
            try await open()
          } catch {
            try? await Task.sleep(nanoseconds: 1_000_000_000)
            await self.reconnect()
          }
        }
      }
      ---
      outer: while true {
        do {
          let page = try await api.page(number)
          pages.append(page)
          if page.isLast { break outer }
          number += 1
        } catch {
          logger.error("page \(number): \(error)")
          continue outer
        }
      }
      ---
      func write(_ value: Value) async throws {
        while true {
          do {
            try await store.write(value)
            return
          } catch StoreError.conflict {
            continue
          } catch {
            await refresh()
          }
        }
      }
      ---
      static func download(_ url: URL) async -> Data {
        do {
          let (data, _) = try await URLSession.shared.data(from: url)
          return data
        } catch {
          logger.error("download: \(error)")
          try? await Task.sleep(for: .seconds(5))
          return await Self.download(url)
        }
      }
      ---
      func poll() async {
        var done = false
        while !done {
          do {
            try await job.check()
            done = true
          } catch {
            log.debug("not yet: \(error)")
          }
        }
      }
      """#,
    good: #"""
      func load(left: Int) async throws -> Data {
        do {
          return try await client.get(url)
        } catch {
          guard left > 0 else { throw error }
          return try await load(left: left - 1)
        }
      }
      ---
      var attempts = 0
      while true {
        do {
          return try await client.get(url)
        } catch {
          attempts += 1
          if attempts > 3 { throw error }
        }
      }
      ---
      while true {
        do {
          try await handle(next())
        } catch {
          log.error("\(error)")
          break
        }
      }
      ---
      while ContinuousClock.now < deadline {
        do { return try await client.get(url) } catch { last = error }
      }
      ---
      for await event in events {
        do { try await handle(event) } catch { log.error("\(error)") }
      }
      """#)
}
