// SPDX-License-Identifier: Apache-2.0
// The guide for who writes a service: a test runs this with a database, sends it what the page
// sends, and compares the answers.

// snippet.imports
import AsyncHTTPClient
import Configuration
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Mainstay
import MainstayAsyncHTTPClient
import MainstayConfiguration
import MainstayDashboard
import MainstayHTTP
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayServer
import Metrics
import NIOCore
import ServiceLifecycle
// snippet.hide

// snippet.stock
/// Stands for the service that knows what is in stock: it cannot be reached twice, then answers.
actor Stock {
  private var failures = 2

  func has(_ book: String) throws -> Bool {
    if failures > 0 {
      failures -= 1
      throw HTTPClientError.connectTimeout  // as its client says it, which knows no AppError
    }
    return book != "Cardenio"
  }
}
// snippet.hide

/// Stands for a backend of metrics: it adds up counters, in the order in which they come.
struct Counts: MetricsFactory {
  private final class Line: CounterHandler {
    let line: String
    let lines: AsyncStream<(line: String, count: Int64)>.Continuation

    init(_ line: String, _ lines: AsyncStream<(line: String, count: Int64)>.Continuation) {
      (self.line, self.lines) = (line, lines)
    }

    func increment(by amount: Int64) { lines.yield((line, amount)) }
    func reset() {}
  }

  actor Totals {
    private var totals: [String: Int64] = [:]

    func follow(_ lines: AsyncStream<(line: String, count: Int64)>) async {
      for await (line, count) in lines { totals[line, default: 0] += count }
    }

    var text: String { totals.map { "\($0.key) \($0.value)\n" }.sorted().joined() }
  }

  let totals = Totals()
  private let lines: AsyncStream<(line: String, count: Int64)>.Continuation

