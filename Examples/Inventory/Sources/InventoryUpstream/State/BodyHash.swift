// SPDX-License-Identifier: Apache-2.0

/// The 64-bit FNV-1a hash of a request's body, as 16 hexadecimal digits.
///
/// It tells honest bodies apart, and anyone can calculate it in a line; it is no protection against
/// people who look for collisions. http://www.isthe.com/chongo/tech/comp/fnv/
package struct BodyHash: Sendable, Hashable, Codable {
  package let text: String

  package init(of bytes: some Collection<UInt8>) {
    let offset: UInt64 = 0xcbf2_9ce4_8422_2325
    let prime: UInt64 = 0x100_0000_01b3
    let hash =
      bytes.withContiguousStorageIfAvailable { buffer in
        buffer.reduce(offset) { ($0 ^ UInt64($1)) &* prime }
      } ?? bytes.reduce(offset) { ($0 ^ UInt64($1)) &* prime }
    let digits = String(hash, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }

  package init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
