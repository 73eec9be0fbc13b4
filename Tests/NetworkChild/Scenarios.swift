// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import ChildSupport
  import Foundation
  import Mainstay
  import MainstayOutbox
  import NetworkTestSupport

  extension Stage {
    /// The far end is switched off and on, with work waiting meanwhile.
    func flap() async throws {
      watch()
      await told.until { $0.internet == .validated }
      await shown.until { $0.internet == .validated }
      try await open(waiting: .milliseconds(100))
      far("link set v1 down")
      await told.offline()
      await shown.offline()
      for number in 0..<3 { try await enqueue(number) }
      Self.rest(400)
      print("waiting=\(try await outbox.snapshot().pending) source=\(monitor.current.source)")
      far("link set v1 up")
      await told.online()
      await drained()
      await shown.online()
    }

    /// Link and route stay, and nothing comes back.
    func blackHole() async throws {
      // A probe that the hole swallows has to end.
      watch(probeLimit: .seconds(2))
      try await open(waiting: .milliseconds(100))
      try await enqueue(0)
      await drained()
      await told.until { $0.internet == .validated }
      waitForConnections(false)
      far("route add blackhole 10.9.0.1/32")
      let id = try await enqueue(1)
      for number in 2..<4 { try await enqueue(number) }
      await told.offline()
      let claim = monitor.current
      let kinds = Set(claim.evidence.compactMap(\.kind?.rawValue)).sorted()
      print(
        "link=\(claim.link) route=\(claim.route) source=\(claim.source)",
        "graded=\(claim.confidence > 0 && claim.confidence < 0.9)",
        "kinds=\(kinds.joined(separator: ","))")
      let waiting = try await until(id) { $0.failure != nil }
      print("effect=\(waiting.effect)")
      waitForConnections(true)
      far("route del blackhole 10.9.0.1/32")
      await told.online()
      await drained()
      await told.until { $0.internet == .validated }
    }

    /// The answer falls into a black hole that opens while it is waited for.
    func blackHoleWithin() async throws {
      watch(probes: false)
      try await open(waiting: .seconds(600))
      try await set(.holds)
      let id = try await enqueue(0)
      try await until { $0.arrivals.count == 1 }
      far("route add blackhole 10.9.0.1/32")
      try await set(.answers)
      giveUp()
      try await sayAndRetry(id) { far("route del blackhole 10.9.0.1/32") }
    }

    /// A network that wants a sign-in, and then has had it.
    func portal() async throws {
      try await set(.redirects)
      watch()
      await told.until { $0.standing == .portal }
      await shown.until { $0.standing == .portal }
      print("page=\(monitor.current.internet) source=\(monitor.current.source)")
      try await open(waiting: .milliseconds(100))
      let id = try await enqueue(0)
      let waiting = try await until(id) { $0.failure != nil }
      print("attempts=\(waiting.attempts)")
      Self.rest(400)
      try await set(.answers)
      await told.until { $0.internet == .validated }
      await shown.until { $0.internet == .validated }
      await drained()
    }

    /// The service answers after the client has stopped to wait.
    func lateAnswer() async throws {
      watch(probes: false)
      try await open(waiting: .seconds(600))
      try await set(.holds)
      let id = try await enqueue(0)
      try await until { $0.arrivals.count == 1 }
      giveUp()
      try await sayAndRetry(id) {
        try await until { $0.departures == 1 }
        try await set(.answers)
        try await until { $0.lateAnswers == 1 }
        // The answer is on its way to a socket that is closed.
        Self.rest(200)
      }
    }

    /// The address goes while an answer is waited for, and another one comes.
    func address() async throws {
      watch(probes: false)
      await told.online()
      try await open(waiting: .seconds(600))
      try await set(.holds)
      let id = try await enqueue(0)
      try await until { $0.arrivals.count == 1 }
      near("addr del 10.9.0.1/24 dev v0")
      await told.offline()
      near("addr add 10.9.0.5/24 dev v0")
      near("route add default via 10.9.0.2")
      await told.online()
      try await set(.answers)
      giveUp()
      try await sayAndRetry(id) {}
    }

    /// The default route goes while an answer is waited for, and comes back.
    func route() async throws {
      watch(probes: false)
      await told.online()
      try await open(waiting: .milliseconds(100))
      try await set(.holds)
      let first = try await enqueue(0)
      try await until { $0.arrivals.count == 1 }
      near("route del default")
      await told.offline()
      print("source=\(monitor.current.source)")
      giveUp()
      let second = try await enqueue(0, account: "other")
      let unknown = try await until(first) { $0.failure != nil }
      print("effect=\(unknown.effect)")
      try await set(.answers)
      // It is tried all the same, and what it was asked about stays unknown.
      let asked = client.attempts.count
      while client.attempts.count < asked + 3 { Self.rest(5) }
      let (one, two) = (try await outbox.operation(first), try await outbox.operation(second))
      print("later=\(one?.effect.rawValue ?? "gone") second=\(two?.effect.rawValue ?? "gone")")
      near("route add default via 10.9.0.2")
      await told.online()
      await drained()
    }

    /// Nothing happens: with a network, and without one while work waits for it.
    func idle() async throws {
      watch(ConnectivityMonitor.Configuration())
      try await open(waiting: .milliseconds(100))
      try await enqueue(0)
      await drained()
      await told.until { $0.internet == .validated }
      rest(as: "online")
      near("route del default")
      await told.offline()
      try await enqueue(1, constraints: [.network])
      rest(as: "offline")
      print("waiting=\(try await outbox.snapshot().pending)")
      near("route add default via 10.9.0.2")
      await told.online()
      await drained()
    }

    /// What is known of an operation whose answer did not come, before and after it is asked about.
    private func sayAndRetry(
      _ id: OperationID, meanwhile: () async throws -> Void
    ) async throws {
      let waiting = try await until(id) { $0.failure != nil }
      print("effect=\(waiting.effect) code=\(waiting.failure?.code.rawValue ?? "")")
      try await meanwhile()
      try await outbox.retry(id)
      await drained()
    }

    /// Measures the processor time of all threads over two seconds in which nothing happens.
    ///
    /// What came before has left some work behind, which a busy machine does late. So it is
    /// measured again, a few times. What never rests is never found idle.
    private func rest(as name: String) {
      var (wakeUps, spent) = (0, 0)
      for _ in 0..<8 {
        Self.rest(1_500)
        let before = (source.control.counts.wakeUps, Self.processorTime)
        Self.rest(2_000)
        wakeUps = source.control.counts.wakeUps - before.0
        spent = Self.processorTime - before.1
        if wakeUps == 0, spent < 10_000 { break }
      }
      // It is a millisecond or two; a loop that asks every millisecond takes more than twenty.
      print("\(name): wakeUps=\(wakeUps) idle=\(spent < 10_000)")
      print("\(name): spent=\(spent)us")
    }

    /// In microseconds.
    private static var processorTime: Int {
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
  }
#endif