  init() {
    let (stream, lines) = AsyncStream.makeStream(of: (line: String, count: Int64).self)
    self.lines = lines
    Task { [totals] in await totals.follow(stream) }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let labels = dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    return Line("\(label){\(labels)}", lines)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

// snippet.errors
enum OrderError: AppErrorConvertible {
  case soldOut(book: String)

  var appError: AppError {
    switch self {
    case .soldOut(let book):
      AppError(
        code: "orders.sold-out", kind: .conflict, disposition: .permanent,
        title: "This book is sold out", message: "“\(book)” is not in stock any more.",
        suggestion: "Choose another edition.")
    }
  }
}
// snippet.hide

// snippet.classified
let soldOut = AppError.from(OrderError.soldOut(book: "Cardenio"))
print(soldOut.title.string(), "/", soldOut.kind, "/", soldOut.disposition)
// snippet.hide

// snippet.pipeline
let config = ConfigReader(provider: EnvironmentVariablesProvider())
let breaker = CircuitBreaker("stock", .consecutiveFailures(5), breakFor: .seconds(5))
let stock = Stock()
let stockCalls = Pipeline("stock") {
  Deadline(.seconds(3))
  Retry(maximumAttempts: 3, backoff: .exponential(from: .milliseconds(20), to: .seconds(1)))
  breaker
  Timeout(.seconds(1))
}
// snippet.hide

// snippet.mapping
ErrorMapping.bootstrap(
  .standard.addingHTTPErrors().addingAsyncHTTPClientErrors().addingDatabaseErrors())
// snippet.hide

// snippet.trial
let trial = Stock()
print("in stock after two failures:", try await stockCalls.run { try await trial.has("Emma") })
// snippet.hide

// snippet.observers
let counts = Counts()
MetricsSystem.bootstrap(counts)
PolicyObservation.bootstrap(PolicyObservers(PolicyLogger(), PolicyMetrics()))
// snippet.hide

// snippet.start
/// Gives what the program cannot start without; where that fails, it says why and ends.
@MainActor func require<T>(_ open: () async throws -> T) async -> T {
  do {
    return try await open()
  } catch {
    FileHandle.standardError.write(Data("orders: \(error)\n".utf8))
    exit(1)
  }
}
// snippet.hide

// snippet.outbox
struct Order: QueuedOperation {
  static let kind: OperationKind = "order"
  var book: String
}

let address = await require {
  try PostgresAddress(config.requiredString(forKey: "database.url", isSecret: true))
}
let outbox = await require {
  try await Outbox(store: PostgresStore(at: address)) {
    Worker(for: Order.self) { order, context in
      context.logger.info(
        "The warehouse is told of an order.",
        metadata: ["book": "\(order.book)", "key": "\(context.idempotencyKey)"])
    }
  }
}
// snippet.hide

/// What a service without PostgreSQL has in place of `address`, `outbox` and `answers`.
@MainActor func keepInOneProcess() async -> (Outbox, some IdempotencyStore) {
  // snippet.file
  let outbox = await require {
    try await Outbox(at: URL(filePath: "orders.sqlite")) {
      Worker(for: Order.self) { order, context in
        context.logger.info(
          "The warehouse is told of an order.",
          metadata: ["book": "\(order.book)", "key": "\(context.idempotencyKey)"])
      }
    }
  }
  // snippet.hide
  let answers = InMemoryIdempotencyStore()
  return (outbox, answers)
}

// snippet.router
struct VisitContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}
// snippet.hide

// snippet.operations
let router = Router(context: VisitContext.self)
let health = Health([Health.Check("database") { _ = try await outbox.snapshot() }])
router.addHealth(health)
router.get("metrics") { _, _ in await counts.totals.text }

let monitor = ErrorMonitor(sinks: [ErrorReport.LogSink()])
var dashboard = Dashboard()
dashboard.outboxes = ["orders": outbox]
dashboard.errors = monitor
dashboard.breakers = [breaker]
dashboard.mount(on: router, at: "mainstay")
// snippet.hide

// snippet.middleware
let answers = PostgresIdempotencyStore(at: address)
await require { try await answers.open() }
// Who may call, by the token that each was given: yours come from where accounts are kept.
let accounts = ["Bearer 7f3a": "ada"]
router.addMiddleware {
  RequestMetricsMiddleware()
  ProblemMiddleware(reportingTo: monitor)
  LoadSheddingMiddleware(LoadShedding(Bulkhead("requests", limit: 200, queue: 100)))
  DeadlineMiddleware(.seconds(10))
  // The account, and not what it was shown with: a token is renewed.
  IdempotencyMiddleware(answers) { request, _ in
    request.headers[.authorization].flatMap { accounts[$0] }
  }
}
// snippet.hide

// snippet.route
router.post("orders") { request, context in
  let order = try await request.decode(as: Order.self, context: context)
  guard try await stockCalls.run({ try await stock.has(order.book) }) else {
    throw OrderError.soldOut(book: order.book)
  }
  // A repetition that has to be handled again is the same order.
  try await outbox.enqueue(order, options: EnqueueOptions(idempotencyKey: IdempotencyKey.current))
  return HTTPResponse.Status.accepted
}
// snippet.hide

// snippet.main
let port = config.int(forKey: "port", default: 8080)
let server = Application(
  router: router, server: .http1(configuration: ConnectionLimits().configuration),
  configuration: .init(address: .hostname("127.0.0.1", port: port)),
  onServerRunning: { channel in
    let line = "listens on http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  })
var services = ServiceGroupConfiguration(
  services: [
    LiveSettings(config).applying("breakers.stock", to: breaker),
    ErrorMonitorService(monitor), OutboxService(outbox), server,
    HealthService(health, pausing: [outbox]),
  ], gracefulShutdownSignals: [.sigterm, .sigint], logger: server.logger)
services.maximumGracefulShutdownDuration = .seconds(15)
await require { try await ServiceGroup(configuration: services).run() }
await answers.close()
// snippet.hide
