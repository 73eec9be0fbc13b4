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
    let memory = scratch.appending(path: "uncompiled.json")
    var known = UncompiledMutants(at: memory)
    dropped = known.numbers(in: files)
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
      guard try await command.run(.generous).end != .exited(0) else {
        known.note(dropped, in: files)
        return try known.write(to: memory)
      }
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

/// Which mutants of which files the compiler would not have, so that a build of the same files need
/// not find it out again.
struct UncompiledMutants: Codable {
  struct File: Codable {
    let path: String
    let text: String
    let mutants: [String]
    /// Why, by the place among the mutants of the file.
    let reasons: [Int: String]
  }

  private var files: [File]

  /// Reads what an earlier build found; nothing where there was none.
  init(at place: URL) {
    let read = (try? Data(contentsOf: place)).flatMap {
      try? JSONDecoder().decode(Self.self, from: $0)
    }
    files = read?.files ?? []
  }

  /// Takes in what a build found of these files.
  mutating func note(_ dropped: [Int: String], in mutated: [MutatedFile]) {
    for file in mutated {
      let reasons = file.mutants.enumerated().compactMap { place, mutant in
        dropped[mutant.number].map { (place, $0) }
      }
      files.removeAll { $0.path == file.path }
      files.append(
        File(
          path: file.path, text: file.original, mutants: file.mutants.map(\.key.mutated),
          reasons: Dictionary(uniqueKeysWithValues: reasons)))
    }
  }

  func write(to place: URL) throws { try JSONEncoder().encode(self).write(to: place) }

  /// The numbers of those whose files say the same as then.
  func numbers(in mutated: [MutatedFile]) -> [Int: String] {
    var numbers: [Int: String] = [:]
    for file in mutated {
      guard let known = files.first(where: { $0.path == file.path }),
        known.text == file.original, known.mutants == file.mutants.map(\.key.mutated)
      else { continue }
      for (place, reason) in known.reasons { numbers[file.mutants[place].number] = reason }
    }
    return numbers
  }
}

/// Why there is no result.
public enum MutatorFailure: Error, CustomStringConvertible, Equatable {
  /// Nothing could be changed, or no file was named.
  case noMutants
  /// The build failed for a reason that no mutant is to blame for.
  case doesNotBuild(log: String)
  /// The build made no tests, or there are none.
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
    case .noTests(let folder): "There are no tests in \(folder)"
    case .failsUnmutated(let log): "The tests fail although nothing is changed: see \(log)"
    case .survivors(let line, let what): "Line \(line) of the list of survivors: \(what)"
    }
  }
}
