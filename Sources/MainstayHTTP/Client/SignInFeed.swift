// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Tells whoever listens that somebody has signed in.
final class SignInFeed: Sendable {
  private let audience = Audience<Void>()
  private let count = Locked<UInt64>(0)

  /// What comes after this call.
  func listen() -> AsyncStream<Void> { audience.listen(first: nil) }

  /// Somebody has signed in.
  func tell() {
    count.withLock { $0 += 1 }
    audience.tell { [self] in ((), count.withLock { $0 }) }
  }

  deinit { audience.finish() }
}
