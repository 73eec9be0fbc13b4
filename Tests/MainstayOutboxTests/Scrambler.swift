// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox

/// A codec that everybody can read, but that nobody takes for plain text, and that gives other
/// bytes each time.
struct Scrambler: PayloadCodec {
  struct Wrong: Error {}

  var secret: UInt8 = 0x5A

  private func mixed(_ data: Data, _ salt: UInt8) -> Data { Data(data.map { $0 ^ secret ^ salt }) }

  func seal(_ plain: Data, binding: Data) throws -> Data {
    // Never the one that would leave everything as it is.
    let salt = secret ^ UInt8.random(in: 1...255)
    let tail = Data([UInt8(binding.count)]) + binding + plain
    return Data([secret, salt]) + mixed(tail, salt)
  }

  func open(_ sealed: Data, binding: Data) throws -> Data {
    let bytes = [UInt8](sealed)
    guard bytes.count > 2, bytes[0] == secret else { throw Wrong() }
    let tail = mixed(Data(bytes.dropFirst(2)), bytes[1])
    let count = Int(tail[0])
    guard tail.count > count, tail[1..<(1 + count)] == binding else { throw Wrong() }
    return Data(tail.dropFirst(1 + count))
  }
}
