// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a store has to see of what it keeps of a record, also where that is sealed.
///
/// Neither JSON nor what is sealed begins with a mark.
extension Data {
  /// The other side may have changed the record since.
  ///
  /// Nothing is compared with it any more, but its version is still a condition: where the other
  /// side has another one by now, it refuses what follows, and says what it has.
  package static let outdatedMark = Data("\0mainstay.outdated.1\0".utf8)
  /// The first change of the record began with it, and nothing was heard since.
  package static let beginningMark = Data("\0mainstay.beginning.1\0".utf8)

  package var isOutdated: Bool { starts(with: Self.outdatedMark) }
  package var isBeginning: Bool { starts(with: Self.beginningMark) }

  /// The same, marked.
  package var outdated: Data { isOutdated ? self : Self.outdatedMark + self }

  /// The same without a mark; what is outdated may have been a beginning.
  var withoutMark: Data {
    var plain = self
    for mark in [Self.outdatedMark, Self.beginningMark] where plain.starts(with: mark) {
      plain = Data(plain.dropFirst(mark.count))
    }
    return plain
  }
}

extension Vault {
  /// What is kept of a record, opened; the mark of what is outdated stays.
  func opened(kept: Data, of record: String) throws -> Data {
    let plain = try opened(kept.withoutMark, as: .record(record))
    return kept.isOutdated ? plain.outdated : plain
  }
}
