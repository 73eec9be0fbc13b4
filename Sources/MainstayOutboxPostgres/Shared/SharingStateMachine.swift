// SPDX-License-Identifier: Apache-2.0

/// What one process tells others about its breakers and cooldowns, and what it takes from them.
///
/// It compares what a policy is now with what it was when it was last looked at. A change that came
/// from another process is noted as it is applied, so it is never told on.
package struct SharingStateMachine: Sendable {
  /// A policy that several processes have, by the same name in each.
  package struct Name: Hashable, Sendable {
    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
      self.kind = kind
      self.name = name
    }

    package enum Kind: String, Sendable, CaseIterable {
      case breaker, cooldown
    }
  }

  /// How a policy of this process is.
  package enum Condition: Hashable, Sendable {
    /// It lets calls through.
    case closed
    /// It lets some through, to find out; nothing is known yet.
    case trying
    /// It holds calls back for so long.
    case open(Duration)
    /// A person has set it aside, which is for this process alone.
    case aside
  }

  /// What is told and heard about a policy.
  package enum Notice: Hashable, Sendable {
    case opened(Duration)
    case closed
  }

  /// What was last said about a policy by any process.
  package struct Heard: Hashable, Sendable {
    package let notice: Notice
    /// Grows with each notice about this policy.
    package let version: Int64
    package let isOwn: Bool

    package init(notice: Notice, version: Int64, isOwn: Bool) {
      self.notice = notice
      self.version = version
      self.isOwn = isOwn
    }
  }

  /// What is done with a policy of this process.
  package enum Command: Hashable, Sendable {
    case open(Duration)
    case close
  }

  private struct Part {
    var last = Condition.closed
    var version: Int64 = 0
    /// Whether others may have been told something of it, and not of one before it.
    var mayHaveTold = false
  }

  /// Shorter than this, a longer break is the same one, read later or by another clock.
  static let tolerance = Duration.milliseconds(50)

  private var parts: [Name: Part] = [:]

  package init() {}

  /// Looks at a policy.
  ///
  /// - Returns: What others are to be told; nil where that is nothing.
  package mutating func look(at name: Name, _ now: Condition) -> Notice? {
    let notice = news(of: name, now)
    if notice != nil { parts[name]?.mayHaveTold = true }
    return notice
  }

  private mutating func news(of name: Name, _ now: Condition) -> Notice? {
    let last = parts[name, default: Part()].last
    parts[name, default: Part()].last = now
    switch (last, now) {
    case (_, .aside), (.aside, .closed), (.aside, .trying), (_, .trying): return nil
    case (.open(let before), .open(let left)):
      return left > before + Self.tolerance ? .opened(left) : nil
    case (_, .open(let left)): return .opened(left)
    // A cooldown that is over is over everywhere; a breaker closes when a call has succeeded.
    case (.open, .closed), (.trying, .closed): return name.kind == .breaker ? .closed : nil
    case (.closed, .closed): return nil
    }
  }

  /// Notes that a notice was not left, as far as is known: the next look compares with what was
  /// before.
  package mutating func forget(_ name: Name, told notice: Notice) {
    switch notice {
    case .opened: parts[name]?.last = .closed
    case .closed: parts[name]?.last = .trying
    }
  }

  /// Forgets a policy that is gone: another one of its name hears anew what was said.
  package mutating func drop(_ name: Name) { parts[name] = nil }

  /// Hears what was last said about a policy.
  ///
  /// - Parameters:
  ///   - name: The policy.
  ///   - heard: What was said.
  ///   - now: How the policy of this process is.
  ///   - share: By which part of it a break is lengthened; 0 or more, the default is 0.
  /// - Returns: What to do with this process's own; nil where that is nothing.
  package mutating func hear(
    _ name: Name, _ heard: Heard, while now: Condition, lengthenedBy share: Double = 0
  ) -> Command? {
    guard heard.version > parts[name, default: Part()].version else { return nil }
    parts[name, default: Part()].version = heard.version
    // One's own is known, but where one before it has said so: it may be gone since.
    if heard.isOwn, parts[name, default: Part()].mayHaveTold { return nil }
    switch (heard.notice, now) {
    case (_, .aside): return nil
    case (.opened(let left), .open(let own)) where left <= own + Self.tolerance: return nil
    case (.opened(let left), _):
      guard left > .zero else { return nil }
      let longer = left + left * share
      parts[name, default: Part()].last = .open(longer)
      return .open(longer)
    case (.closed, .open), (.closed, .trying):
      parts[name, default: Part()].last = .closed
      return .close
    case (.closed, .closed): return nil
    }
  }
}
