// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a test waited for that did not come before its task was cancelled, such as by its time
/// limit.
///
/// A test framework names the test that was too long. What it waited for, only who waits knows; and
/// without a framework, standard error is where a person sees it.
package enum UnmetWait {
  /// What is done with the words; by default they go to standard error.
  @TaskLocal package static var tell: @Sendable (String) -> Void = { words in
    FileHandle.standardError.write(Data("\(words)\n".utf8))
  }

  /// A wait was cancelled.
  ///
  /// - Parameters:
  ///   - fileID: The file of who waited.
  ///   - line: Its line there.
  ///   - expected: What was waited for, behind "until".
  ///   - found: What was there, as a sentence.
  package static func ended(_ fileID: String, _ line: Int, until expected: String, found: String) {
    tell("\(fileID):\(line): The task was cancelled, which waited until \(expected). \(found)")
  }
}
