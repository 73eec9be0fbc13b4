// SPDX-License-Identifier: Apache-2.0

/// The newest elements, up to a number; inserting takes constant time (D16, T15).
package struct RecentRing<Element: Sendable>: Sendable {
  /// How many it holds at most.
  package let capacity: Int
  private var elements: [Element] = []
  /// Where the next one goes once it is full.
  private var next = 0

  /// Makes an empty ring; a capacity below 1 becomes 1.
  package init(capacity: Int) { self.capacity = max(1, capacity) }

  /// How many it holds.
  var count: Int { elements.count }

  /// The element that was inserted last.
  var newest: Element? {
    elements.isEmpty ? nil : elements[(next + elements.count - 1) % elements.count]
  }

  /// What it holds, in the order in which it came.
  var oldestFirst: [Element] { Array(elements[next...] + elements[..<next]) }

  /// What it holds, the last first.
  package var newestFirst: [Element] { oldestFirst.reversed() }

  /// Inserts an element; the oldest leaves where there is no room.
  package mutating func insert(_ element: Element) {
    if elements.count < capacity {
      elements.append(element)
    } else {
      elements[next] = element
      next = next + 1 == capacity ? 0 : next + 1
    }
  }

  /// Changes the newest element of which something holds.
  ///
  /// - Returns: The element as it is now; nil where it holds of none.
  mutating func updateNewest(
    where holds: (Element) -> Bool, _ change: (inout Element) -> Void
  ) -> Element? {
    guard let index = newestIndex(where: holds) else { return nil }
    change(&elements[index])
    return elements[index]
  }

  /// The newest element of which something holds.
  func newest(where holds: (Element) -> Bool) -> Element? {
    newestIndex(where: holds).map { elements[$0] }
  }

  private func newestIndex(where holds: (Element) -> Bool) -> Int? {
    for age in 0..<elements.count {
      let index = (next + elements.count - 1 - age) % elements.count
      if holds(elements[index]) { return index }
    }
    return nil
  }

  /// Forgets everything.
  package mutating func removeAll() {
    elements = []
    next = 0
  }
}
