// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// What the person has agreed to (C22).
  ///
  /// Logs of the app itself need no consent. The default is what holds before anybody was asked.
  public struct Consent: Sendable, Hashable, Codable {
    /// Whether reports may go to analytics; the default is false.
    public var analytics: Bool
    /// Whether critical reports may go to a service for crashes; the default is true.
    public var crashes: Bool

    /// Makes a consent.
    public init(analytics: Bool = false, crashes: Bool = true) {
      self.analytics = analytics
      self.crashes = crashes
    }

    /// Whether a sink is handed a report.
    func allows(_ purpose: ErrorReport.Purpose, isCritical: Bool) -> Bool {
      switch purpose {
      case .log: true
      case .analytics: analytics
      case .crashes: crashes && isCritical
      }
    }
  }
}
