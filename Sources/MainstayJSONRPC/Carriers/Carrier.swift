// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// One message on its way out.
struct OutgoingMessage: Sendable {
  let bundle: CallsStateMachine.Bundle
  let bytes: Data
  /// Whether calling all methods in it twice does no harm.
  let isRepeatable: Bool
  /// Whether somebody has to answer it.
  let hasCalls: Bool
}

/// What carries messages to a server; what comes back it tells the core.
protocol Carrier: Sendable {
  /// Opens a connection of this number.
  func open(_ connection: Int, for core: ClientCore)
  /// Sends a message over that connection, and no other.
  func send(_ message: OutgoingMessage, over connection: Int, for core: ClientCore)
  /// Sends an answer to what the server asked.
  func reply(_ bytes: Data, over connection: Int)
  /// Nobody waits any more for what was sent.
  func giveUp(_ bundle: CallsStateMachine.Bundle)
  /// Closes a connection; that it ended need not be told.
  func drop(_ connection: Int)
}
