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

  /// Whether the program would change files of the package.
  private static func writes(_ arguments: [String]) -> Bool {
    arguments.contains { argument in
      ["--fix", "--write", "--write-baseline"].contains(argument)
        || argument.hasPrefix("--write-baseline=")
    }
  }
}
