// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay

/// What `status.mustache` reads.
struct StatusPage: Sendable {
  struct Badge: Sendable {
    let style: String
    let icon: String
    let word: String
  }

  struct Connection: Sendable {
    let style: String
    let icon: String
    let word: String
    let since: TimeView
    let evidence: [String]
  }

  struct Level: Sendable {
    /// How many changes are listed.
    static let maximumChanges = 5

    let style: String
    let word: String
    let reasons: [String]
    /// The last changes, the newest first.
    let changes: [Change]
  }

  struct Change: Sendable {
    let time: TimeView
    let text: String
  }

  struct Number: Sendable {
    let name: String
    let value: Int
  }

  struct Queue: Sendable {
    let numbers: [Number]
    let line: String?
  }

  struct Feature: Sendable {
    let isAvailable: Bool
    let icon: String
    let label: String
    /// Why it does not work, or what it needs to work.
    let hint: String
  }

  struct Circuit: Sendable {
    let name: String
    let style: String
    let word: String
  }

  struct Ledger: Sendable {
    let style: String
    let icon: String
    let word: String
    let text: String
  }

  let connection: Connection
  let level: Level
  let queue: Queue
  let features: [Feature]
  let circuits: [Circuit]
  let ledger: Ledger
  let waiting: [WaitingView]
  let letters: [LetterView]
  /// Whether what was given up has more than what the page shows.
  let hasPages: Bool
  /// The address of the page before; nil for the first one.
  let older: String?
  /// The address of the page behind; nil for the last one.
  let newer: String?
  /// The address of all that was given up; nil where the page is not about one item alone.
  let all: String?
  let hasOpening: Bool
  let opening: [String]
}

extension StatusPage {
  init(
    _ status: StatusDocument, waiting: [WaitingView], letters: [LetterView],
    links: LetterPages.Links, opening: [String], changes: [DegradationController.Change]
  ) {
    connection = Connection(status.connectivity)
    level = Level(status, changes)
    queue = Queue(status.outbox)
    features = status.features.map(Feature.init)
    circuits = status.circuits.map(Circuit.init)
    ledger = Ledger(status.ledger)
    self.waiting = waiting
    self.letters = letters
    hasPages = links.older != nil || links.newer != nil || links.all != nil
    (older, newer, all) = (links.older, links.newer, links.all)
    hasOpening = !opening.isEmpty
    self.opening = opening
  }
}

extension StatusPage.Connection {
  init(_ reading: ConnectivityEvidence.Reading) {
    (style, icon, word) =
      switch reading.state {
      case .online: ("green", "wifi", "Online")
      case .offline: ("orange", "wifi.slash", "Offline")
      case .portal: ("orange", "person.badge.key", "Sign-in needed")
      case .unknown: ("grey", "info.circle", "Not known yet")
      }
    since = TimeView(reading.since)
    evidence = reading.evidence
  }
}

extension StatusPage.Level {
  init(_ status: StatusDocument, _ changes: [DegradationController.Change]) {
    (style, word) =
      switch status.featureLevel {
      case .full: ("green", "Level full: everything works")
      case .limited: ("yellow", "Level limited: some things take a break")
      case .basic: ("yellow", "Level basic: only what needs no service")
      case .offline: ("orange", "Level offline: what needs no network works")
      case .minimal: ("red", "Level minimal: only the most important works")
      }
    reasons = status.reasons
    self.changes = changes.suffix(Self.maximumChanges).reversed().map {
      StatusPage.Change(
        time: TimeView(Timestamp($0.time)), text: "from \($0.from.rawValue) to \($0.to.rawValue)")
    }
  }
}

