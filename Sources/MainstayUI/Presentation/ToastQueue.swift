// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Which toasts are shown and which wait, by time: the pure part of ``Toasts``.
struct ToastQueue: Sendable {
  struct Entry: Sendable {
    var toast: Toast
    let length: Duration
    /// Whether its button does something, which is done for this one alone.
    let isOwn: Bool

    /// Whether another one is the same to a person, so that a count says it.
    func isLike(_ other: Entry) -> Bool {
      if toast.id == other.toast.id { return true }
      return !isOwn && !other.isOwn && toast.saysTheSame(as: other.toast)
    }
  }

  /// What rests on a toast while somebody reads it.
  enum Holder: Sendable {
    case pointer, screenReader, keyboard
    /// Whom an app speaks for.
    case app
  }

  struct Shown: Sendable {
    var entry: Entry
    /// When it goes away; nil while somebody reads it.
    var until: Duration?
    var holders: Set<Holder> = []
  }

  /// How many wait at most: who has not seen the twentieth for a minute will not miss it.
  static let maximumWaiting = 20

  let capacity: Int
  private(set) var shown: [Shown] = []
  private(set) var waiting: [Entry] = []
  private(set) var droppedCount = 0

  init(capacity: Int) { self.capacity = capacity }

  /// When the next toast goes away; nil for never.
  var nextChange: Duration? { shown.compactMap(\.until).min() }

  /// Shows a toast, now or when there is room; the same words again only count, and last anew.
  ///
  /// - Parameters:
  ///   - toast: The toast.
  ///   - length: How long it is shown.
  ///   - isOwn: Whether it stands for itself, since its button does something.
  ///   - now: The reading of the clock.
  /// - Returns: The toast that it is now, which is that with the same words where there is one.
  mutating func add(
    _ toast: Toast, for length: Duration, isOwn: Bool, now: Duration
  ) -> Toast.ID {
    let entry = Entry(toast: toast, length: length, isOwn: isOwn)
    if let same = shown.firstIndex(where: { $0.entry.isLike(entry) }) {
      shown[same].entry.toast.count += 1
      if shown[same].until != nil { shown[same].until = now + length }
      return shown[same].entry.toast.id
    }
    if let same = waiting.firstIndex(where: { $0.isLike(entry) }) {
      waiting[same].toast.count += 1
      return waiting[same].toast.id
    }
    waiting.append(entry)
    fill(now: now)
    if waiting.count > Self.maximumWaiting { drop() }
    return toast.id
  }

  mutating func remove(_ id: Toast.ID, now: Duration) {
    shown.removeAll { $0.entry.toast.id == id }
    waiting.removeAll { $0.toast.id == id }
    fill(now: now)
  }

  /// Somebody reads a toast, so it stays.
  mutating func hold(_ id: Toast.ID, for holder: Holder) {
    guard let index = shown.firstIndex(where: { $0.entry.toast.id == id }) else { return }
    shown[index].holders.insert(holder)
    shown[index].until = nil
  }

  /// It is not read in one of the ways any more; once it is in none, it lasts as long as a new one.
  mutating func release(_ id: Toast.ID, for holder: Holder, now: Duration) {
    guard let index = shown.firstIndex(where: { $0.entry.toast.id == id }),
      shown[index].holders.remove(holder) != nil, shown[index].holders.isEmpty
    else { return }
    shown[index].until = now + shown[index].entry.length
  }

  /// Time has passed.
  mutating func advance(to now: Duration) {
    shown.removeAll { $0.until.map { $0 <= now } ?? false }
    fill(now: now)
  }

  private mutating func fill(now: Duration) {
    while shown.count < capacity, !waiting.isEmpty {
      let next = waiting.removeFirst()
      shown.append(Shown(entry: next, until: now + next.length))
    }
  }

  /// What only says that all is well goes first, and of that the oldest.
  private mutating func drop() {
    let index = waiting.firstIndex { !$0.toast.style.isLong } ?? 0
    waiting.remove(at: index)
    droppedCount += 1
  }
}
