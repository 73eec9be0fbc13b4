// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// What a service knows of the requests that it got.
package struct LedgerBook: Sendable, Codable {
  /// A change that had its effect.
  package struct Entry: Sendable, Hashable, Codable {
    package let key: String
    package let account: String
    package let number: Int

    package init(key: String, account: String, number: Int) {
      self.key = key
      self.account = account
      self.number = number
    }
  }

  /// What was applied, in order; each key once.
  package internal(set) var entries: [Entry] = []
  /// Every run that arrived whole, as `key/run`.
  package internal(set) var arrivals: [String] = []
  /// Every key that was asked about.
  package internal(set) var questions: [String] = []
  /// How many clients have gone before they were answered.
  package internal(set) var departures = 0
  /// How many answers were sent after whoever waited for them had gone.
  package internal(set) var lateAnswers = 0
  /// How many probes came.
  package internal(set) var probes = 0

  package init() {}
}

extension LedgerBook {
  /// What an account has, in the order in which it was applied.
  package func numbers(of account: String) -> [Int] {
    entries.filter { $0.account == account }.map(\.number)
  }
}

/// How a service behaves; a test changes it at any time.
package enum LedgerManner: String, Sendable, CaseIterable {
  /// It answers.
  case answers
  /// It does what it is asked to, and keeps its answers back until its manner changes.
  case holds
  /// It sends everybody to a page to sign in, by a redirection.
  case redirects
  /// It answers with a page to sign in.
  case page
}

/// A service that applies changes, each key once, and keeps a book.
///
/// | Request | Answer |
/// |---|---|
/// | `PUT /changes/{key}` with `Account`, `Number` and `Run` | 200 and `applied` or `known` |
/// | `GET /changes/{key}` | 200 and `applied` or `unknown` |
/// | `GET /alive` | 204 with `Probe-Nonce` |
/// | `PUT /manner/{manner}` | 204, whatever the manner |
/// | `GET /book` | 200 and the book as JSON, whatever the manner |
final class Ledger: Sendable {
  struct Request: Sendable {
    let method: String
    let path: [String]
    let headers: [String: String]
  }

  struct Answer: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body = Data()

    init(_ status: Int, _ headers: [(String, String)] = [], _ text: String = "") {
      self.status = status
      self.headers = headers
      body = Data(text.utf8)
    }
  }

  fileprivate struct State {
    var book = LedgerBook()
    var keys: Set<String> = []
    var manner = LedgerManner.answers
    var held: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  var book: LedgerBook { state.withLock { $0.book } }

  /// Behaves otherwise from now on; what was held is let go.
  func set(_ manner: LedgerManner) {
    let held = state.withLock { state in
      state.manner = manner
      guard manner != .holds else { return [@Sendable () -> Void]() }
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer() }
  }

  func departed() { state.withLock { $0.book.departures += 1 } }

  func answeredLate() { state.withLock { $0.book.lateAnswers += 1 } }

  /// Does what a request asks for, and answers now or later.
  func perform(_ request: Request, _ answer: @escaping @Sendable (Answer) -> Void) {
    if let control = control(request) { return answer(control) }
    let reply = state.withLock { state -> Answer? in
      switch state.manner {
      case .redirects: return Answer(302, [("Location", "http://10.9.0.2/login")])
      case .page:
        return Answer(200, [("Content-Type", "text/html")], "<html>Sign in to our network</html>")
      case .answers: return state.apply(request)
      case .holds:
        let reply = state.apply(request)
        state.held.append { answer(reply) }
        return nil
      }
    }
    if let reply { answer(reply) }
  }

  /// What tests ask for.
  private func control(_ request: Request) -> Answer? {
    switch (request.method, request.path.first) {
    case ("PUT", "manner"):
      guard let manner = request.path.last.flatMap(LedgerManner.init) else { return Answer(400) }
      set(manner)
      return Answer(204)
    case ("GET", "book"):
      var answer = Answer(200, [("Content-Type", "application/json")])
      answer.body = (try? JSONEncoder().encode(book)) ?? Data()
      return answer
    default: return nil
    }
  }
}

extension Ledger.State {
  fileprivate mutating func apply(_ request: Ledger.Request) -> Ledger.Answer {
    switch (request.method, request.path.first, request.path.last) {
    case ("PUT", "changes", let key?):
      book.arrivals.append("\(key)/\(request.headers["run"] ?? "")")
      guard keys.insert(key).inserted else { return Ledger.Answer(200, [], "known") }
      book.entries.append(
        LedgerBook.Entry(
          key: key, account: request.headers["account"] ?? "",
          number: request.headers["number"].flatMap { Int($0) } ?? -1))
      return Ledger.Answer(200, [], "applied")
    case ("GET", "changes", let key?):
      book.questions.append(key)
      return Ledger.Answer(200, [], keys.contains(key) ? "applied" : "unknown")
    case ("GET", "alive", _):
      book.probes += 1
      return Ledger.Answer(204, [("Probe-Nonce", request.headers["probe-nonce"] ?? "")])
    default: return Ledger.Answer(404)
    }
  }
}