extension StatusPage.Queue {
  init(_ queue: StatusDocument.Queue) {
    numbers = [
      StatusPage.Number(name: "Pending", value: queue.pending),
      StatusPage.Number(name: "Running", value: queue.running),
      StatusPage.Number(name: "Scheduled", value: queue.scheduled),
      StatusPage.Number(name: "Blocked", value: queue.blocked),
      StatusPage.Number(name: "Waiting", value: queue.waiting),
      StatusPage.Number(name: "In conflict", value: queue.conflicted),
      StatusPage.Number(name: "Parked", value: queue.parked),
      StatusPage.Number(name: "Given up", value: queue.dead),
    ]
    let rest = queue.estimate.map { " The rest takes about \(Self.words(max($0, 1)))." } ?? ""
    line = queue.oldestAge.map { "The oldest has waited for \(Self.words($0)).\(rest)" }
  }

  /// A span in its greatest unit.
  private static func words(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1_000_000_000))
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
    let (length, name) = units.first { whole >= $0.0 } ?? (1, "second")
    let count = whole / length
    return count == 1 ? "1 \(name)" : "\(count) \(name)s"
  }
}

extension StatusPage.Feature {
  init(_ feature: StatusDocument.Feature) {
    isAvailable = feature.available
    icon = feature.available ? "checkmark.circle" : "xmark.circle"
    let words = feature.name.replacing("-", with: " ")
    label = words.prefix(1).uppercased() + words.dropFirst()
    hint =
      feature.reason ?? (feature.needs.isEmpty ? "works without a network" : "needs the network")
  }
}

extension StatusPage.Circuit {
  init(_ circuit: StatusDocument.Circuit) {
    name = circuit.name.capitalized
    (style, word) =
      switch circuit.state {
      case .closed: ("green", "Closed: all calls pass")
      case .open: ("red", "Open: taking a break")
      case .halfOpen: ("yellow", "Half open: trying it out")
      case .isolated: ("red", "Isolated")
      }
  }
}

extension StatusPage.Ledger {
  init(_ ledger: StatusDocument.Ledger) {
    (style, icon, word, text) =
      ledger.balanced
      ? ("green", "checkmark.circle", "Balanced", "Everything that was accepted is accounted for.")
      : (
        "red", "exclamationmark.triangle", "Not balanced",
        "Something that was accepted is not accounted for. Please send the diagnostics."
      )
  }
}

/// A link to an item, with its title.
struct ItemLink: Sendable {
  let href: String
  let name: String

  /// Nil where there is no item, or none any more.
  init?(_ item: UUID?, title: String?) {
    guard let item, let title else { return nil }
    (href, name) = ("/items/\(item.text)", "“\(title)”")
  }
}

/// What is done by an operation, for people.
private func name(ofKind kind: String) -> String {
  switch kind {
  case "sync-twin": "Send a change"
  case "upload-photo": "Send a photo"
  case "delete-twin": "Delete at the service"
  default: kind
  }
}

/// Something that waits in the queue, as the status page shows it.
struct WaitingView: Sendable {
  /// How many are shown.
  static let maximum = 20

  let id: String
  let what: String
  /// The item that it is about; nil where there is none any more.
  let item: ItemLink?
  let why: String
  let failure: String?

  init(_ operation: WaitingOperation, title: String?) {
    id = operation.id.text
    what = name(ofKind: operation.kind)
    item = ItemLink(operation.item, title: title)
    why = operation.why.joined(separator: " ")
    failure = operation.failure
  }
}

/// Something that was given up, as the status page shows it.
struct LetterView: Sendable {
  let id: String
  let what: String
  /// The item that it is about; nil where there is none any more.
  let item: ItemLink?
  let why: String
  let since: TimeView
  let attempts: String

  init(_ letter: DeadLetterDocument, title: String?) {
    id = letter.id.text
    what = name(ofKind: letter.kind)
    item = ItemLink(letter.item, title: title)
    why = letter.message
    since = TimeView(letter.since)
    attempts =
      switch letter.attempts {
      case 0: "refused at once"
      case 1: "after 1 attempt that failed"
      default: "after \(letter.attempts) attempts that failed"
      }
  }
}
