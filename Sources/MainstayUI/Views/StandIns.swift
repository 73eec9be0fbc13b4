// SPDX-License-Identifier: Apache-2.0
// What the presenters bring themselves; this file goes away then.

#if canImport(SwiftUI)
  public import Mainstay
  public import Observation

  public struct ActionProgress: Sendable, Hashable {
    public let action: RecoveryAction.ID
    public let fraction: Double?
  }

  extension ErrorPresenter.Item {
    public var progress: ActionProgress? { nil }
  }

  extension ErrorPresentation {
    public var accessibilityLabel: String {
      [title, message, suggestion].compactMap { $0 }.joined(separator: " ")
    }
  }

  public struct ConnectionPresentation: Sendable, Hashable {
    public enum State: Sendable { case online, checking, offline, portal, back }
    public let state: State
    public let title: String
    public let message: String?
    public let icon: String
    public let tint: ErrorPresentation.Tint
    public let isDismissible: Bool
  }

  @MainActor @Observable
  public final class ConnectionStatus {
    public private(set) var presentation = ConnectionPresentation(
      state: .offline, title: "You are offline", message: nil, icon: "wifi.slash", tint: .orange,
      isDismissible: true)
    public var banner: ConnectionPresentation? {
      get { presentation }
      set {}
    }
    public init() {}
  }
#endif
