// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Why a command came to nothing, in words for whoever typed it.
package struct CommandFailure: Error {
  /// How the program ends.
  package enum Status: Int32, Sendable {
    case success = 0
    case notFound = 1
    case wrongOptions = 2
    case couldNotRun = 3

    /// There are findings, and they have been told.
    package static let findings = Status.notFound
  }

  package let status: Status
  /// What to say; nothing where all has been said.
  package let message: String

  package init(status: Status, message: String) {
    self.status = status
    self.message = message
  }

  /// Whoever read the output has seen enough: there is nothing more to do, and nothing to say.
  static let readerLeft = CommandFailure(status: .success, message: "")
}

extension POSIXError {
  /// What the system has just said.
  package static var latest: POSIXError { POSIXError(number: errno) }

  /// The error with a number of the system.
  init(number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }

  /// What it says, for the end of a sentence, such as "permission denied".
  package var words: String { Self.words(code.rawValue) }

  /// What a number of the system says.
  package static func words(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
