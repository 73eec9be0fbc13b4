// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Builds all mutants in one go, and leaves out those that do not compile.
struct MutantBuild {
  let package: MutatedPackage
  let scratch: URL
  /// What else `swift build` is told.
  let flags: [String]
  var files: [MutatedFile]
  /// Why a mutant was left out.
  private(set) var dropped: [Int: String] = [:]

  init(package: MutatedPackage, scratch: URL, flags: [String], files: [MutatedFile]) {
    self.package = package
    self.scratch = scratch
    self.flags = flags
    self.files = files
  }

  /// Builds until nothing is wrong any more; each time the mutants that the errors are about go.
  mutating func run(progress: (String) -> Void) async throws {
    while true {
      for index in files.indices { files[index].write(without: Set(dropped.keys)) }
      try package.write(files)
      progress("building")
      let log = scratch.appending(path: "build.log")
      let command = Command(
        arguments: [
          "swift", "build", "--package-path", package.folder.path,
          "--scratch-path", scratch.appending(path: "build").path, "--build-tests",
        ] + flags, log: log)
      guard try await command.run(.generous).end != .exited(0) else { return }
      let errors = Self.errors(in: try String(contentsOf: log, encoding: .utf8))
      let new = blame(errors)
      guard !new.isEmpty else { throw MutatorFailure.doesNotBuild(log: log.path) }
      dropped.merge(new) { first, _ in first }
      progress("\(new.count) mutants do not compile and are left out")
    }
  }

  private func blame(_ errors: [CompileError]) -> [Int: String] {
    var blamed: [Int: String] = [:]
    for error in errors {
      guard let file = files.first(where: { error.path.hasSuffix("/" + $0.path) }) else { continue }
      for number in file.blamed(line: error.line, column: error.column)
      where dropped[number] == nil {
        blamed[number] = blamed[number] ?? error.message
      }
    }
    return blamed
  }

  /// The program that holds the tests.
  var testProgram: URL {
    get throws {
      let folder = scratch.appending(path: "build/debug")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      guard let name = names.first(where: { $0.hasSuffix(".xctest") }) else {
        throw MutatorFailure.noTests(folder.path)
      }
      return folder.appending(path: name)
    }
  }

  struct CompileError: Equatable {
    let path: String
    let line: Int
    let column: Int
    let message: String
  }

  /// The errors of the compiler in what a build said.
  static func errors(in log: String) -> [CompileError] {
    let form = /(?<path>\/[^:]+\.swift):(?<line>\d+):(?<column>\d+): error: (?<message>.*)/
    return log.split(separator: "\n").compactMap { line in
      guard let match = line.wholeMatch(of: form), let row = Int(match.line),
        let column = Int(match.column)
      else { return nil }
      return CompileError(
        path: String(match.path), line: row, column: column, message: String(match.message))
    }
  }
}

/// Why there is no result.
public enum MutatorFailure: Error, CustomStringConvertible, Equatable {
  /// Nothing could be changed, or no file was named.
  case noMutants
  /// The build failed for a reason that no mutant is to blame for.
  case doesNotBuild(log: String)
  /// The build made no tests.
  case noTests(String)
  /// The tests fail although nothing is changed.
  case failsUnmutated(log: String)
  /// The list of survivors cannot be read.
  case survivors(line: Int, String)

  /// What went wrong, in one sentence.
  public var description: String {
    switch self {
    case .noMutants: "There is nothing to change in these files."
    case .doesNotBuild(let log): "The build fails, and no mutant is to blame: see \(log)"
    case .noTests(let folder): "There is no program with tests in \(folder)"
    case .failsUnmutated(let log): "The tests fail although nothing is changed: see \(log)"
    case .survivors(let line, let what): "Line \(line) of the list of survivors: \(what)"
    }
  }
}
