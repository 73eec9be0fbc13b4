// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a store keeps of a record that the other side may have changed since.
///
/// Nothing is compared with it any more, but its version is still a condition: where the other side
/// has another one by now, it refuses what follows, and says what it has.
extension Data {
  /// What it begins with; neither JSON nor what is sealed does.
  package static let outdatedMark = Data("\0mainstay.outdated.1\0".utf8)

  package var isOutdated: Bool { starts(with: Self.outdatedMark) }

  /// The same, marked.
  package var outdated: Data { isOutdated ? self : Self.outdatedMark + self }

  /// The same without the mark.
  var withoutMark: Data { isOutdated ? Data(dropFirst(Self.outdatedMark.count)) : self }
}

extension Vault {
  /// What is kept of a record, opened; the mark of what is outdated stays.
  func opened(kept: Data, of record: String) throws -> Data {
    let plain = try opened(kept.withoutMark, as: .record(record))
    return kept.isOutdated ? plain.outdated : plain
  }
}
