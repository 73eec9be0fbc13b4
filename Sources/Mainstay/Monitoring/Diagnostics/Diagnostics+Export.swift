// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Diagnostics {
  /// Writes the document into a file of its own, whose name says when it was made.
  ///
  /// The file is complete or not there, and on the disk when this returns; its owner alone can read
  /// it (0600). No file is ever overwritten.
  ///
  /// - Parameter folder: An existing folder.
  /// - Returns: The file, such as `diagnostics-20261122T032547123Z-1f6c….json`.
  /// - Throws: ``AppError`` where it cannot be written, such as in a folder that may not be written
  ///   to, or on a full disk; nothing is left behind then.
  @discardableResult
  public func export(to folder: URL) throws(AppError) -> URL {
    let bytes = [UInt8](try encoded())
    let time = WireTime.iso(generatedAt).filter { $0.isLetter || $0.isNumber }
    let identity = UUID().uuidString.lowercased().prefix(13)
    let file = folder.appendingPathComponent("diagnostics-\(time)-\(identity).json")
    do {
      try FreshFile.write(bytes, to: file.path)
    } catch {
      throw AppError.from(error)
    }
    return file
  }
}
