// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// A baseline, and the names that its paths have in this run.
struct BaselineFile {
  private let baseline: Baseline
  private let path: String
  private let names: PathNames
  private let home: PathNames

  private static let largest = 64 << 20

  /// Reads it.
  init(_ path: String, names: PathNames) throws(CommandFailure) {
    self.names = names
    self.path = names.relative(path)
    home = Self.home(of: path, names)
    let bytes: [UInt8]
    do throws(POSIXError) {
      bytes = try WholeBytes.read(path, most: Self.largest)
    } catch {
      let isMissing = error.code == .ENOENT
      throw Self.failure(
        path, isMissing ? "there is none yet; --write-baseline makes one" : error.words)
    }
    do throws(BaselineError) {
      baseline = try Baseline(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Self.failure(path, error.reason)
    }
  }

  /// Writes a baseline, over an older one but over nothing else.
  ///
  /// - Parameters:
  ///   - findings: What it is to know of.
  ///   - path: The file.
  ///   - names: The working folder.
  /// - Returns: What was written.
  /// - Throws: Where it cannot be written, or the file is something else.
  static func write(
    _ findings: [Finding], to path: String, names: PathNames
  ) throws(CommandFailure) -> Baseline {
    if let status = FileStatus(path), status.kind == .file, status.size > 0 {
      // mainstay:ignore MS204 -- what cannot be read is no baseline
      let bytes = (try? WholeBytes.read(path, most: largest)) ?? []
      guard (try? Baseline(text: String(decoding: bytes, as: UTF8.self))) != nil else {
        throw CommandFailure(
          status: .couldNotRun,
          message: "\(path) is no baseline of this version, and nothing else is overwritten.")
      }
    }
    let home = home(of: path, names)
    let baseline = Baseline(findings) { home.relative(names.absolute($0)) }
    do throws(POSIXError) {
      try WholeBytes.write(Array(baseline.text.utf8), to: path)
    } catch {
      throw WholeBytes.complaint(about: path, error)
    }
    return baseline
  }

  /// The findings that it does not know, and the entries that no finding has.
  func apply(
    to findings: [Finding], changed: ChangedLines?
  ) -> (new: [Finding], unmet: [Baseline.Entry]) {
    baseline.apply(to: findings, isChanged: { changed?.contains($0) ?? false }) {
      home.relative(names.absolute($0))
    }
  }

  /// Those of the entries that no finding had that are old, as findings.
  ///
  /// That is where the file is gone, or was looked at by the rule; of what cannot be read nobody
  /// knows.
  func stale(
    _ unmet: [Baseline.Entry], among sources: [AuditSource], unread: [AuditProblem],
    focus: Set<String>?, _ audit: Audit
  ) -> [Finding] {
    let unread = unread.map(\.path).filter { FileStatus(names.absolute($0)) != nil }
    let places = Dictionary(sources.map { ($0.path, $0.place) }) { first, _ in first }
    var rules: [String: Set<String>] = [:]
    return unmet.filter { entry in
      let absolute = home.absolute(entry.path)
      let name = names.relative(absolute)
      if let focus, !focus.contains(name) { return false }
      if unread.contains(where: { $0 == name || $0 == "." || name.hasPrefix($0 + "/") }) {
        return false
      }
      guard let place = places[name] else { return FileStatus(absolute) == nil }
      let active = rules[place] ?? audit.rules(for: place)
      rules[place] = active
      return active.contains(entry.rule)
    }
    .map { baseline.staleness(of: $0, path: path) }
  }

  private static func failure(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      status: .couldNotRun, message: "The baseline \(path) cannot be read: \(reason).")
  }

  private static func home(of path: String, _ names: PathNames) -> PathNames {
    let absolute = names.absolute(path)
    let slash = absolute.lastIndex(of: "/") ?? absolute.startIndex
    return PathNames(folder: slash == absolute.startIndex ? "/" : String(absolute[..<slash]))
  }
}
