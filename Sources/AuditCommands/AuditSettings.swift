// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// The configuration of a run: the file, and what was typed.
struct AuditSettings {
  private(set) var configuration = AuditConfiguration()
  /// What is wrong with the file; the configuration is what else it says.
  private(set) var error: AuditConfigurationError?
  /// The working folder.
  let names = PathNames()
  /// The folder that globs are told from: that of the file, else that of the repository.
  let project: PathNames
  /// Where the file may lie, the nearest place first.
  let places: [String]

  static let fileName = ".mainstay-audit.yml"
  private static let largestFile = 1 << 20

  init(_ options: RuleOptions) throws(CommandFailure) {
    let here = names.folder
    let root = Repository.root(around: here)
    let config = options.config.map(names.absolute)
    places = config.map { [$0] } ?? Self.places(from: here, to: root)
    let file = config ?? places.first { FileStatus($0, followsLinks: false) != nil }
    // A file that lies elsewhere, as a shared one may, is still about the code here.
    let above = file.map(Self.folder).flatMap { folder in
      folder == here || folder == "/" || here.hasPrefix(folder + "/") ? folder : nil
    }
    project = PathNames(folder: above ?? root ?? here)
    if let file { try read(file) }
    apply(options)
  }

  private mutating func read(_ file: String) throws(CommandFailure) {
    let name = names.relative(file)
    guard FileStatus(file)?.kind != .folder else {
      throw CommandFailure(status: .couldNotRun, message: "\(name) is a folder.")
    }
    let bytes: [UInt8]
    do throws(POSIXError) {
      bytes = try WholeBytes.read(file, most: Self.largestFile)
    } catch {
      throw CommandFailure(
        status: .couldNotRun, message: "\(name) cannot be read: \(error.words).")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(status: .wrongOptions, message: "\(name) is no text in UTF-8.")
    }
    (configuration, error) = AuditConfiguration.reading(yaml: text, path: name)
  }

  /// What was typed wins over what the file says, also of single paths.
  private mutating func apply(_ options: RuleOptions) {
    let enabled = Set(RuleList.ids(options.enable))
    let disabled = Set(RuleList.ids(options.disable))
    configuration.profile = options.profile ?? configuration.profile
    configuration.enabled = configuration.enabled.subtracting(disabled).union(enabled)
    configuration.disabled = configuration.disabled.subtracting(enabled).union(disabled)
    for index in configuration.overrides.indices {
      configuration.overrides[index].enabled.subtract(disabled)
      configuration.overrides[index].disabled.subtract(enabled)
    }
  }

  /// The places here and above, up to the root of the repository; only here where there is none.
  private static func places(from folder: String, to root: String?) -> [String] {
    var folder = folder
    var places: [String] = []
    while true {
      places.append((folder == "/" ? "" : folder) + "/" + fileName)
      guard let root, folder != root, folder.hasPrefix(root) else { return places }
      folder = Self.folder(of: folder)
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
