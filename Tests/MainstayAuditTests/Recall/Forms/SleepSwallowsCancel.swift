// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let sleepSwallowsCancel = Forms(
    "MS302",
    bad: #"""
      while true {
        await poll()
        try? await Task.sleep(for: .seconds(30))
      }
      ---
      Task {
        while isRunning {
          try? await Task.sleep(nanoseconds: 1_000_000_000)
          await self.tick()
        }
      }
      ---
      func monitor() async {
        repeat {
          await check()
          try? await Task.sleep(for: interval)
        } while isActive
      }
      ---
      actor Heartbeat {
        private var isOn = true
        func beat() async {
          while isOn {
            await socket.ping()
            try? await Task.sleep(nanoseconds: UInt64(period * 1_000_000_000))
          }
        }
      }
      ---
      while !socket.isOpen {
        try? await Task.sleep(until: .now + .milliseconds(50), clock: .continuous)
      }
      ---
      timer = Task.detached { [weak self] in
        while let self {
          try? await Task.sleep(for: .seconds(1))
          await self.update()
        }
      }
      ---
      while true {
        if let value = await cache.value(key) {
          return value
        }
        _ = try? await Task.sleep(for: .milliseconds(10))
      }
      ---
      while queue.isEmpty == false {
        do {
          try await queue.next().run()
        } catch {
          log.error("\(error)")
          try? await Task.sleep(nanoseconds: delay)
        }
      }
      ---
      Text(now, style: .time).task {
        while true {
          now = Date()
          try? await Task.sleep(for: .seconds(1))
        }
      }
      ---
      while true {
        switch await status() {
        case .ready: return
        case .pending: try? await Task.sleep(for: .seconds(2))
        }
      }
      ---
      while isConnected {
        await keepAlive()
        do { try await Task.sleep(for: .seconds(20)) } catch {}
      }
      ---
      repeat {
        do {
          try await clock.sleep(for: interval)
        } catch is CancellationError {
        } catch {
          log.error("\(error)")
        }
        await sample()
      } while isOn
      ---
      while isWatching {
        do {
          let state = try await api.state()
          await show(state)
          try await Task.sleep(for: .seconds(10))
        } catch {
          log.warning("\(error)")
        }
      }
      ---
      while hasMore {
        await loadPage()
        try? await clock.sleep(for: .seconds(1))
      }
      ---
      for await event in events {
        while paused {
          try? await Task.sleep(nanoseconds: 100_000_000)
        }
        await handle(event)
      }
      ---
      func wait(_ condition: () async -> Bool) async {
        while await !condition() {
          try? await Task.sleep(nanoseconds: 10_000)
        }
      }
      """#,
    good: #"""
      while !Task.isCancelled {
        await poll()
        try? await Task.sleep(for: .seconds(30))
      }
      ---
      while true {
        try await Task.sleep(for: .seconds(30))
        await poll()
      }
      ---
      while isOn {
        try? await Task.sleep(for: .seconds(1))
        guard !Task.isCancelled else { return }
        await tick()
      }
      ---
      while isOn {
        try? await Task.sleep(for: .seconds(1))
        if Task.isCancelled { break }
        await tick()
      }
      ---
      while isOn {
        do {
          try await Task.sleep(for: .seconds(1))
        } catch {
          return
        }
        await tick()
      }
      ---
      while isOn {
        await tick()
        do {
          try await Task.sleep(for: .seconds(1))
        } catch {
          isOn = false
        }
      }
      """#)
}
