// SPDX-License-Identifier: Apache-2.0

extension OgmiosServer {
  /// A version of Ogmios that changed what is answered.
  public enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
    /// 6.0.
    case v60 = "v6.0.0"
    /// 6.12, which brought `nonces` and `operationalCertificates`.
    case v612 = "v6.12.0"
    /// 6.13: `rewardAccountSummaries` became a list, and `rewardsProvenance` another document.
    case v613 = "v6.13.0"
    /// 7.0.
    case v70 = "v7.0.0"

    /// Whether the left version is the older one.
    public static func < (left: Version, right: Version) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }
}
