// SPDX-License-Identifier: Apache-2.0

extension AsyncIteratorProtocol where Failure == Never {
  /// The next element, of a sequence whose type does not say that it cannot fail.
  public mutating func following() async -> Element? { await next(isolation: nil) }
}
