// SPDX-License-Identifier: Apache-2.0

/// Different elements in their order, each found, added and removed without a look at the others.
///
/// They lie in chunks of a bounded size: what changes moves at most one chunk, and a chunk that is
/// full becomes two. No chunk is empty.
struct SortedSet<Element: Comparable>: Sequence {
  private static var chunkSize: Int { 256 }

  private var chunks: [[Element]] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  var first: Element? { chunks.first?.first }
  var last: Element? { chunks.last?.last }

  func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
    chunks.joined().makeIterator()
  }

  /// Those that are greater than an element, which may be there or not.
  func elements(after element: Element) -> some Sequence<Element> {
    let place = place(of: element)
    return chunks[place.chunk...].joined().dropFirst(place.index + (place.isThere ? 1 : 0))
  }

  /// The smallest one that is greater than an element, which may be there or not.
  func first(after element: Element) -> Element? {
    let (chunk, index, isThere) = place(of: element)
    guard chunk < chunks.count else { return nil }
    let next = isThere ? index + 1 : index
    if next < chunks[chunk].count { return chunks[chunk][next] }
    return chunk + 1 < chunks.count ? chunks[chunk + 1].first : nil
  }

  func contains(_ element: Element) -> Bool { place(of: element).isThere }

  /// Adds an element; nothing changes where it is there.
  mutating func insert(_ element: Element) {
    let (chunk, index, isThere) = place(of: element)
    guard !isThere else { return }
    count += 1
    guard chunk < chunks.count else {
      // Greater than all: most come in their order, and leave full chunks behind.
      if let last = chunks.last, last.count < Self.chunkSize {
        chunks[chunks.count - 1].append(element)
      } else {
        chunks.append([element])
      }
      return
    }
    chunks[chunk].insert(element, at: index)
    guard chunks[chunk].count > Self.chunkSize else { return }
    let half = chunks[chunk].count / 2
    chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
  }

  /// Takes an element out; nothing changes where it is not there.
  mutating func remove(_ element: Element) {
    let (chunk, index, isThere) = place(of: element)
    guard isThere else { return }
    count -= 1
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
  }

  /// Takes the smallest element out; nil where there is none.
  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    remove(first)
    return first
  }

  /// Where an element is, or would be; behind the last chunk where it is greater than all.
  private func place(of element: Element) -> (chunk: Int, index: Int, isThere: Bool) {
    let chunk = Self.firstIndex(chunks.count) { chunks[$0].last.map { $0 >= element } ?? false }
    guard chunk < chunks.count else { return (chunk, 0, false) }
    let index = Self.firstIndex(chunks[chunk].count) { chunks[chunk][$0] >= element }
    return (chunk, index, chunks[chunk][index] == element)
  }

  /// The first of some numbers from zero on of which something is true, as of all behind it.
  private static func firstIndex(_ count: Int, where isTrue: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension SortedSet: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.count == other.count && one.elementsEqual(other)
  }
}
