// SPDX-License-Identifier: Apache-2.0

import Observation

/// A view that shows what others show as well; it lives as long as the view does.
final class Host: Sendable {}

/// Which of several views that show the same is in front: a window and its sheets all show the
/// errors of one presenter, and a person sees the newest of them alone.
struct HostStack: Sendable {
  private struct Absent: Sendable {
    weak var host: Host?
  }

  private(set) var hosts: [Host] = []
  /// Those that are not on screen, in the order in which they left.
  private var absent: [Absent] = []

  /// The host that shows it; nil where there was none yet.
  ///
  /// A page that another one was pushed upon has left, and its alerts still come up. A sheet that
  /// was closed never does again. So where nobody is on screen, it is the one that left last among
  /// those that are still there.
  var front: Host? { hosts.last ?? absent.lazy.reversed().compactMap(\.host).first }

  /// A host has come; one that is there already keeps its place.
  mutating func enter(_ host: Host) {
    guard !hosts.contains(where: { $0 === host }) else { return }
    absent.removeAll { $0.host == nil || $0.host === host }
    hosts.append(host)
  }

  /// A host has gone, from wherever it was.
  mutating func leave(_ host: Host) {
    guard hosts.contains(where: { $0 === host }) else { return }
    hosts.removeAll { $0 === host }
    absent.append(Absent(host: host))
  }
}

/// A ``HostStack`` that views observe.
@MainActor @Observable
final class Hosts {
  private var stack = HostStack()

  func isFront(_ host: Host) -> Bool { stack.front === host }
  func enter(_ host: Host) { stack.enter(host) }
  func leave(_ host: Host) { stack.leave(host) }
}
