// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Where a request goes from one redirection to the next.
///
/// Source: RFC 9110, section 15.4; what browsers do with 301 and 302 of a POST, by the Fetch
/// standard, section 4.4.
struct RequestWay: Sendable {
  /// What is done about an answer.
  enum Step: Sendable, Equatable {
    /// The answer is one: it leads nowhere, or nobody follows.
    case stay
    /// The request goes on to another address.
    case follow
    /// It leads where it should not; over a connection that anybody can read, a network that wants
    /// a sign-in does that.
    case refused(isPortal: Bool)
  }

  /// For how long it is elsewhere that the answer comes from.
  enum Move: Sendable, Equatable {
    /// Each address was said to have been replaced by the next one, and nobody limited that.
    case lasting
    /// What the first address leads to may be something else the next time.
    case passing
  }

  private(set) var verb: HTTPVerb
  private(set) var address: WireAddress
  /// Whether the body goes along.
  private(set) var hasBody = true
  /// Whether what belongs to the first service goes along: sign-in, cookies and keys.
  private(set) var isAtHome = true
  /// Nil while it is where it was sent first.
  private(set) var move: Move?
  private var hops = 0

  init(_ verb: HTTPVerb, _ address: WireAddress) {
    self.verb = verb
    self.address = address
  }

  /// An answer has come.
  ///
  /// - Parameters:
  ///   - status: Its status.
  ///   - location: Where it leads.
  ///   - isLimited: Whether it says for how long it holds.
  ///   - rule: Which redirections are followed.
  ///   - canSendAgain: Whether the body can be made anew.
  /// - Returns: What is done about it.
  mutating func receive(
    status: Int, location: String?, isLimited: Bool,
    rule: ResilientClient.Settings.Redirections, canSendAgain: Bool
  ) -> Step {
    guard [301, 302, 303, 307, 308].contains(status), let location else { return .stay }
    let maximum: Int
    let staysAtHome: Bool
    switch rule {
    case .never: return .stay
    case .sameOrigin(let count): (maximum, staysAtHome) = (count, true)
    case .anywhere(let count): (maximum, staysAtHome) = (count, false)
    }
    let url = address.url
    let isPlain = url.scheme?.lowercased() == "http"
    guard hops < maximum, location.utf8.count <= 8_000,
      let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let origin = HTTPOrigin(next), let before = HTTPOrigin(url)
    else { return .refused(isPortal: false) }
    let isUpgrade =
      origin.host == before.host && before.scheme == "http" && before.port == 80
      && origin.scheme == "https" && origin.port == 443
    // Another port is another service.
    let isElsewhere = origin != before && !isUpgrade
    if origin != before {
      if staysAtHome, !isUpgrade { return .refused(isPortal: isPlain) }
      // What was sent safely is not sent in the open.
      if before.scheme == "https", origin.scheme == "http" { return .refused(isPortal: false) }
    }
    let becomesGet = status == 303 && verb != .head || (status < 303 && verb == .post)
    // What changes something is not handed to somebody else, and nothing goes on without a body
    // that cannot be made again.
    if isElsewhere, !becomesGet, !verb.isSafe { return .refused(isPortal: false) }
    if hasBody, !becomesGet, !canSendAgain { return .refused(isPortal: false) }
    if becomesGet {
      verb = .get
      hasBody = false
    }
    if isElsewhere { isAtHome = false }
    let isLasting = [301, 308].contains(status) && !isLimited
    move = isLasting && move != .passing ? .lasting : .passing
    address = WireAddress(next)
    hops += 1
    return .follow
  }
}
