// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayTesting

/// What happened, in order.
///
/// A test that waits for what does not come ends with its time limit, which cancels its task. A
/// line on standard error then says where it waited, for how much, and what happened last.
public final class Log: Sendable {
  private struct State {
    var lines: [String] = []
    var nextID: UInt64 = 0
    var watchers: [UInt64: Watcher] = [:]
  }

  private struct Watcher {
    let count: Int
    /// Is given whether so much has happened.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Locked(State())

  /// Nothing has happened yet.
  public init() {}

  /// What happened so far.
  public var lines: [String] { state.withLock { $0.lines } }

  /// Something happens.
  public func add(_ line: String) {
    let ready = state.withLock { state in
      state.lines.append(line)
      let count = state.lines.count
      let ready = state.watchers.filter { $0.value.count <= count }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values.map(\.continuation)
    }
    for watcher in ready { watcher.resume(returning: true) }
  }

  /// Returns as soon as at least so much has happened, or the own task is cancelled.
  ///
  /// - Parameters:
  ///   - count: How many lines.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func lines(
    atLeast count: Int, fileID: String = #fileID, line: Int = #line
  ) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isMet = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isThere = state.withLock { state in
          if state.lines.count >= count { return true }
          state.watchers[id] = Watcher(count: count, continuation: continuation)
          return false
        }
        if isThere { continuation.resume(returning: true) }
        // The handler may have run before the watcher was there.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
    guard !isMet else { return }
    UnmetWait.ended(fileID, line, until: "there were at least \(count) lines", found: found)
  }

  /// What happened last, as a sentence.
  private var found: String {
    let lines = lines
    guard !lines.isEmpty else { return "There were none." }
    let words = lines.suffix(5).map { String($0.prefix(200)) }.joined(separator: ", ")
    return "There were \(lines.count), the last ones: \(words)."
  }

  private func leave(_ id: UInt64) {
    state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(returning: false)
  }
}
