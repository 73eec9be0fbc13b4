// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension WebSocketServer {
  /// A frame as it goes out, legal or not (RFC 6455 section 5.2).
  public struct Frame: Sendable, Hashable {
    /// What kind of frame it is, 0 to 15: 0 goes on with a message, 1 is text, 2 is binary, 8
    /// closes, 9 is a ping, 10 a pong; others have no meaning.
    public var opcode: UInt8
    /// Whether a message ends with it; the default is true.
    public var isFinal: Bool
    /// The three bits that nobody has agreed on, 0 to 7; the default is 0.
    public var reservedBits: UInt8
    /// What it carries.
    public var payload: [UInt8]
    /// The length that its head has; nil, the default, for that of the payload.
    public var declaredLength: Int?
    /// The four bytes that it is masked by; nil, the default, for none.
    ///
    /// A server must not mask.
    public var mask: [UInt8]?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - opcode: What kind of frame it is; its lower four bits count.
    ///   - payload: What it carries; the default is nothing.
    ///   - isFinal: Whether a message ends with it; the default is true.
    ///   - reservedBits: The three reserved bits; the default is 0.
    ///   - declaredLength: The length in its head; the default, nil, is the true one.
    ///   - mask: Four bytes to mask it by; the default is none.
    public init(
      opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reservedBits: UInt8 = 0,
      declaredLength: Int? = nil, mask: [UInt8]? = nil
    ) {
      self.opcode = opcode
      self.isFinal = isFinal
      self.reservedBits = reservedBits
      self.payload = payload
      self.declaredLength = declaredLength
      self.mask = mask
    }

    /// Text, whole or the beginning of it.
    public static func text(_ text: String, isFinal: Bool = true) -> Frame {
      Frame(opcode: 1, Array(text.utf8), isFinal: isFinal)
    }

    /// More of a message.
    public static func continuation(_ text: String, isFinal: Bool) -> Frame {
      Frame(opcode: 0, Array(text.utf8), isFinal: isFinal)
    }

    /// The end, with any code and a reason of any length; 125 bytes with the code are legal.
    public static func close(code: Int?, reason: String = "") -> Frame {
      let code = code.map { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      return Frame(opcode: 8, (code ?? []) + Array(reason.utf8))
    }

    var bytes: ByteBuffer {
      var buffer = ByteBuffer()
      buffer.writeInteger((isFinal ? 0x80 : 0) | (reservedBits & 7) << 4 | opcode & 15)
      let length = UInt64(max(declaredLength ?? payload.count, 0))
      let masked: UInt8 = mask == nil ? 0 : 0x80
      switch length {
      case ...125: buffer.writeInteger(masked | UInt8(length))
      case ...0xffff:
        buffer.writeInteger(masked | 126)
        buffer.writeInteger(UInt16(length))
      default:
        buffer.writeInteger(masked | 127)
        buffer.writeInteger(length)
      }
      if let mask, !mask.isEmpty {
        buffer.writeBytes(mask)
        buffer.writeBytes(payload.enumerated().map { $1 ^ mask[$0 % mask.count] })
      } else {
        buffer.writeBytes(payload)
      }
      return buffer
    }
  }
}
