// SPDX-License-Identifier: Apache-2.0

/// The groups of errors of which code and kind say all: an ``AppError`` without a cause, of a code
/// that an author gave.
///
/// Hashing takes a microsecond, finding takes a tenth of it. It lies in several parts, so that
/// tasks seldom wait for each other, and each part starts anew when it is full.
final class FingerprintMemo: Sendable {
  private struct Entry {
    let kind: ErrorKind
    let fingerprint: Fingerprint
  }

  private final class Part: Sendable {
    let known = Locked<[ErrorCode: Entry]>([:])
  }

  private static let maximumCount = 512
  private let parts = (0..<8).map { _ in Part() }

  /// How many are known.
  var count: Int { parts.reduce(0) { $0 + $1.known.withLock { $0.count } } }

  /// The group of an error that has no cause and is no cancellation.
  func fingerprint(of error: AppError) -> Fingerprint {
    let (code, kind) = (error.code, error.kind)
    let part = parts[Int(UInt(bitPattern: code.hashValue) % UInt(parts.count))]
    let found = part.known.withLock { $0[code] }
    if let found, found.kind == kind { return found.fingerprint }
    let fingerprint = Fingerprint(of: error)
    // Of these the wording decides.
    if ErrorSubject.nobodysCodes.contains(code) { return fingerprint }
    part.known.withLock { known in
      if known.count >= Self.maximumCount { known.removeAll(keepingCapacity: true) }
      known[code] = Entry(kind: kind, fingerprint: fingerprint)
    }
    return fingerprint
  }
}
