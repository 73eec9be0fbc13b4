// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names of paths, told from a folder.
package struct PathNames: Sendable {
  /// The folder, from the root on, without links.
  package let folder: String

  /// - Parameter folder: A folder that exists; nil for the working folder.
  package init(folder: String? = nil) {
    let path = folder ?? FileManager.default.currentDirectoryPath
    self.folder = Self.real(path) ?? path
  }

  /// A path from the root on, without `.` and `..`, links as they are.
  package func absolute(_ path: String) -> String {
    var parts: [Substring] = path.hasPrefix("/") ? [] : folder.split(separator: "/")
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The path as it is named in findings: relative where it lies inside, and from the root on else.
  package func relative(_ path: String) -> String {
    let absolute = absolute(path)
    if let inside = inside(absolute) { return inside }
    // The folder's own name may lead through a link, such as /tmp on a Mac.
    let split = absolute.lastIndex(of: "/") ?? absolute.startIndex
    if let parent = Self.real(String(absolute[..<split])) {
      if let inside = inside(parent + absolute[split...]) { return inside }
    }
    return absolute
  }

  private func inside(_ absolute: String) -> String? {
    if absolute == folder { return "." }
    let start = folder == "/" ? "/" : folder + "/"
    return absolute.hasPrefix(start) ? String(absolute.dropFirst(start.count)) : nil
  }

  /// Where a path leads, all links followed; nil where it leads nowhere.
  package static func real(_ path: String) -> String? {
    guard let resolved = realpath(path.isEmpty ? "/" : path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
