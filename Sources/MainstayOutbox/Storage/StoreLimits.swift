// SPDX-License-Identifier: Apache-2.0

/// How much a store keeps.
///
/// Where it is full, it first drops what has expired and then what is expendable (see
/// ``EnqueueOptions/isExpendable``), the lowest priority and the oldest first; receipts count them.
/// Only then is a newcomer refused.
public struct StoreLimits: Sendable, Hashable {
  /// How many unfinished operations it takes; 1 or more, or nil, the default, for any number.
  public var maximumPending: Int?
  /// How large the payloads of unfinished operations may be together, in bytes; 1 or more, or nil,
  /// the default, for any size.
  public var maximumBytes: Int?
  /// How many operations that have ended are remembered, with what their workers returned; zero or
  /// more, the default is 1,000.
  public var maximumOutcomes: Int

  /// Makes limits.
  public init(
    maximumPending: Int? = nil, maximumBytes: Int? = nil, maximumOutcomes: Int = 1000
  ) {
    self.maximumPending = maximumPending
    self.maximumBytes = maximumBytes
    self.maximumOutcomes = maximumOutcomes
  }

  /// The same limits; what is not legal stops the program.
  package var checked: StoreLimits {
    precondition(
      maximumPending.map { $0 > 0 } ?? true,
      "maximumPending \(maximumPending ?? 0) is not legal: 1 or more, or nil")
    precondition(
      maximumBytes.map { $0 > 0 } ?? true,
      "maximumBytes \(maximumBytes ?? 0) is not legal: 1 or more, or nil")
    precondition(
      maximumOutcomes >= 0, "maximumOutcomes \(maximumOutcomes) is not legal: zero or more")
    return self
  }
}

extension StoreLimits {
  /// Which bound a newcomer does not fit in, and what can be done.
  func refusal(of new: NewOperation, by place: String, _ pending: Int, _ bytes: Int) -> OutboxError
  {
    var reasons: [String] = []
    if let maximumPending, pending >= maximumPending {
      reasons.append("\(pending) operations wait, and maximumPending is \(maximumPending)")
    }
    if let maximumBytes, bytes + new.payload.count > maximumBytes {
      reasons.append(
        "\(bytes) bytes wait, \(new.payload.count) more come, and maximumBytes is \(maximumBytes)")
    }
    let reason = reasons.joined(separator: "; ")
    return OutboxError(
      .full, details: "\(place): \(reason); let some be done, cancel some, or raise the bound")
  }
}
