// SPDX-License-Identifier: Apache-2.0

/// A short name for bytes, by FNV-1a.
///
/// It tells honest bytes apart, and is no protection against people who search.
struct Fingerprint: Hashable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  init() {}

  init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  /// Takes a part in; where one part ends and the next begins makes a difference.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    value = (value ^ 0xff) &* 0x100_0000_01b3
  }

  /// In hexadecimal digits.
  var text: String { String(value, radix: 16) }
}
