// SPDX-License-Identifier: Apache-2.0
// The example on the front page of MainstayServer.

import Foundation
import HTTPTypes
import Hummingbird
import Mainstay
import MainstayOutbox
import MainstayServer
import ServiceLifecycle

struct Order: QueuedOperation {
  static let kind: OperationKind = "order"
  var book: String
}

/// What is known of a request; the middleware that signs callers in sets the account.
struct CallContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var account: String?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

let monitor = ErrorMonitor(sinks: [ErrorReport.LogSink()])
let file = FileManager.default.temporaryDirectory.appending(path: "orders.sqlite")
let outbox = try await Outbox(at: file) {
  Worker(for: Order.self) { order, _ in print("ordered \(order.book)") }
}

// snippet.show
let health = Health([
  Health.Check("outbox") { _ = try await outbox.snapshot() }
])
let router = Router(context: CallContext.self)
router.addHealth(health)
router.addMiddleware {
  RequestMetricsMiddleware()
  ProblemMiddleware(reportingTo: monitor)
  LoadSheddingMiddleware(LoadShedding(Bulkhead("requests", limit: 200, queue: 100)))
  DeadlineMiddleware(.seconds(10))
  // Who has signed in, and not what it was shown with: a token is renewed.
  IdempotencyMiddleware(InMemoryIdempotencyStore()) { _, context in context.account }
}
router.post("orders") { request, context in
  let order = try await request.decode(as: Order.self, context: context)
  // A repetition that has to be handled again is the same order.
  try await outbox.enqueue(order, options: EnqueueOptions(idempotencyKey: IdempotencyKey.current))
  return HTTPResponse.Status.accepted
}
let server = Application(
  router: router, server: .http1(configuration: ConnectionLimits().configuration))
var services = ServiceGroupConfiguration(
  services: [
    ErrorMonitorService(monitor), OutboxService(outbox), server,
    HealthService(health, pausing: [outbox]),
  ], gracefulShutdownSignals: [.sigterm, .sigint], logger: server.logger)
// One answer that goes on and on would keep all the others from their end.
services.maximumGracefulShutdownDuration = .seconds(15)
try await ServiceGroup(configuration: services).run()
