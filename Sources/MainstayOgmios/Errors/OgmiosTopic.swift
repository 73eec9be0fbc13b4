// SPDX-License-Identifier: Apache-2.0

/// What several errors of Ogmios have in common: their title, and what a person can do.
struct OgmiosTopic: Sendable {
  /// What it is called in the keys of its texts.
  let name: String
  let title: String
  let suggestion: String

  private init(_ name: String, _ title: String, _ suggestion: String) {
    self.name = name
    self.title = title
    self.suggestion = suggestion
  }
}

extension OgmiosTopic {
  static let program = OgmiosTopic(
    "program", "The app asked in a way that is not understood",
    "Update the app. If it happens again, contact support.")
  static let server = OgmiosTopic(
    "server", "The service could not answer", "Try again in a moment.")
  static let node = OgmiosTopic(
    "node", "The service lost its connection", "Try again in a moment.")
  static let operators = OgmiosTopic(
    "operators", "The service can’t answer this",
    "Ask whoever runs the service to bring it up to date.")
  static let history = OgmiosTopic(
    "history", "The chain has moved on", "Start again from an earlier point.")
  static let snapshot = OgmiosTopic(
    "snapshot", "The view of the ledger is too old", "Load it again.")
  static let syncing = OgmiosTopic(
    "syncing", "The service is still catching up", "Wait until it has caught up, then try again.")
  static let era = OgmiosTopic(
    "era", "This does not belong to the current era",
    "Build it for the current era, then try again.")
  static let script = OgmiosTopic(
    "script", "A script refused the transaction",
    "Check what the script asks for, then build it anew.")
  static let signatures = OgmiosTopic(
    "signatures", "The transaction is not signed correctly", "Sign it with all keys that it needs.")
  static let missing = OgmiosTopic(
    "missing", "Something is missing in the transaction",
    "Add what is missing, then send it again.")
  static let surplus = OgmiosTopic(
    "surplus", "The transaction has parts that nothing needs", "Take them out, then send it again.")
  static let mismatch = OgmiosTopic(
    "mismatch", "Parts of the transaction don’t fit together",
    "Build the transaction anew, then send it.")
  static let inputs = OgmiosTopic(
    "inputs", "The inputs can’t be spent", "Choose other inputs, then send it again.")
  static let time = OgmiosTopic(
    "time", "The transaction is not valid at this time",
    "Give it another time span, then send it again.")
  static let size = OgmiosTopic(
    "size", "The transaction is too large", "Split it into smaller ones.")
  static let amounts = OgmiosTopic(
    "amounts", "The amounts don’t add up", "Correct the amounts, then send it again.")
  static let network = OgmiosTopic(
    "network", "This belongs to another network", "Use addresses of the network that you are in.")
  static let collateral = OgmiosTopic(
    "collateral", "The collateral can’t be used", "Choose another collateral, then send it again.")
  static let registration = OgmiosTopic(
    "registration", "The registration can’t be changed like this",
    "Check what is registered, then try again.")
  static let pool = OgmiosTopic(
    "pool", "The stake pool can’t be changed like this",
    "Correct what is said of the pool, then try again.")
  static let governance = OgmiosTopic(
    "governance", "The vote or proposal can’t be accepted",
    "Correct the vote or proposal, then send it again.")
  static let rewards = OgmiosTopic(
    "rewards", "The withdrawal can’t be made", "Check the balance of rewards, then try again.")
  static let outcome = OgmiosTopic(
    "outcome", "We don’t know whether it was sent",
    "Check whether it has arrived before you send it again.")
}
