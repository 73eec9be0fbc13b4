// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Mainstay
import TestSupport

/// A folder that is gone when nobody holds it any more.
final class ReportFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "reports-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Where the store is.
  var store: URL { url.appending(path: "reports") }

  var path: String { store.path(percentEncoded: false) }

  /// The files of records.
  var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".report") }.sorted()
  }

  var quarantined: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path + "/quarantine")) ?? []
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: store.appending(path: name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: store.appending(path: name))
  }

  /// All as it is now, as a process that died here would leave it.
  func copy() throws -> ReportFolder {
    let copy = try ReportFolder()
    try FileManager.default.copyItem(at: store, to: copy.store)
    return copy
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// What the system refuses, as a test says.
final class Refusals: Sendable {
  private struct Rule {
    let call: StoreProbe.Call
    let part: String
    let code: Int32
    var left: Int
  }

  private let rules = Locked<[Rule]>([])

  /// From now on, so many calls on files whose names have this part end with an error.
  func refuse(
    _ call: StoreProbe.Call, _ part: String = "", with code: Int32, times: Int = .max
  ) {
    rules.withLock { $0.append(Rule(call: call, part: part, code: code, left: times)) }
  }

  /// From now on nothing is refused.
  func end() { rules.withLock { $0 = [] } }

  func probe(_ reached: @escaping @Sendable (StoreProbe.Step) -> Void = { _ in }) -> StoreProbe {
    StoreProbe(reached: reached) { [self] call, name in
      rules.withLock { rules in
        let index = rules.firstIndex {
          $0.call == call && $0.left > 0 && ($0.part.isEmpty || name.contains($0.part))
        }
        guard let index else { return nil }
        rules[index].left -= 1
        return rules[index].code
      }
    }
  }
}

/// Holds a store up once, when it has written a file and before that has its name.
final class DiskGate: Sendable {
  private let isClosed = Flag()
  private let isPassed = Flag()
  private let arrivals = Countdown(1)
  private let opening = DispatchSemaphore(value: 0)

  /// The next file is held up.
  func close() { isClosed.raise() }

  /// Returns when a file is held up.
  func arrived() async { await arrivals.reached() }

  func open() { opening.signal() }

  /// To be the store's probe.
  @Sendable func reached(_ step: StoreProbe.Step) { reached(step == .fileWritten) }

  /// Holds up at another step.
  func reached(_ isThere: Bool) {
    guard isThere, isClosed.isRaised, !isPassed.isRaised else { return }
    isPassed.raise()
    arrivals.count()
    opening.wait()
  }
}

/// A service that answers as it is told, and remembers what it was sent.
final class ScriptedService: ReportTransport {
  struct Unreachable: Error {}

  private struct State {
    var replies: [ReportStore.Reply?]
    var requests: [ReportStore.Request] = []
  }

  private let state: Locked<State>
  /// What happens while a request is under way.
  private let meanwhile: @Sendable () async throws -> Void

  /// Answers with these, nil being none, and then always with 200.
  init(
    _ replies: [ReportStore.Reply?] = [],
    meanwhile: @escaping @Sendable () async throws -> Void = {}
  ) {
    state = Locked(State(replies: replies))
    self.meanwhile = meanwhile
  }

  var requests: [ReportStore.Request] { state.withLock { $0.requests } }

  var ids: [UUID] { requests.flatMap(\.ids) }

  func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply {
    let reply = state.withLock { state in
      state.requests.append(request)
      return state.replies.isEmpty ? ReportStore.Reply(status: 200) : state.replies.removeFirst()
    }
    try await meanwhile()
    guard let reply else { throw Unreachable() }
    return reply
  }
}

extension ReportStore.Record {
  /// A record of so many bytes.
  static func sample(
    _ severity: Severity = .error, bytes: Int = 100, trimmed: Int? = nil, category: String = "error"
  ) -> Self {
    Self(
      id: UUID(), time: Date(timeIntervalSince1970: 1_700_000_000), severity: severity,
      category: category, fingerprint: "1-0123456789abcdef", contentType: "application/x-ndjson",
      body: Data(repeating: 120, count: bytes),
      trimmed: trimmed.map { Data(repeating: 121, count: $0) })
  }
}

extension ReportStore.Configuration {
  /// The defaults, on however full a volume the tests run.
  static let anywhere = Self(reserve: 0)
}
