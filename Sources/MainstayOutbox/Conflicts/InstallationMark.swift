// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A small file that tells one installation from a copy of it.
///
/// It is excluded from backups, and knows its own place on the disk and the machine. Where it was
/// copied all the same, with a folder or a whole disk, it is not what it says, and a new one is
/// made; a new one is always safe.
public struct InstallationMark: Sendable, Hashable {
  /// The text of the installation.
  public let text: String

  /// Reads the mark of this installation, or makes one.
  ///
  /// - Parameter url: The file, beside the data; its folder exists.
  /// - Throws: Where the file cannot be written.
  public init(at url: URL) throws {
    if let text = Self.read(url) {
      self.text = text
    } else {
      text = try Self.write(url)
    }
  }

  /// The text in the file, where the file is in its place.
  private static func read(_ url: URL) -> String? {
    guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    // A mark is far shorter; whatever is longer is none.
    guard let data = try? file.read(upToCount: 1000),
      let place = try? place(of: url)
    else { return nil }
    let parts = String(decoding: data, as: UTF8.self).split(separator: "\n")
    guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, parts[1] == place
    else { return nil }
    return String(parts[0])
  }

  private static func write(_ url: URL) throws -> String {
    let text = UUID().uuidString
    // Made first, since its number is a part of what it says.
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    try file.write(contentsOf: Data("\(text)\n\(try place(of: url))".utf8))
    try file.synchronize()
    #if canImport(Darwin)
      var url = url
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try url.setResourceValues(values)
    #endif
    return text
  }

  /// The number of the file on its disk, and what the system calls the machine.
  private static func place(of url: URL) throws -> String {
    let number = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber]
    let machine = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
    let name = (machine ?? "").filter(\.isHexDigit).prefix(64)
    return "\((number as? NSNumber)?.uint64Value ?? 0) \(name)"
  }
}
