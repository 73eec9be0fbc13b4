// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension AppError {
  /// A new identity: a random UUID of version 4, as `UUID()` makes it, in a third of the time on
  /// Linux.
  ///
  /// Source: RFC 9562, section 5.4.
  @usableFromInline
  static func newIdentity() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & 0xffff_ffff_ffff_0fff | 0x4000
    let low = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    func byte(_ word: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> shift) }
    return UUID(
      uuid: (
        byte(high, 56), byte(high, 48), byte(high, 40), byte(high, 32), byte(high, 24),
        byte(high, 16), byte(high, 8), byte(high, 0), byte(low, 56), byte(low, 48), byte(low, 40),
        byte(low, 32), byte(low, 24), byte(low, 16), byte(low, 8), byte(low, 0)
      ))
  }
}
