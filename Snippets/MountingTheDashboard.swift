// SPDX-License-Identifier: Apache-2.0
// The examples of MainstayDashboard.

import Foundation
import HTTPTypes
import Hummingbird
import Mainstay
import MainstayDashboard
import MainstayOutbox
import NIOCore

let outbox = try await Outbox(store: InMemoryStore()) {}
let monitor = ErrorMonitor()
let levels = DegradationController(.standard)
let account: @Sendable (HTTPRequest) async -> String? = { _ in "ada" }
let isOnCall: @Sendable (String) -> Bool = { $0 == "ada" }
let isOperator: @Sendable (String) -> Bool = { $0 == "Basic b3BlcmF0b3I6c2VjcmV0" }

// snippet.show
struct VisitContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}

let router = Router(context: VisitContext.self)
var dashboard = Dashboard()
dashboard.outboxes = ["orders": outbox]
dashboard.errors = monitor
dashboard.mount(on: router, at: "mainstay")
// snippet.end

// snippet.show
let tally = PolicyTally()
let breaker = CircuitBreaker("catalog", observer: tally)
let catalog = Pipeline("catalog", observer: tally) {
  Deadline(.seconds(30))
  Retry(maximumAttempts: 3, observer: tally)
  breaker
}
dashboard.breakers = [breaker]
dashboard.pipelines = [catalog.explain()]
dashboard.tally = tally
dashboard.levels = levels
// snippet.end

// snippet.show
var guarded = Dashboard(authenticator: { head in
  head.headerFields[.authorization].map(isOperator) ?? false
})
guarded.challenge = #"Basic realm="Operations""#
guarded.isReadOnly = true
guarded.mount(on: router, at: "operations")
// snippet.end

// snippet.show
var named = Dashboard(visitor: { head in
  guard let name = await account(head) else { return nil }
  return Dashboard.Visitor(name, role: isOnCall(name) ? .acts : .looks)
})
named.challenge = #"Basic realm="Operations""#
named.mount(on: router, at: "team")
