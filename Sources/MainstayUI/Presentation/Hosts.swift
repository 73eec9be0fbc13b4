// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation

/// Which of several views that show the same is in front: a window and its sheets all show the
/// errors of one presenter, and a person sees the newest of them alone.
struct HostStack: Sendable {
  private(set) var hosts: [UUID] = []
  /// Who left last when nobody was left.
  private var latest: UUID?

  /// The host that shows it; nil where there was none yet.
  ///
  /// A page that another one was pushed upon has gone, and its alerts still come up. So where
  /// nobody is on screen, it is the one that left last.
  var front: UUID? { hosts.last ?? latest }

  /// A host has come; one that is there already keeps its place.
  mutating func enter(_ host: UUID) {
    guard !hosts.contains(host) else { return }
    hosts.append(host)
  }

  /// A host has gone, from wherever it was.
  mutating func leave(_ host: UUID) {
    guard hosts.contains(host) else { return }
    hosts.removeAll { $0 == host }
    if hosts.isEmpty { latest = host }
  }
}

/// A ``HostStack`` that views observe.
@MainActor @Observable
final class Hosts {
  private var stack = HostStack()

  func isFront(_ host: UUID) -> Bool { stack.front == host }
  func enter(_ host: UUID) { stack.enter(host) }
  func leave(_ host: UUID) { stack.leave(host) }
}
