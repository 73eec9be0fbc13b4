// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package audit`: runs `mainstay-audit` in the package's folder, with the same arguments
/// and the same exit status.
///
/// It declares no permission. A plugin declares permissions once for all its runs, so looking alone
/// would have to be allowed to write: on a terminal SwiftPM would ask each time, and without one it
/// would refuse. Whoever wants fixes gives that permission on the command line, and is told how.
@main struct MainstayAuditPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let folder = context.package.directoryURL
    if Self.writes(arguments), !FileManager.default.isWritableFile(atPath: folder.path) {
      let typed = (["audit"] + arguments).joined(separator: " ")
      Diagnostics.error(
        "this run writes into the package, which SwiftPM does not let it do; allow it: "
          + "swift package --allow-writing-to-package-directory \(typed)")
      exit(Self.couldNotRun)
    }
    let process = Process()
    process.executableURL = try context.tool(named: "mainstay-audit").url
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    // A signal is no status of the program's own.
    let status = process.terminationReason == .exit ? process.terminationStatus : Self.couldNotRun
    if status != 0 { exit(status) }
  }

  /// The status of a run that could not look at anything.
  private static let couldNotRun: Int32 = 3

  /// Whether the program would write files of the package: fixes, a configuration, a baseline or
  /// its report.
  private static func writes(_ arguments: [String]) -> Bool {
    // `--diff` prints what `--fix` would write.
    let flags: Set = arguments.contains("--diff") ? ["--write"] : ["--fix", "--write"]
    let files: Set = ["--write-baseline", "--output", "-o"]
    return arguments.indices.contains { place in
      let parts = arguments[place].split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first, files.contains(name) else {
        return flags.contains(arguments[place])
      }
      let rest = arguments[place...].dropFirst()
      guard let path = parts.count > 1 ? parts[1] : rest.first else { return false }
      return !path.hasPrefix("/") && path != "-"
    }
  }
}
