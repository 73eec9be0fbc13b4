// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Which errors are shown and which wait, by time: all decisions of ``ErrorPresenter`` about it.
///
/// There is one place in front of everything and one at the edge, each with one error at a time. A
/// place is empty, or it gathers, so that the worst of what comes together is first. Or it shows
/// one, or it rests after one, so that what goes away does not take along what follows. What stands
/// under a field is shown at once and waits for nothing.
struct ErrorQueueStateMachine: Sendable {
  typealias ID = ErrorPresentation.ID
  typealias Style = ErrorPresentation.Style

  struct Entry: Sendable {
    let id: ID
    let style: Style
    var severity: Severity
  }

  enum Place: Sendable, Equatable {
    case empty
    case gathering(until: Duration)
    case shown(ID)
    case resting(until: Duration)
  }

  static let places: [Style] = [.overlay, .banner]

  let capacity: Int
  /// How many stand under fields at most; so many fields has no form, but an answer may name them.
  let fieldCapacity: Int
  let gathering: Duration
  let gap: Duration
  /// In the order in which they came.
  private(set) var entries: [Entry] = []
  private(set) var overlay = Place.empty
  private(set) var banner = Place.empty

  init(capacity: Int, fieldCapacity: Int = 1_000, gathering: Duration, gap: Duration) {
    self.capacity = capacity
    self.fieldCapacity = fieldCapacity
    self.gathering = gathering
    self.gap = gap
  }

  /// What stands in a place.
  func shown(_ style: Style) -> ID? {
    if case .shown(let id) = self[style] { id } else { nil }
  }

  /// When somebody has to look again; nil for never.
  var nextChange: Duration? {
    Self.places.compactMap { style in
      switch self[style] {
      case .empty, .shown: nil
      case .gathering(let until), .resting(let until): until
      }
    }.min()
  }

  /// Whether there is room for an error; where there is none, it need not be put into words.
  func hasRoom(_ style: Style, _ severity: Severity) -> Bool {
    if style == .field { return count(underFields: true) < fieldCapacity }
    guard count(underFields: false) >= capacity, self[style] != .empty else { return true }
    return entries.contains { $0.severity < severity && !isShown($0) }
  }

  /// An error comes.
  ///
  /// - Returns: The error that had no room: the newest of the mildest that are not shown, and where
  ///   too many stand under fields, the one that comes.
  mutating func add(_ entry: Entry, now: Duration) -> ID? {
    advance(to: now)
    if entry.style == .field {
      guard hasRoom(.field, entry.severity) else { return entry.id }
      entries.append(entry)
      return nil
    }
    entries.append(entry)
    if self[entry.style] == .empty {
      self[entry.style] = .gathering(until: now + gathering)
    }
    // What is shown at once takes no room from those that wait.
    advance(to: now)
    return count(underFields: false) > capacity ? dropMildest() : nil
  }

  /// It has happened again, and was worse; what is shown stays all the same.
  mutating func raise(_ id: ID, to severity: Severity) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[index].severity = max(entries[index].severity, severity)
  }

  /// Errors are put away, whether they were shown or not; none of them is shown for it.
  mutating func remove(_ ids: Set<ID>, now: Duration) {
    entries.removeAll { ids.contains($0.id) }
    for style in Self.places where shown(style).map(ids.contains) == true {
      self[style] = .resting(until: now + gap)
    }
    advance(to: now)
  }

  /// Time has passed.
  mutating func advance(to now: Duration) {
    for style in Self.places {
      switch self[style] {
      case .gathering(let until) where until <= now, .resting(let until) where until <= now:
        self[style] = next(style).map { .shown($0) } ?? .empty
      case .empty, .shown, .gathering, .resting: break
      }
    }
  }

  /// The most severe of those that wait, and of those the oldest.
  private func next(_ style: Style) -> ID? {
    let waiting = entries.filter { $0.style == style }
    let worst = waiting.map(\.severity).max()
    return waiting.first { $0.severity == worst }?.id
  }

  private func count(underFields: Bool) -> Int {
    entries.count { ($0.style == .field) == underFields }
  }

  private func isShown(_ entry: Entry) -> Bool {
    entry.style == .field || shown(entry.style) == entry.id
  }

  private mutating func dropMildest() -> ID? {
    let waiting = entries.indices.filter { !isShown(entries[$0]) }
    let mildest = waiting.map { entries[$0].severity }.min()
    guard let index = waiting.last(where: { entries[$0].severity == mildest }) else { return nil }
    return entries.remove(at: index).id
  }

  private subscript(style: Style) -> Place {
    get { style == .banner ? banner : overlay }
    set { if style == .banner { banner = newValue } else { overlay = newValue } }
  }
}
