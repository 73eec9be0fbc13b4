// SPDX-License-Identifier: Apache-2.0

/// Those who wait until a half-open ``CircuitBreaker`` knows more: a pure value.
///
/// Each has a place that it keeps when it was woken and found nothing new; who waits the longest is
/// woken first. Being woken gives nothing but the right to ask again, so nothing is lost with a
/// caller that goes away.
struct VerdictQueue: Sendable {
  /// The places of those who wait, the oldest first.
  private(set) var places: [UInt64] = []
  private var nextPlace: UInt64 = 0

  /// Somebody begins to wait.
  ///
  /// - Parameter most: How many may wait.
  /// - Returns: The place; nil where as many wait.
  mutating func join(atMost most: Int) -> UInt64? {
    guard places.count < most else { return nil }
    let place = nextPlace
    nextPlace += 1
    places.append(place)
    return place
  }

  /// Somebody who was woken goes on to wait, at the same place.
  mutating func rejoin(_ place: UInt64) {
    let index = places.firstIndex { $0 >= place } ?? places.endIndex
    if index < places.endIndex, places[index] == place { return }
    places.insert(place, at: index)
  }

  /// Somebody does not wait any more, woken or not.
  mutating func leave(_ place: UInt64) { places.removeAll { $0 == place } }

  /// Wakes so many, the oldest first.
  ///
  /// - Returns: Their places.
  mutating func wake(_ count: Int) -> [UInt64] {
    let woken = Array(places.prefix(count))
    places.removeFirst(woken.count)
    return woken
  }
}
