// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import TestSupport
import Testing

/// Breakers and limits of several processes, over a real database.
@Suite(.ends(withinMinutes: 10)) struct PostgresExchangeTests {
  private let breaker = SharingStateMachine.Name(kind: .breaker, name: "catalog “1” \\ ,{}")
  private let cooldown = SharingStateMachine.Name(kind: .cooldown, name: "catalog")

  private func place() async throws -> Place {
    let place = try await Place()
    try await place.store().migrate()
    return place
  }

  private func exchange(
    _ place: Place, _ member: String, patience: Duration = .patience
  ) -> PostgresExchange {
    PostgresExchange(store: place.store(), member: member, patience: patience)
  }

  @Test func `notices are heard by others, newer ones over older ones`() async throws {
    let place = try await place()
    let (here, there) = (exchange(place, "here"), exchange(place, "there"))
    #expect(try await here.exchange([:]) == PolicyNews())
    _ = try await here.exchange([
      breaker: .opened(.seconds(3_600)), cooldown: .opened(.seconds(60)),
    ])
    let heard = try await there.exchange([:])
    #expect(heard.members == 2)
    guard case .opened(let left)? = heard.heard[breaker]?.notice else {
      Issue.record("nothing was heard")
      return
    }
    #expect(left > .seconds(1_800) && left <= .seconds(3_600))
    #expect(heard.heard[breaker]?.isOwn == false)
    let closed = try await there.exchange([breaker: .closed])
    #expect(closed.heard[breaker]?.notice == .closed)
    #expect(closed.heard[breaker]?.isOwn == true)
    let again = try await here.exchange([:])
    #expect(again.heard[breaker]?.notice == .closed)
    #expect(again.heard.count == 2)
    #expect(
      try #require(again.heard[breaker]?.version) > #require(heard.heard[breaker]?.version))
    await here.leave()
    #expect(try await there.exchange([:]).members == 1)
    await there.leave()
  }

  @Test func `who looks seldom counts for as long as it said, not as others that look often`()
    async throws
  {
    let place = try await place()
    let (often, seldom) = (
      exchange(place, "often", patience: .seconds(10)), exchange(place, "seldom")
    )
    _ = try await seldom.exchange([:])
    try await place.query("UPDATE @.policy_member SET seen_at = seen_at - interval '60 seconds'")
    #expect(try await often.exchange([:]).members == 2)
    await often.leave()
    await seldom.leave()
  }

  @Test func `who is not heard of for a while does not count any more`() async throws {
    let place = try await place()
    let (here, there) = (exchange(place, "here"), exchange(place, "there", patience: .seconds(300)))
    _ = try await (here.exchange([:]), there.exchange([:]))
    try await place.query(
      "UPDATE @.policy_member SET seen_at = seen_at - interval '301 seconds' WHERE member = 'there'"
    )
    #expect(try await here.exchange([:]).members == 1)
    #expect(try await there.exchange([:]).members == 2)
  }

  @Test func `what was over an hour ago is forgotten`() async throws {
    let place = try await place()
    let here = exchange(place, "here")
    let names = ["over", "closed", "open", "new"].map {
      SharingStateMachine.Name(kind: .breaker, name: $0)
    }
    _ = try await here.exchange([
      names[0]: .opened(.seconds(60)), names[1]: .closed, names[2]: .opened(.seconds(86_400)),
    ])
    try await place.query(
      """
      UPDATE @.policy SET said_at = said_at - interval '2 hours', until = until - interval '2 hours'
      """)
    let heard = try await here.exchange([names[3]: .closed]).heard
    #expect(Set(heard.keys) == [names[2], names[3]])
    // Said again, it is news.
    #expect(try await here.exchange([names[1]: .closed]).heard[names[1]]?.notice == .closed)
    await here.leave()
  }

  @Test func `two processes share a breaker through their looks`() async throws {
    let place = try await place()
    let clock = ManualClock()
    func process(_ name: String) -> SharedPolicies {
      SharedPolicies(
        over: exchange(place, name), every: .seconds(1), clock: clock,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let (here, there) = (process("here"), process("there"))
    let mine = CircuitBreaker("catalog", .consecutiveFailures(1), breakFor: .seconds(3_600))
    let other = CircuitBreaker("catalog", .consecutiveFailures(1), breakFor: .seconds(3_600))
    here.share(mine)
    there.share(other)
    try mine.admit().fail()
    #expect(try await here.look())
    #expect(try await there.look())
    #expect(throws: Rejection.self) { try other.admit().succeed() }
  }

  @Test func `without tables nothing is shared, and calls are decided all the same`() async throws {
    let place = try await Place()
    let shared = SharedPolicies(
      over: exchange(place, "here"), every: .seconds(1), clock: ManualClock(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    #expect(try await !shared.look())
    #expect(!shared.isConnected)
    #expect(shared.members == 1)
  }
}
