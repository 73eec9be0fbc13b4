// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The types that have used up the limits of their workers, and until when nothing of them begins.
struct UsedUpLimits {
  /// What holds a type back, for as long as the limit is what it was.
  private struct UsedUp {
    let end: Duration
    let kind: RateLimiter.Kind
  }

  private var limits: [PayloadType: UsedUp] = [:]

  /// When the first of them is over; nil where none is used up.
  var next: Duration? { limits.values.map(\.end).min() }

  /// Until when nothing of a type begins; nil where its limit is not used up.
  func end(of type: PayloadType) -> Duration? { limits[type]?.end }

  /// Whether the limit of a worker lets one more begin now; where it does not, nothing of its type
  /// is claimed until it does.
  mutating func admit(_ worker: Worker, on timeline: Timeline) -> Bool {
    guard let limiter = worker.gates.limiter else { return true }
    // Read first: where it changes meanwhile, the wait is not trusted.
    let kind = limiter.configuration.kind
    // So is the time: a wait must not begin anew while a thread is held up.
    let now = timeline.now
    guard !limiter.tryAcquire() else { return true }
    // Asked how long, and given back at once.
    let wait = (try? limiter.reserve(maximumWait: .seconds(3600)))?.delay ?? .seconds(1)
    limits[worker.type] = UsedUp(
      end: now + max(wait, .milliseconds(1)).clamped, kind: kind)
    return false
  }

  /// Forgets the limits whose time is over, and those that are others by now.
  mutating func pass(_ workers: [PayloadType: Worker], on timeline: Timeline) {
    guard !limits.isEmpty else { return }
    let now = timeline.now
    limits = limits.filter { type, limit in
      limit.end > now && workers[type]?.gates.limiter?.configuration.kind == limit.kind
    }
  }
}
