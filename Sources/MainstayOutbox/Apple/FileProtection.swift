// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Makes the files of an outbox such that they can be used from the first unlock of a device on.
///
/// An app may protect its files better by default, and work in the background would fail at each
/// lock of the device. What was there before is the app's, and stays as it is.
package struct FileProtection: Sendable {
  private static let endings = ["", "-wal", "-shm", "-reserve"]

  private let files: [String]
  private let before: Set<String>
  /// The folder that the outbox is about to make; nil where there is one.
  package let newFolder: String?

  /// Looks at what is there before an outbox is opened.
  ///
  /// - Parameters:
  ///   - url: The file of the outbox.
  ///   - isThere: Whether there is a file or folder at a path.
  package init(of url: URL, isThere: (String) -> Bool) {
    let path = url.path(percentEncoded: false)
    let folder = url.deletingLastPathComponent().path(percentEncoded: false)
    files = Self.endings.map { path + $0 }
    before = Set(files.filter(isThere))
    newFolder = isThere(folder) ? nil : folder
  }

  /// What the outbox has made since.
  package func newFiles(isThere: (String) -> Bool) -> [String] {
    files.filter { isThere($0) && !before.contains($0) }
  }
}

extension FileProtection {
  /// Protects the folder of an outbox that is about to be opened, where that has to be made: what
  /// is made in it later is protected as well.
  ///
  /// - Returns: What protects the rest; nil where no device is ever locked.
  static func begun(for url: URL) -> FileProtection? {
    #if canImport(Darwin)
      let manager = FileManager.default
      let protection = FileProtection(of: url) { manager.fileExists(atPath: $0) }
      if let folder = protection.newFolder {
        // The store says what is wrong where it cannot be made.
        // mainstay:ignore MS203 -- whoever opens the file in it says why that cannot be
        try? manager.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: attributes)
      }
      return protection
    #else
      return nil
    #endif
  }

  /// Protects what the outbox has made.
  func end() {
    #if canImport(Darwin)
      let manager = FileManager.default
      for path in newFiles(isThere: { manager.fileExists(atPath: $0) }) {
        // mainstay:ignore MS203 -- a file system without protection keeps the file all the same
        try? manager.setAttributes(Self.attributes, ofItemAtPath: path)
      }
    #endif
  }

  #if canImport(Darwin)
    private static var attributes: [FileAttributeKey: Any] {
      [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
    }
  #endif
}
