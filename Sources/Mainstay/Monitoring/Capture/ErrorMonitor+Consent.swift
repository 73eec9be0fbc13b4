// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// What the person has agreed to (C22): for each purpose they agreed, they did not, or they have
  /// not been asked yet.
  ///
  /// Logs of the app itself need no consent. The default is what holds where nobody asks.
  public struct Consent: Sendable, Hashable {
    enum Answer: Sendable, Hashable {
      case agreed, refused, pending
    }

    private var toAnalytics: Answer
    private var toCrashes: Answer

    /// Whether reports may go to analytics; the default is false.
    ///
    /// To set it is an answer.
    public var analytics: Bool {
      get { toAnalytics == .agreed }
      set { toAnalytics = newValue ? .agreed : .refused }
    }

    /// Whether critical reports may go to a service for crashes; the default is true.
    ///
    /// To set it is an answer.
    public var crashes: Bool {
      get { toCrashes == .agreed }
      set { toCrashes = newValue ? .agreed : .refused }
    }

    /// The purposes about which the person has not been asked yet; the default is none.
    ///
    /// What is captured for these is kept and not sent: the answer sends or deletes it. Until then
    /// they are not agreed to, and what leaves this set without an answer is refused. Logs are
    /// never in it.
    public var pending: Set<ErrorReport.Purpose> {
      get { Set(ErrorReport.Purpose.allCases.filter { answer(to: $0) == .pending }) }
      set {
        toAnalytics = Self.answer(toAnalytics, isPending: newValue.contains(.analytics))
        toCrashes = Self.answer(toCrashes, isPending: newValue.contains(.crashes))
      }
    }

    /// Makes a consent.
    ///
    /// - Parameters:
    ///   - analytics: Whether reports may go to analytics; the default is false.
    ///   - crashes: Whether critical reports may go to a service for crashes; the default is true.
    ///   - pending: The purposes about which the person has not been asked yet, whatever the other
    ///     two say; the default is none.
    public init(
      analytics: Bool = false, crashes: Bool = true, pending: Set<ErrorReport.Purpose> = []
    ) {
      toAnalytics = analytics ? .agreed : .refused
      toCrashes = crashes ? .agreed : .refused
      self.pending = pending
    }

    private static func answer(_ now: Answer, isPending: Bool) -> Answer {
      if isPending { return .pending }
      return now == .pending ? .refused : now
    }

    func answer(to purpose: ErrorReport.Purpose) -> Answer {
      switch purpose {
      case .log: .agreed
      case .analytics: toAnalytics
      case .crashes: toCrashes
      }
    }

    /// Whether a report is for a sink, now or once the person has answered.
    func allows(_ purpose: ErrorReport.Purpose, isCritical: Bool) -> Bool {
      answer(to: purpose) != .refused && (purpose != .crashes || isCritical)
    }
  }
}

extension ErrorMonitor.Consent: Codable {
  private enum CodingKeys: CodingKey {
    case analytics, crashes, pending
  }

  /// Decodes a consent; where nobody says what is pending, nothing is.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let names = try values.decodeIfPresent([String].self, forKey: .pending) ?? []
    self.init(
      analytics: try values.decode(Bool.self, forKey: .analytics),
      crashes: try values.decode(Bool.self, forKey: .crashes),
      pending: Set(names.compactMap(ErrorReport.Purpose.init)))
  }

  /// Encodes the consent.
  ///
  /// What is pending stands there as not agreed to, for builds that do not know of it.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(analytics, forKey: .analytics)
    try values.encode(crashes, forKey: .crashes)
    let names = pending.map(\.rawValue).sorted()
    if !names.isEmpty { try values.encode(names, forKey: .pending) }
  }
}
