// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@testable import MainstayHTTP

@Suite(.requirement("D14", "D18")) struct ServiceStatusStateMachineTests {
  typealias Verdict = ServiceStatusStateMachine.Verdict

  private func machine(_ status: ConnectionStatus = .connected) -> ServiceStatusStateMachine {
    ServiceStatusStateMachine(.init(), initially: status)
  }

  @Test(
    arguments: [
      (Verdict.answered, ConnectionStatus.connected), (.unreachable, .failed),
      (.offline, .disconnected), (.slow, .reconnecting),
    ])
  func `each ending of a call has its status, whatever was before`(
    _ verdict: Verdict, _ status: ConnectionStatus
  ) {
    for before in ConnectionStatus.allCases where !(verdict == .slow && before == .failed) {
      var machine = machine(before)
      machine.record(verdict, of: 0, now: .zero)
      #expect(machine.status(now: .zero) == status, "after \(before)")
    }
  }

  @Test(.requirement("T15"), arguments: ConnectionStatus.allCases)
  func `what makes no sense leaves the status as it is`(_ before: ConnectionStatus) {
    var machine = machine(before)
    machine.record(.nothing, of: 0, now: .zero)
    #expect(machine.status(now: .zero) == before)
    #expect(machine.changes == 0)
  }

  @Test(.requirement("T15")) func `what is too slow several times in a row has failed`() {
    var machine = machine()
    for now in 1...2 {
      machine.record(.slow, of: 0, now: .seconds(now))
      #expect(machine.status(now: .seconds(now)) == .reconnecting)
    }
    machine.record(.slow, of: 0, now: .seconds(3))
    #expect(machine.status(now: .seconds(3)) == .failed)
    machine.record(.slow, of: 0, now: .seconds(4))
    #expect(machine.status(now: .seconds(4)) == .failed)
    machine.record(.answered, of: 0, now: .seconds(5))
    machine.record(.slow, of: 0, now: .seconds(6))
    #expect(machine.status(now: .seconds(6)) == .reconnecting)
  }

  @Test(.requirement("T15")) func `reconnecting ends by itself`() {
    var machine = machine()
    machine.record(.slow, of: 0, now: .seconds(10))
    machine.record(.slow, of: 0, now: .seconds(30))
    #expect(machine.status(now: .seconds(69)) == .reconnecting)
    #expect(machine.status(now: .seconds(70)) == .failed)
    machine.record(.slow, of: 0, now: .seconds(80))
    #expect(machine.status(now: .seconds(80)) == .failed)
  }

  @Test(.requirement("T15")) func `what reconnects for too long has failed once, and wakes nobody`()
  {
    var machine = machine()
    machine.record(.slow, of: 0, now: .seconds(10))
    #expect(machine.due == .seconds(70))
    machine.expire(now: .seconds(69))
    #expect(machine.status(now: .seconds(69)) == .reconnecting)
    machine.expire(now: .seconds(70))
    #expect(machine.due == nil)
    #expect(machine.status(now: .zero) == .failed)
    #expect(machine.changes == 2)
  }

  @Test(.requirement("T15")) func `an answer begins the count and the time of slow calls anew`() {
    var machine = machine()
    machine.record(.slow, of: 0, now: .seconds(10))
    machine.record(.answered, of: 0, now: .seconds(20))
    for now in [65, 75] {
      machine.record(.slow, of: 0, now: .seconds(now))
      #expect(machine.status(now: .seconds(now)) == .reconnecting)
    }
    #expect(machine.due == .seconds(125))
  }

  @Test(.requirement("T16")) func `slow calls of an older connection do not count for a new one`() {
    var machine = machine()
    for _ in 1...2 { machine.record(.slow, of: 0, now: .zero) }
    machine.reconnect(now: .zero)
    for _ in 1...2 {
      machine.record(.slow, of: 1, now: .zero)
      #expect(machine.status(now: .zero) == .reconnecting)
    }
    machine.record(.slow, of: 1, now: .zero)
    #expect(machine.status(now: .zero) == .failed)
  }

  @Test(.requirement("T15"), arguments: ConnectionStatus.allCases)
  func `what a client says of itself counts, and its reconnecting only for a while`(
    _ status: ConnectionStatus
  ) {
    var machine = machine(.failed)
    machine.adopt(status, now: .seconds(10))
    #expect(machine.status(now: .seconds(10)) == status)
    guard status == .reconnecting else { return #expect(machine.due == nil) }
    #expect(machine.due == .seconds(70))
    // Saying it again gives it no more time.
    machine.adopt(.reconnecting, now: .seconds(69))
    #expect(machine.due == .seconds(70))
    machine.adopt(.reconnecting, now: .seconds(70))
    #expect(machine.due == nil)
    #expect(machine.status(now: .zero) == .failed)
    machine.adopt(.connected, now: .seconds(71))
    machine.adopt(.reconnecting, now: .seconds(80))
    #expect(machine.status(now: .seconds(139)) == .reconnecting)
  }

  @Test(.requirement("T16")) func `calls of an older connection say nothing about the new one`() {
    var machine = machine(.failed)
    machine.reconnect(now: .zero)
    #expect(machine.status(now: .zero) == .reconnecting)
    machine.record(.answered, of: 0, now: .zero)
    machine.record(.unreachable, of: 0, now: .zero)
    #expect(machine.status(now: .zero) == .reconnecting)
    #expect(machine.status(now: .seconds(60)) == .failed)
    machine.record(.answered, of: 1, now: .zero)
    #expect(machine.status(now: .zero) == .connected)
    #expect(machine.connection == 1)
    #expect(machine.changes == 2)
  }

  @Test func `what is no change is told to nobody`() {
    var machine = machine(.disconnected)
    machine.record(.answered, of: 0, now: .zero)
    machine.record(.answered, of: 0, now: .zero)
    #expect(machine.changes == 1)
  }

  @Test(
    .requirement("D18"),
    arguments: [
      (AppError.Network.timeout.appError, Verdict.slow),
      (AppError.Network.offline.appError, .offline),
      (.portal(), .unreachable), (.http(status: 503, isRepeatable: true), .answered),
      (.http(status: 404), .answered),
      (AppError.Network.invalidResponse.appError, .nothing),
      (Rejection(policy: "a", reason: .circuitOpen).appError, .nothing),
      (AppError.portal().adding(metadata: ["jsonrpc.code": "2003"]), .unreachable),
      (
        AppError.Service.provider(code: "2003", message: "").appError
          .adding(metadata: ["jsonrpc.code": "2003"]), .answered
      ), (.cancelled(), .nothing), (.unauthorized(), .nothing),
      // Nobody has asked the service, whatever it said before.
      (
        Rejection(policy: "a", reason: .circuitOpen).appError
          .adding(metadata: ["http.status": "503"]), .nothing
      ),
    ])
  func `an error says what it does about the connection`(
    _ error: AppError, _ verdict: ServiceStatusStateMachine.Verdict
  ) {
    #expect(ServiceStatusStateMachine.Verdict(of: error) == verdict)
  }
}
