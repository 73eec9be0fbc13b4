// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Who looks at a dashboard that knows its visitors, and who may do what.
@Suite(.ends(withinMinutes: 2)) struct VisitorTests {
  private static let dead = "/mainstay/outboxes/orders/dead"
  private static let circuits = "/mainstay/circuits"

  /// Who sends the next requests.
  private final class Door: Sendable {
    private let state = Locked<Dashboard.Visitor?>(nil)

    var visitor: Dashboard.Visitor? { state.withLock { $0 } }

    func open(for visitor: Dashboard.Visitor?) { state.withLock { $0 = visitor } }
  }

  private let door = Door()
  private let log = Log()

  private func dashboard(_ outbox: Outbox) -> Dashboard {
    var dashboard = Dashboard(
      visitor: { [door] _ in door.visitor }, logger: log.logger(), clock: ManualClock())
    dashboard.outboxes = ["orders": outbox]
    dashboard.breakers = [CircuitBreaker("catalog")]
    return dashboard
  }

  @Test func `whoever acts stands on the page, and in the log with what was done`() async throws {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    try await serve(dashboard(outbox)) { client in
      door.open(for: Dashboard.Visitor("ada"))
      let visitor = try await Visitor(client)
      #expect(visitor.page.contains("<bdi>ada</bdi>"))
      let forms = [
        ("\(Self.dead)/discard", id), ("\(Self.circuits)/isolate", "catalog"),
        ("/mainstay/outboxes/orders/kinds/pause", "order"),
      ]
      for (path, id) in forms {
        let done = try await visitor.post(path, [("id", id), ("confirmed", "yes")])
        #expect(done.status == .seeOther, "\(path)")
      }
    }
    let by = " visitor=ada"
    #expect(log.lines.count == 3 && log.lines.allSatisfy { $0.hasSuffix(by) }, "\(log.lines)")
    await outbox.shutDown()
  }

  @Test func `who may only look finds no action, and is refused where one is tried`() async throws {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    try await serve(dashboard(outbox)) { client in
      door.open(for: Dashboard.Visitor("eve", role: .looks))
      var visitor = try await Visitor(client)
      let pages = [
        "/mainstay", Self.dead, Self.circuits, "/mainstay/outboxes/orders",
        "/mainstay/outboxes/orders/operations/\(id)",
      ]
      for path in pages {
        let page = try await visitor.get(path)
        #expect(page.status == .ok, "\(path)")
        #expect(!page.text.contains("method=\"post\""), "\(path)")
        #expect(page.text.contains("eve, who may only look"), "\(path)")
      }
      // With a token that is right: the page of somebody who acts had it in the same browser.
      door.open(for: Dashboard.Visitor("ada"))
      visitor = try await Visitor(client)
      door.open(for: Dashboard.Visitor("eve", role: .looks))
      for path in ["\(Self.dead)/discard", "\(Self.dead)/redrive", "\(Self.circuits)/isolate"] {
        let form = [("id", path.contains("circuits") ? "catalog" : id), ("confirmed", "yes")]
        let refused = try await visitor.post(path, form)
        #expect(refused.status == .forbidden, "\(path)")
        #expect(refused.text.contains("change nothing"), "\(path)")
      }
      #expect(try await outbox.snapshot().dead == 1)
    }
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains("refusal=mayOnlyLook untold=0 visitor=eve") == true)
    await outbox.shutDown()
  }

  @Test func `who is nobody is refused, and reads no names`() async throws {
    let outbox = try await brokenOutbox([])
    try await serve(dashboard(outbox)) { client in
      let answer = try await client.execute(uri: Self.dead, method: .get, headers: Visitor.host)
      #expect(answer.status == .forbidden)
      #expect(!answer.text.contains("orders") && !answer.text.contains("class=\"visitor\""))
    }
    #expect(log.lines.first?.contains("refusal=notAuthenticated") == true)
    await outbox.shutDown()
  }

  @Test func `on a dashboard for looking only nobody acts, whatever their role`() async throws {
    let outbox = try await brokenOutbox(["a"])
    var dashboard = dashboard(outbox)
    dashboard.isReadOnly = true
    try await serve(dashboard) { client in
      door.open(for: Dashboard.Visitor("ada", role: .acts))
      let visitor = try await Visitor(client)
      #expect(!visitor.page.contains("method=\"post\""))
      let form = [("all", "yes"), ("confirmed", "yes")]
      #expect(try await visitor.post("\(Self.dead)/discard", form).status == .notFound)
    }
    await outbox.shutDown()
  }
}
