// SPDX-License-Identifier: Apache-2.0

/// The place where processes leave notices about their policies.
package protocol PolicyExchange: Sendable {
  /// Leaves notices and takes the last one about each policy.
  ///
  /// It also says that this process is there, for as long as some looks last.
  func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice]
  ) async throws -> PolicyNews

  /// Says that this process is not there any more.
  func leave() async
}

/// What a look at the exchange showed.
package struct PolicyNews: Sendable, Equatable {
  package var heard: [SharingStateMachine.Name: SharingStateMachine.Heard] = [:]
  /// How many processes are there, this one among them; 1 or more.
  package var members = 1

  package init(
    heard: [SharingStateMachine.Name: SharingStateMachine.Heard] = [:], members: Int = 1
  ) {
    self.heard = heard
    self.members = members
  }
}
