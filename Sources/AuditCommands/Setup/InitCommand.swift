// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Foundation
import MainstayAudit

/// `mainstay audit init`.
package struct InitCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Looks at a project and proposes a configuration for it.",
    discussion: "It is printed, or written to .mainstay-audit.yml with --write.")

  @Argument(help: "The project's folder; by default the working folder.", completion: .directory)
  var folder = "."

  @Flag(help: "Write the file, unless there is one.")
  var write = false

  package init() {}

  package func run() async throws {
    guard FileStatus(folder)?.kind == .folder else {
      throw CommandFailure(status: .couldNotRun, message: "\(folder) is no folder.")
    }
    let file = (folder as NSString).appendingPathComponent(AuditSettings.fileName)
    if write, FileStatus(file, followsLinks: false) != nil {
      throw WholeBytes.complaint(about: file, POSIXError(.EEXIST))
    }
    let names = PathNames(folder: folder)
    let found = FileFinder(names: names).find([names.folder])
    guard !found.sources.isEmpty else {
      throw CommandFailure(status: .couldNotRun, message: "There is no Swift file in \(folder).")
    }
    let jobs = min(ProcessInfo.processInfo.activeProcessorCount, 64)
    let proposal = await ConfigurationProposal(of: found, jobs: jobs)
    guard write else { return try Terminal.output.write(proposal.text) }
    do throws(POSIXError) {
      try WholeBytes.write(Array(proposal.text.utf8), to: file, overwrites: false)
    } catch {
      throw WholeBytes.complaint(about: file, error)
    }
    try Terminal.output.write("\(Terminal.safe(file)) is written.\n")
  }
}
