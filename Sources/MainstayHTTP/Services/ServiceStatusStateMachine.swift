// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// How it stands with one connection to a service, by what became of its calls.
///
/// | What became of a call | Status |
/// |---|---|
/// | it succeeded, or the service answered that it will not | `connected` |
/// | there was no way to the service | `failed` |
/// | there is no network | `disconnected` |
/// | it took too long | `reconnecting`, and `failed` after several in a row or after a while |
/// | something else, such as an answer that makes no sense | as it was |
///
/// A call that began before the newest change of connection says nothing about the new one.
struct ServiceStatusStateMachine: Sendable {
  /// What became of a call.
  enum Verdict: Sendable, Equatable {
    case answered, unreachable, offline, slow, nothing
  }

  struct Limits: Sendable {
    /// How many calls in a row may be too slow before the connection counts as failed.
    var slowCalls = 3
    /// How long it may count as reconnecting.
    var reconnecting: Duration = .seconds(60)
  }

  let limits: Limits
  private var standing = ConnectionStatus.disconnected
  private var slowCalls = 0
  private var slowSince: Duration?
  private(set) var connection: UInt64 = 0
  private(set) var changes: UInt64 = 0

  init(_ limits: Limits, initially status: ConnectionStatus) {
    self.limits = limits
    standing = status
  }

  /// How it stands now; what reconnects for too long has failed (T15).
  func status(now: Duration) -> ConnectionStatus {
    due.map { now >= $0 } ?? false ? .failed : standing
  }

  /// When it has failed, unless something happens before; nil where it does not reconnect.
  var due: Duration? {
    guard standing == .reconnecting, let slowSince else { return nil }
    return slowSince + limits.reconnecting
  }

  /// The time for which it may count as reconnecting may be over.
  mutating func expire(now: Duration) { change(to: status(now: now)) }

  /// A call of a connection has ended.
  mutating func record(_ verdict: Verdict, of connection: UInt64, now: Duration) {
    guard connection == self.connection else { return }
    switch verdict {
    case .nothing: return
    case .answered: become(.connected)
    case .unreachable: become(.failed)
    case .offline: become(.disconnected)
    case .slow:
      guard status(now: now) != .failed else { return become(.failed) }
      slowCalls += 1
      if slowSince == nil { slowSince = now }
      guard slowCalls < limits.slowCalls else { return become(.failed) }
      change(to: .reconnecting)
    }
  }

  /// Another connection takes the place of the one before, whose calls no longer count.
  mutating func reconnect(now: Duration) {
    connection += 1
    slowCalls = 0
    slowSince = now
    change(to: .reconnecting)
  }

  /// The client itself says how it stands.
  mutating func adopt(_ status: ConnectionStatus, now: Duration) {
    guard status == .reconnecting else { return become(status) }
    let since = slowSince ?? now
    slowSince = since
    change(to: now - since >= limits.reconnecting ? .failed : .reconnecting)
  }

  private mutating func become(_ status: ConnectionStatus) {
    slowCalls = 0
    slowSince = nil
    change(to: status)
  }

  private mutating func change(to status: ConnectionStatus) {
    guard standing != status else { return }
    standing = status
    changes += 1
  }
}

extension ServiceStatusStateMachine.Verdict {
  /// What an error says about the connection that it came over.
  init(of error: AppError) {
    switch error.kind {
    case .timeout: self = .slow
    case .offline: self = .offline
    case .network, .insecure, .portal: self = .unreachable
    case .decoding, .cancelled, .unknown: self = .nothing
    default:
      // Our own refusals and what never left say nothing about the service.
      if case .rejected = error.disposition {
        self = .nothing
      } else {
        // A status of HTTP, or an error of JSON-RPC, is the service's own word.
        let hasAnswered = ["http.status", "jsonrpc.code"].contains { error.metadata[$0] != nil }
        self = hasAnswered ? .answered : .nothing
      }
    }
  }
}
