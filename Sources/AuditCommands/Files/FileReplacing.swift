// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writing what was made of a file, unless somebody else has written it since.
package enum FileReplacing {
  private static let largestFile = 4 << 20

  /// Replaces what a file holds, at once and with its permissions.
  ///
  /// - Parameters:
  ///   - old: What it has to hold still.
  ///   - new: What it is to hold.
  ///   - path: The file; a link stays one.
  /// - Returns: Why it is as it was, or nil where it was written.
  package static func failure(
    replacing old: [UInt8], by new: [UInt8], at path: String
  ) -> String? {
    do throws(POSIXError) {
      guard try WholeBytes.read(path, most: largestFile) == old else {
        return "it changed meanwhile, so it is left as it is"
      }
      try WholeBytes.write(new, to: path)
      return nil
    } catch {
      return "it cannot be written: \(error.words)"
    }
  }
}
