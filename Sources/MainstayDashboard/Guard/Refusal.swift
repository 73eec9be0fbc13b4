// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Logging
internal import Mainstay
internal import MainstayServer
internal import Metrics
internal import NIOCore

/// Why a request is not answered.
enum Refusal: String, Error, CaseIterable {
  case foreignPeer, foreignHost, notAuthenticated, foreignOrigin, badToken, badForm, tooLarge
  case mayOnlyLook, tooSlow, answeredAlready, unknownPage, wrongMethod, tooManyStreams, unreadStream

  /// Whether whoever is refused may not see the dashboard at all, nor what it is about.
  var isAtTheGate: Bool {
    switch self {
    case .foreignPeer, .foreignHost, .notAuthenticated: true
    default: false
    }
  }

  var status: HTTPResponse.Status {
    switch self {
    case .foreignPeer, .foreignHost, .notAuthenticated, .foreignOrigin, .badToken, .mayOnlyLook:
      .forbidden
    case .badForm: .unprocessableContent
    case .tooLarge: .contentTooLarge
    case .tooSlow, .unreadStream: .requestTimeout
    case .answeredAlready: .conflict
    case .unknownPage: .notFound
    case .wrongMethod: .methodNotAllowed
    case .tooManyStreams: .serviceUnavailable
    }
  }

  /// What the person who asked is told.
  var words: String {
    switch self {
    case .foreignPeer: "This dashboard answers only on the machine that it runs on."
    case .foreignHost: "This dashboard does not answer to that name."
    case .notAuthenticated: "You are not allowed to see this dashboard."
    case .mayOnlyLook: "You may look at this dashboard, and change nothing."
    case .foreignOrigin: "The form was sent from another site."
    case .badToken: "The form is out of date. Go back, reload the page and try again."
    case .badForm: "The form cannot be read."
    case .tooLarge: "The form is too large."
    case .tooSlow: "The form took too long to arrive."
    case .answeredAlready: "This question was answered already. Look again at what is left."
    case .wrongMethod: "This page does not take such a request."
    case .tooManyStreams: "Too many pages listen to this dashboard already. Try again later."
    case .unreadStream: "The stream of changes was not read."
    case .unknownPage: "There is no such page, or what it showed is gone."
    }
  }
}

/// A path was asked in a way that it does not take: the refusal that names the others.
struct WrongMethod: Error {
  let allowed: [HTTPRequest.Method]
}

/// Counts refusals, and tells of them, each kind at most once in a minute.
struct RefusalLog: Sendable {
  private let log: SparingLog<Refusal>
  private let counters: [Refusal: Counter]

  init(_ logger: Logger, _ timeline: Timeline) {
    log = SparingLog(logger, timeline)
    let all = Refusal.allCases.map { refusal in
      let dimensions = [("refusal", refusal.rawValue)]
      return (refusal, Counter(label: "mainstay.dashboard.refused", dimensions: dimensions))
    }
    counters = Dictionary(uniqueKeysWithValues: all)
  }

  func add(_ refusal: Refusal, _ head: HTTPRequest, from peer: SocketAddress?) {
    counters[refusal]?.increment()
    var metadata: Logger.Metadata = [
      "refusal": "\(refusal.rawValue)", "peer": "\(Visit.peer(peer))",
      "path": "\(Visit.path(head.path ?? ""))",
    ]
    metadata["visitor"] = CurrentVisitor.visitor.map { "\($0.name)" }
    log.add(refusal, "A request to the dashboard was refused.", metadata)
  }
}
