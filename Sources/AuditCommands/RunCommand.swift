// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Foundation
import MainstayAudit

/// `mainstay audit PATH…`.
package struct RunCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Looks at code and tells what it found.",
    discussion: """
      Exit status: 0 nothing was found, 1 something was, 2 wrong options or a wrong configuration, \
      3 nothing, or not all that was named, could be looked at.
      """)

  @Argument(
    help: "Files and folders; by default the working folder.", completion: .file())
  var paths: [String] = []

  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "What is looked at") var scope: ScopeOptions
  @OptionGroup(title: "What is mended") var fixing: FixOptions
  @OptionGroup(title: "How it is told") var output: OutputOptions

  package init() {}

  package func validate() throws {
    guard !scope.stdin || paths.isEmpty else {
      throw ValidationError("--stdin takes the place of paths.")
    }
    guard !scope.stdin || !(fixing.fix || fixing.watch) else {
      throw ValidationError("--stdin is no file: --diff shows what would be mended.")
    }
    guard scope.writeBaseline == nil || !(fixing.isAsked || fixing.watch) else {
      throw ValidationError("Mend first, and write the baseline then.")
    }
    let formats: [AuditFormat] = [.text, .xcode, .github]
    guard !fixing.watch || (output.output == nil && formats.contains(output.chosenFormat)) else {
      throw ValidationError("--watch prints text, xcode or github on standard output.")
    }
  }

  package func run() async throws {
    if let rule = output.explain {
      let text = RuleText.explanation(of: rule, style: TextStyle(of: .output))
      return try Terminal.output.write(text ?? "")
    }
    let settings = try AuditSettings(rules)
    if let error = settings.error {
      complain("\(error)")
      guard !fixing.fix, scope.writeBaseline == nil else {
        throw CommandFailure(
          status: .wrongOptions, message: "Nothing is written under a wrong configuration.")
      }
      note("What is wrong in \(error.path) was left out.")
    }
    let session = AuditSession(command: self, settings: settings)
    do {
      try await fixing.watch ? Watch(session: session).run() : session.run()
    } catch let failure as CommandFailure where failure.status == .findings {
      // Whoever reads the status has to learn first that this was not what was asked for.
      guard settings.error == nil else { throw Self.wrongConfiguration }
      throw failure
    }
    if settings.error != nil { throw Self.wrongConfiguration }
  }

  /// All has been said of it.
  private static let wrongConfiguration = CommandFailure(status: .wrongOptions, message: "")

  /// Says something that is no finding, unless only those are wanted.
  func note(_ text: String) {
    if !output.quiet { complain(text) }
  }

  /// Says what went wrong, line by line.
  func complain(_ text: String) {
    for line in Terminal.lines(text) {
      Terminal.complaints.tell("\(Terminal.program): \(line)\n")
    }
  }
}
