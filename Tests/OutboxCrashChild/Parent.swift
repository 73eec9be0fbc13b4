// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay

/// The process that has started this one, at the other end of a socket, the standard input.
///
/// What it was told it knows, in order, also where this process is killed at the next moment.
final class Parent: Sendable {
  private struct State {
    var questions = 0
    var waiting: [String: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state = Locked(State())

  /// Begins to listen to its answers.
  init() {
    Thread.detachNewThread { [self] in listen() }
  }

  private func listen() {
    var answers = WordReader(STDIN_FILENO)
    while let words = answers.next() {
      let question = state.withLock { $0.waiting.removeValue(forKey: words.first ?? "") }
      question?.resume(returning: words.last == "yes")
    }
    // It has gone, and nobody counts any more what this process does.
    exit(4)
  }

  /// Tells it something.
  func tell(_ what: String, _ words: [String] = []) {
    state.withLock { _ in Self.send([what] + words) }
  }

  /// Asks it something, and waits for the answer.
  func ask(_ what: String, _ words: [String] = []) async -> Bool {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.questions += 1
        let number = String(state.questions)
        state.waiting[number] = continuation
        Self.send([what, number] + words)
      }
    }
  }

  private static func send(_ words: [String]) {
    let line = Array((words.joined(separator: " ") + "\n").utf8)
    guard write(STDIN_FILENO, line, line.count) == line.count else { exit(4) }
  }
}
