// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// When what is less important is tried after the network has come back.
@Suite(.ends(withinMinutes: 5)) struct ReturningNetworkTests {
  /// A store that notes when what is less important is to be tried.
  private final class NotingStore: ForwardingStore {
    let store: any OutboxStore = InMemoryStore()
    private let noted = Locked<[Duration]>([])

    var delays: [Duration] { noted.withLock { $0 } }

    func expedite(unimportantAfter delay: Duration) async throws {
      noted.withLock { $0.append(delay) }
      try await store.expedite(unimportantAfter: delay)
    }
  }

  private let store = NotingStore()

  private func open(_ configuration: Outbox.Configuration = .init()) async throws -> Outbox {
    try await Outbox(store: store, configuration: configuration) {
      Worker(for: Note.self) { _, _ in }
    }
  }

  @Test func `an app that says so spreads it over two seconds`() async throws {
    let outbox = try await open()
    for _ in 0..<50 { try await outbox.connectionImproved() }
    let delays = store.delays
    #expect(delays.count == 50)
    #expect(delays.allSatisfy { .zero <= $0 && $0 < .seconds(2) }, "\(delays)")
    #expect(Set(delays).count == 50)
    #expect(delays.contains { $0 > .seconds(1) }, "\(delays)")
    await outbox.shutDown()
  }

  @Test func `so does a monitor that says so`() async throws {
    let clock = ManualClock()
    let source = ScriptedConnectivitySource(.online)
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    var configuration = Outbox.Configuration()
    configuration.connectivity = monitor
    let outbox = try await open(configuration)
    for flap in 1...10 {
      source.say(.init(link: .down, route: .missing))
      while monitor.current.isWorthTrying, !Task.isCancelled {
        clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
      source.say(.init(link: .up, route: .present, interfaces: [.wifi]))
      while store.delays.count < flap, !Task.isCancelled {
        clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
    }
    let delays = store.delays
    #expect(delays.allSatisfy { .zero <= $0 && $0 < .seconds(2) }, "\(delays)")
    #expect(Set(delays).count == delays.count)
    await outbox.shutDown()
    monitor.shutDown()
    clock.advance(by: .seconds(1))
  }
}
