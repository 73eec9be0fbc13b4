// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import MainstayOutbox

/// The ids of many operations as one field of a form: ten thousand of them take 213 kB.
///
/// They are written in the alphabet of base64 that no form has to escape (RFC 4648, section 5).
struct PackedIDs: Sendable {
  private static let size = 16

  let ids: [OperationID]

  init(_ ids: [OperationID]) { self.ids = ids }

  /// Reads a field; nil where it is none.
  init?(_ text: String) {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain + padding), data.count % Self.size == 0 else {
      return nil
    }
    ids = stride(from: 0, to: data.count, by: Self.size).map { start in
      var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      withUnsafeMutableBytes(of: &bytes) { room in
        _ = data.copyBytes(to: room, from: start..<start + Self.size)
      }
      return OperationID(UUID(uuid: bytes))
    }
  }

  var text: String {
    ids.reduce(into: Data()) { $0 += $1.data }.base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
