// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Mainstay
import MainstayDashboard
import MainstayOutbox

/// An order that the other side refuses.
struct Order: QueuedOperation {
  static let kind: OperationKind = "send-order"
  var number: Int
}

/// An invoice that waits for its day.
struct Invoice: QueuedOperation {
  static let kind: OperationKind = "print-invoice"
  var number: Int
}

/// What the dashboard shows, each part in a state that is worth a look.
struct Service: Sendable {
  let outbox: Outbox
  private let errors = ErrorMonitor()
  private let tally = PolicyTally()
  private let breakers: [CircuitBreaker]
  private let isolation: CircuitBreaker.Isolation
  private let connectivity = ConnectivityMonitor()
  private let levels = DegradationController(.standard)

  init(letters: Int, folder: URL?) async throws {
    let store: any OutboxStore =
      folder.map { SQLiteStore(at: $0.appending(path: "outbox.sqlite")) } ?? InMemoryStore()
    outbox = try await Self.open(store)
    breakers = ["catalog", "payments", "search"].map { [tally] in
      CircuitBreaker($0, observer: tally)
    }
    isolation = breakers[2].isolate()
    breakers[0].open(for: .seconds(600))
    for _ in 0..<7 { _ = try? await breakers[0].run {} }
    try await fill(letters)
    capture()
  }

  private static func open(_ store: some OutboxStore) async throws -> Outbox {
    try await Outbox(store: store) {
      Worker(for: Order.self) { order, _ in
        throw AppError(
          code: order.number % 3 == 0 ? "order.address-unknown" : "order.not-in-stock",
          kind: .validation, disposition: .permanent, title: "Refused",
          message: order.number % 3 == 0
            ? "The address is not known to the carrier." : "Not enough of it is in stock.")
      }
      Worker(for: Invoice.self) { _, _ in }
    }
  }

  private func fill(_ letters: Int) async throws {
    for start in stride(from: 0, to: letters, by: 500) {
      let orders = (start..<min(start + 500, letters)).map(Order.init(number:))
      try await outbox.enqueue(contentsOf: orders) { order in
        EnqueueOptions(lane: order.number % 5 == 0 ? "express" : nil)
      }
    }
    if letters > 0 { for await now in outbox.changes where now.dead >= letters { break } }
    for number in 0..<12 {
      var options = EnqueueOptions(orderedBy: "customer \(number % 4)")
      options.delay = .seconds(3_600 * (number + 1))
      try await outbox.enqueue(Invoice(number: number), options: options)
    }
  }

  private func capture() {
    for _ in 0..<4 { errors.capture(AppError.Network.offline, during: "Load the catalog") }
    for number in 0..<9 {
      let error = AppError(
        code: "payment.declined", kind: .validation, disposition: .permanent, title: "Declined",
        message: "The bank declined the payment.")
      errors.capture(error, during: "Pay order \(number % 2)")
      errors.recordRecovery(from: error, succeeded: number % 3 == 0, during: "Pay again")
    }
    connectivity.record(.delivered)
    connectivity.record(.failed(.timeout))
    levels.report(.network, isMet: false)
  }

  var dashboard: Dashboard {
    var dashboard = Dashboard()
    dashboard.outboxes = ["orders": outbox]
    dashboard.errors = errors
    dashboard.connectivity = connectivity
    dashboard.levels = levels
    dashboard.breakers = breakers
    dashboard.tally = tally
    let good = Pipeline("catalog") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 3)
      breakers[0]
      Timeout(.seconds(5))
    }
    let odd = Pipeline("payments") {
      breakers[1]
      Retry(maximumAttempts: 4)
    }
    dashboard.pipelines = [good.explain(), odd.explain()]
    return dashboard
  }

  /// What a test can make happen.
  func addHappenings(to router: Router<VisitContext>) {
    router.get("happen/memory") { _, _ -> String in
      let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      return text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }.map(String.init) ?? ""
    }
    router.post("happen/order") { [outbox] _, _ -> HTTPResponse.Status in
      try await outbox.enqueue(Order(number: 1))
      return .noContent
    }
    router.post("happen/invoice") { [outbox] _, _ -> HTTPResponse.Status in
      let options = EnqueueOptions(delay: .seconds(60))
      try await outbox.enqueue(Invoice(number: 99), options: options)
      return .noContent
    }
    router.post("happen/error") { [errors] _, _ -> HTTPResponse.Status in
      errors.capture(AppError.Network.offline, during: "Load the catalog")
      return .noContent
    }
    router.post("happen/circuit") { [breakers] _, _ -> HTTPResponse.Status in
      breakers[1].open()
      return .noContent
    }
  }
}
