// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

extension ReportSendingStateMachine {
  /// A reply, with the wait that the settings ask for.
  fileprivate mutating func end(
    _ reply: ReportStore.Reply, _ hint: Hint, now: Duration, fraction: Double
  ) -> Verdict {
    end(reply, hint, now: now, delay: delay(after: reply, fraction: fraction))
  }

  fileprivate mutating func endWithoutReply(now: Duration, fraction: Double) {
    endWithoutReply(now: now, delay: delay(after: nil, fraction: fraction) ?? .zero)
  }
}

@Suite(.requirement("B42")) struct ReportSendingStateMachineTests {
  private typealias Machine = ReportSendingStateMachine
  private typealias Policy = ReportStore.ReplyPolicy

  private func machine(
    _ replies: ReportStore.ReplyPolicy = .otlp, size: Int = 1,
    backoff: Backoff = .exponential(from: .seconds(1), to: .seconds(300), jitter: .none)
  ) -> Machine {
    Machine(.init(replies: replies, backoff: backoff, recordsPerRequest: size))
  }

  private func entry(
    _ number: UInt64, category: String = "error", type: String = "text/plain", attempts: Int = 0,
    bytes: Int = 10
  ) -> ReportIndexStateMachine.Entry {
    ReportIndexStateMachine.Entry(
      number: number, id: UUID(), birth: .zero, bytes: bytes, severity: .error, category: category,
      contentType: type, attempts: attempts)
  }

  /// The table of the page, row by row: OTLP, Sentry, Bugsnag.
  @Test(arguments: [
    (200...299, "sent sent sent"), (100...199, "dropped stays stays"),
    (300...399, "dropped stays stays"), (400...401, "dropped dropped dropped"),
    (402...402, "dropped dropped stays"), (403...406, "dropped dropped dropped"),
    (407...408, "dropped dropped stays"), (409...428, "dropped dropped dropped"),
    (429...429, "stays dropped stays"), (430...499, "dropped dropped dropped"),
    (500...501, "dropped dropped stays"), (502...504, "stays dropped stays"),
    (505...599, "dropped dropped stays"), (600...700, "dropped stays stays"),
    (-1...0, "dropped stays stays"),
  ]) func `each reply means what the table says`(statuses: ClosedRange<Int>, row: String) {
    for status in statuses {
      let verdicts = [Policy.otlp, .sentry, .bugsnag].map { $0.verdict(on: status).rawValue }
      #expect(verdicts.joined(separator: " ") == row, "\(status)")
    }
  }

  @Test func `without a reply all waits for the backoff, and for what a service asked`() {
    var machine = machine()
    #expect(machine.next([entry(1)], now: .zero) == .send([1]))
    machine.endWithoutReply(now: .zero, fraction: 0)
    #expect(machine.next([entry(1)], now: .zero) == .wait(.seconds(1)))
    machine.endWithoutReply(now: .seconds(1), fraction: 0)
    #expect(machine.next([entry(1)], now: .seconds(1)) == .wait(.seconds(2)))
    machine.forgive()
    #expect(machine.next([entry(1)], now: .seconds(1)) == .send([1]))
    let hint = Machine.Hint(all: .seconds(60))
    let reply = ReportStore.Reply(status: 503)
    #expect(machine.end(reply, hint, now: .seconds(1), fraction: 0) == .stays)
    machine.forgive()
    #expect(machine.next([entry(1)], now: .seconds(1)) == .wait(.seconds(60)))
    #expect(machine.next([], now: .seconds(1)) == .nothing)
    #expect(machine.next([entry(1)], now: .seconds(61)) == .send([1]))
  }

  @Test func `no service silences a store for longer than a day, or makes it turn without rest`() {
    var machine = machine()
    let reply = ReportStore.Reply(status: 429)
    for hint in [Duration.seconds(Int64.max), .seconds(-5), .zero] {
      _ = machine.end(reply, .init(all: hint), now: .zero, fraction: 0)
    }
    #expect(machine.pause(now: .zero) == .seconds(86_400), "the latest counts")
    #expect(machine.pause(now: .seconds(-50)) == .seconds(86_400), "the clock went back")
    #expect(machine.pause(now: .seconds(86_400)) == nil)
    _ = machine.end(reply, .init(all: .zero), now: .seconds(86_400), fraction: 0)
    #expect(machine.pause(now: .seconds(86_400)) != nil)
  }

  @Test func `an outage does not cost all that is kept where a refusal is the last word`() {
    var machine = machine(.sentry)
    let reply = ReportStore.Reply(status: 500)
    #expect(machine.end(reply, .init(), now: .zero, fraction: 0) == .dropped(.rejected))
    #expect(machine.pause(now: .zero) == .seconds(1))
    let limited = ReportStore.Reply(status: 429)
    #expect(machine.end(limited, .init(), now: .zero, fraction: 0) == .dropped(.rateLimited))
    #expect(
      machine.end(.init(status: 404), .init(), now: .zero, fraction: 0) == .dropped(.rejected))
    #expect(machine.pause(now: .zero) == nil)
  }

  @Test func `a category that is held back lets the others pass`() {
    var machine = machine(.sentry)
    let reply = ReportStore.Reply(status: 200, rejected: 3)
    let hint = Machine.Hint(categories: ["error": .seconds(60)])
    #expect(machine.end(reply, hint, now: .zero, fraction: 0) == .sent(rejected: 3))
    let session = entry(2, category: "session")
    #expect(machine.next([entry(1), session], now: .zero) == .send([2]))
    #expect(machine.next([entry(1)], now: .zero) == .wait(.seconds(60)))
    let shorter = Machine.Hint(categories: ["error": .seconds(5)])
    _ = machine.end(reply, shorter, now: .zero, fraction: 0)
    #expect(machine.next([entry(1)], now: .zero) == .wait(.seconds(60)), "the maximum is kept")
    #expect(machine.next([entry(1)], now: .seconds(60)) == .send([1]))
  }

  @Test func `a request holds records of one kind, the oldest first`() {
    var machine = machine(size: 3)
    let mixed = [entry(1), entry(2, type: "application/jsonl"), entry(3), entry(4), entry(5)]
    #expect(machine.next(mixed, now: .zero) == .send([1, 3, 4]))
    let heavy = [entry(1, bytes: 600_000), entry(2, bytes: 600_000)]
    #expect(machine.next(heavy, now: .zero) == .send([1]))
    let huge = [entry(1, bytes: .max / 2), entry(2, bytes: 1)]
    #expect(machine.next(huge, now: .zero) == .send([1]))
  }

  @Test(arguments: ["application/json", "application/x-sentry-envelope", "", "a"])
  func `what is no line is sent alone`(type: String) {
    var machine = machine(size: 3)
    let alike = [entry(1, type: type), entry(2, type: type), entry(3)]
    #expect(machine.next(alike, now: .zero) == .send([1]))
    let lines = (1...2).map { entry($0, type: "Text/Plain; charset=utf-8") }
    #expect(machine.next(lines, now: .zero) == .send([1, 2]))
  }

  @Test func `the oldest decides of which kind a request is`() {
    var machine = machine(size: 3)
    let mixed = [entry(1), entry(2, type: "application/jsonl"), entry(3, category: "session")]
    #expect(machine.next(mixed, now: .zero) == .send([1]))
  }

  @Test func `a request of several records holds a million bytes`() {
    var machine = machine(size: 3)
    let full = [entry(1, bytes: 900_000), entry(2, bytes: 99_999), entry(3, bytes: 1)]
    #expect(machine.next(full, now: .zero) == .send([1, 2, 3]))
    let fuller = [entry(1, bytes: 900_000), entry(2, bytes: 99_999), entry(3, bytes: 2)]
    #expect(machine.next(fuller, now: .zero) == .send([1, 2]))
  }

  @Test func `a wait counts from now, whenever the reply came`() {
    var machine = machine(.sentry)
    let start = Duration.seconds(100)
    let hint = Machine.Hint(categories: ["error": .seconds(60)])
    _ = machine.end(.init(status: 200), hint, now: start, fraction: 0)
    #expect(machine.next([entry(1)], now: start + .seconds(10)) == .wait(.seconds(50)))
    var held = self.machine(.sentry)
    _ = held.end(.init(status: 200), .init(all: .seconds(60)), now: start, fraction: 0)
    #expect(held.pause(now: start + .seconds(10)) == .seconds(50))
    var silent = self.machine()
    silent.endWithoutReply(now: start, fraction: 0)
    #expect(silent.pause(now: start) == .seconds(1))
  }

  @Test func `it rests a second even where backoff and service would not`() {
    var machine = machine(backoff: .none)
    machine.endWithoutReply(now: .zero, fraction: 0)
    #expect(machine.pause(now: .zero) == .seconds(1))
    var told = self.machine()
    _ = told.end(.init(status: 200), .init(all: .zero), now: .zero, fraction: 0)
    #expect(told.pause(now: .zero) == .seconds(1))
  }

  @Test(arguments: [
    (
      ReportStore.ReplyPolicy.otlp, [429, 500, 501, 502, 503, 504, 598, 599],
      [200, 302, 404, 428, 430, 499, 600]
    ),
    (.sentry, [302, 429, 500, 503, 599, 600], [200, 404, 428, 430, 499]),
  ]) func `it backs off from outages and refusals to answer, and not from a last word`(
    policy: ReportStore.ReplyPolicy, failures: [Int], others: [Int]
  ) {
    let machine = machine(policy)
    for status in failures {
      let delay = machine.delay(after: .init(status: status), fraction: 0)
      #expect(delay == .seconds(1), "\(status)")
    }
    for status in others {
      #expect(machine.delay(after: .init(status: status), fraction: 0) == nil, "\(status)")
    }
  }

  @Test func `only 429 is a limit, and what was taken may be rejected in part`() {
    var machine = machine(.sentry)
    let verdicts = [428, 429, 430].map {
      machine.end(.init(status: $0), .init(), now: .zero, fraction: 0)
    }
    #expect(verdicts == [.dropped(.rejected), .dropped(.rateLimited), .dropped(.rejected)])
    let rejected = [-1, 0, 2].map {
      machine.end(.init(status: 200, rejected: $0), .init(), now: .zero, fraction: 0)
    }
    #expect(rejected == [.sent(rejected: 0), .sent(rejected: 0), .sent(rejected: 2)])
  }

  @Test func `a backoff that grows from the last wait begins anew once it is forgiven`() {
    let growing = Backoff.exponential(
      from: .seconds(1), to: .seconds(300), jitter: .decorrelated)
    var machine = machine(backoff: growing)
    for seconds in [3, 9, 27] {
      machine.endWithoutReply(now: .zero, fraction: 1)
      #expect(machine.pause(now: .zero) == .seconds(seconds))
    }
    machine.forgive()
    machine.endWithoutReply(now: .zero, fraction: 1)
    #expect(machine.pause(now: .zero) == .seconds(3))
    var counting = self.machine()
    for _ in 0..<4 { counting.endWithoutReply(now: .zero, fraction: 0) }
    counting.forgive()
    counting.endWithoutReply(now: .zero, fraction: 0)
    #expect(counting.pause(now: .zero) == .seconds(1))
  }

  @Test func `64 categories are held back, and those may be held back longer`() {
    var machine = machine(.sentry)
    let names = (10..<74).map { "c\($0)" }
    let hint = Machine.Hint(
      categories: Dictionary(uniqueKeysWithValues: names.map { ($0, .seconds(60)) }))
    _ = machine.end(.init(status: 200), hint, now: .zero, fraction: 0)
    for name in names {
      #expect(machine.next([entry(1, category: name)], now: .zero) == .wait(.seconds(60)))
    }
    // The one that there is no room for comes first, by its name.
    let more = Machine.Hint(categories: ["a": .seconds(90), "c73": .seconds(90)])
    _ = machine.end(.init(status: 200), more, now: .zero, fraction: 0)
    #expect(machine.next([entry(1, category: "a")], now: .zero) == .send([1]))
    #expect(machine.next([entry(1, category: "c73")], now: .zero) == .wait(.seconds(90)))
  }

  @Test func `one that is never taken holds up nothing`() {
    var machine = machine(size: 3)
    #expect(machine.next([entry(1, attempts: 1), entry(2)], now: .zero) == .send([2]))
    #expect(machine.next([entry(1, attempts: 1)], now: .zero) == .send([1]))
  }

  @Test func `what got no answer thrice comes after the others, and alone`() {
    var machine = machine(size: 3)
    var entries = (1...3).map { entry($0) }
    for silences in 0...2 {
      entries[0].silences = silences
      #expect(machine.next(entries, now: .zero) == .send([1, 2, 3]), "an outage")
    }
    for index in [0, 1] { (entries[index].silences, entries[index].attempts) = (3, 1) }
    #expect(machine.next(entries, now: .zero) == .send([3]))
    #expect(machine.next(Array(entries[...1]), now: .zero) == .send([1]))
    entries[2].attempts = 1
    #expect(machine.next(Array(entries[1...].reversed()), now: .zero) == .send([3]))
  }

  @Test func `one caller at a time sends`() {
    var machine = machine()
    let calls = [machine.begin(), machine.begin()]
    machine.finish()
    #expect(calls + [machine.begin()] == [true, false, true])
  }

  @Test func `rate limits are read as Sentry writes them`() throws {
    let limits = try #require(
      SentryRateLimits(
        "60:error;transaction:organization:quota, 2700::key,5:error, x:session,junk,:"))
    #expect(limits.all == .seconds(2_700))
    let read: [String: Duration] = [
      "error": .seconds(60), "transaction": .seconds(60), "session": .seconds(60),
    ]
    #expect(limits.categories == read)
    #expect(SentryRateLimits("") == nil && SentryRateLimits("junk") == nil)
    #expect(SentryRateLimits("nan::")?.all == .zero && SentryRateLimits("-1::")?.all == .zero)
    let many = (0..<500).map { "1:c\($0)" }.joined(separator: ",")
    #expect(SentryRateLimits(many)?.categories.count == 64)
  }

  @Test(arguments: [
    (429, "120", Duration?.some(.seconds(120))), (429, "", .seconds(60)),
    (429, "soon", .seconds(60)), (429, "-1", .seconds(60)), (503, "7", .seconds(7)),
    (503, "", nil), (429, "Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), (200, "9", nil),
    (400, "9", nil),
  ]) func `Retry-After is heeded where it means something`(
    status: Int, header: String, pause: Duration?
  ) {
    let reply = ReportStore.Reply(status: status, headers: ["RETRY-after": header])
    let now = Date(timeIntervalSince1970: 784_111_777)
    for policy in [Policy.otlp, .sentry, .bugsnag] {
      #expect(policy.hint(of: reply, now: now) == .init(all: pause))
    }
  }

  @Test func `Sentry's own header comes before Retry-After, on any reply`() {
    let headers = ["X-Sentry-Rate-Limits": "30:error:key", "Retry-After": "900"]
    for status in [200, 429, 500] {
      let hint = Policy.sentry.hint(of: .init(status: status, headers: headers), now: Date())
      #expect(hint == .init(categories: ["error": .seconds(30)]))
    }
    let bugsnag = Policy.bugsnag.hint(of: .init(status: 429, headers: headers), now: Date())
    #expect(bugsnag == .init(all: .seconds(900)))
  }

  @Test func `a random walk never sends while it is held back`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var random = SplitMix64(seed: seed)
      var machine = machine(.sentry)
      var (now, until, held) = (Duration.zero, Duration.zero, [String: Duration]())
      for _ in 0..<40 {
        now += .seconds(Int.random(in: 0...20, using: &random))
        let waiting = (0..<3).map {
          entry($0, category: "c\(Int.random(in: 0..<3, using: &random))")
        }
        switch machine.next(waiting, now: now) {
        case .nothing: Issue.record("something waits")
        case .wait(let pause):
          #expect(pause > .zero && pause <= .seconds(86_400))
          continue
        case .send(let numbers):
          #expect(now >= until)
          for entry in waiting where numbers.contains(entry.number) {
            #expect(now >= held[entry.category] ?? .zero)
          }
        }
        let status = [200, 429, 500, 302, 404].randomElement(using: &random) ?? 200
        var hint = Machine.Hint()
        if Int.random(in: 0..<4, using: &random) == 0 {
          hint.all = .seconds(Int.random(in: 1...30, using: &random))
          until = max(until, now + (hint.all ?? .zero))
        }
        let category = "c\(Int.random(in: 0..<3, using: &random))"
        hint.categories[category] = .seconds(Int.random(in: 1...30, using: &random))
        held[category] = max(held[category] ?? now, now + (hint.categories[category] ?? .zero))
        _ = machine.end(.init(status: status), hint, now: now, fraction: random.fraction())
      }
    }
  }
}
