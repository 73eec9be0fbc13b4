// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import Testing

/// What is said about kinds whose runs fail for want of the service.
@Suite struct StallStateMachineTests {
  private let lane: Lane = "notes"
  private let kind: OperationKind = "note"

  @Test func `the beginning and the end are told, and no failure between them`() {
    var machine = StallStateMachine(patience: .seconds(900))
    #expect(machine.failed(kind, in: lane, at: .zero) == .began)
    #expect(machine.failed(kind, in: lane, at: .seconds(899)) == nil)
    #expect(machine.failed(kind, in: "other", at: .seconds(899)) == .began)
    #expect(machine.worked(kind, in: lane, at: .seconds(899)) == .seconds(899))
    #expect(machine.worked(kind, in: lane, at: .seconds(900)) == nil)
  }

  @Test func `that it lasts is told after the patience, and then less and less often`() {
    var machine = StallStateMachine(patience: .seconds(900))
    let told = stride(from: 0, through: 7200, by: 60).compactMap { second -> Int? in
      let news = machine.failed(kind, in: lane, at: .seconds(second))
      return news == .lasts(.seconds(second)) ? second : nil
    }
    #expect(told == [900, 1800, 3600, 7200])
  }

  @Test func `a service that comes and goes is told once within the patience`() {
    var machine = StallStateMachine(patience: .seconds(900))
    var told = 0
    for second in 0..<600 {
      if machine.failed(kind, in: lane, at: .seconds(second)) != nil { told += 1 }
      if machine.worked(kind, in: lane, at: .seconds(second)) != nil { told += 1 }
    }
    #expect(told == 2)
    #expect(machine.failed(kind, in: lane, at: .seconds(901)) == .began)
  }

  @Test func `a kind that works takes nothing back of another one in its lane that fails`() {
    var machine = StallStateMachine(patience: .seconds(900))
    #expect(machine.failed("mail", in: lane, at: .zero) == .began)
    for second in stride(from: 10, to: 900, by: 10) {
      #expect(machine.worked(kind, in: lane, at: .seconds(second)) == nil)
      #expect(machine.failed("mail", in: lane, at: .seconds(second)) == nil)
    }
    #expect(machine.failed("mail", in: lane, at: .seconds(900)) == .lasts(.seconds(900)))
    #expect(machine.worked("mail", in: lane, at: .seconds(901)) == .seconds(901))
  }

  @Test func `what the service answers is no want of it`() {
    let wants: [AppError] =
      [.offline(), .timeout()] + [429, 500, 503].map { .http(status: $0, isRepeatable: true) }
    #expect(wants.allSatisfy { $0.isWantOfService })
    let answers = [401, 404, 409, 422].map { AppError.http(status: $0, isRepeatable: true) }
    #expect(answers.allSatisfy { !$0.isWantOfService })
  }
}
