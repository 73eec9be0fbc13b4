// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI

/// How everything stands, as the head of every page says it.
struct StandingView: Sendable {
  let isPending: Bool
  let pendingIcon: String
  let pendingText: String
  /// What is missing, and what happens to changes meanwhile; nil where nothing is missing.
  let banner: NoticeView?
  /// How the service can be reached; nil where nobody knows yet.
  let dot: DotView?
}

extension StandingView {
  init(_ status: StatusDocument) {
    let pending = status.outbox.pending
    isPending = pending > 0
    pendingIcon = pending > 0 ? "arrow.up.circle" : "checkmark.circle"
    pendingText = pending > 0 ? "\(pending) pending" : "Nothing pending"
    banner = NoticeView(status)
    dot = ConnectionPresentation(status.connectivity.state).map { DotView($0) }
  }

  /// What is said where nobody could find out how everything stands.
  static let unknown = StandingView(
    isPending: false, pendingIcon: "info.circle", pendingText: "Unknown", banner: nil, dot: nil)
}

extension NoticeView {
  /// What is missing, and what happens to changes meanwhile; nil where nothing is missing.
  init?(_ status: StatusDocument) {
    if status.featureLevel == .minimal {
      let canSave = status.features.contains { $0.name == "add" && $0.available }
      self.init(
        tint: "red", icon: "exclamationmark.circle",
        title: canSave ? "Only the most important works." : "Nothing can be saved.",
        text: status.reasons.joined(separator: " "))
      return
    }
    let kept = "Changes are kept and sent later."
    switch status.connectivity.state {
    case .offline:
      self.init(
        tint: "orange", icon: "wifi.slash", title: "The service can’t be reached.", text: kept)
    case .portal:
      self.init(
        tint: "orange", icon: "person.badge.key", title: "The network asks to sign in.",
        text: "\(kept) Open any other page in the browser to sign in.")
    case .online, .unknown:
      guard status.featureLevel != .full else { return nil }
      self.init(
        tint: "yellow", icon: "exclamationmark.triangle", title: "Some things take a break.",
        text: (status.reasons + [kept]).joined(separator: " "))
    }
  }
}

extension ConnectionPresentation {
  /// What real traffic says of the connection; nil where there was none.
  fileprivate init?(_ state: ConnectivityEvidence.Reading.State) {
    switch state {
    case .online: self.init(.connected)
    case .offline: self.init(.disconnected)
    case .portal: self.init(.failed, isPortal: true)
    case .unknown: return nil
    }
  }
}
