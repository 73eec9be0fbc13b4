// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A copy of a package in which one module holds mutants and nothing is built but what its tests
/// need.
///
/// All other folders are links to the original, so a second run builds only what has changed.
/// Several modules may take turns in one folder: what they need is built once then.
struct MutatedPackage: Sendable {
  let root: URL
  let module: String
  let tests: String
  /// The folder of the copy.
  let folder: URL
  /// The files with tests that are built, relative to the folder of the tests; nil for all.
  var testFiles: [String]?

  private var files: FileManager { .default }

  /// Writes the copy, with these files in the place of the originals.
  func write(_ mutated: [MutatedFile]) throws {
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try put(manifest(), at: folder.appending(path: "Package.swift"))
    for chapter in ["Sources", "Tests", "Examples", "Documentation"] {
      try link(chapter)
    }
    let outputs = Dictionary(uniqueKeysWithValues: mutated.map { ($0.path, $0.output) })
    try copyModule(outputs)
  }

  /// The manifest of the package, cut down to one test target and what it depends on.
  private func manifest() throws -> String {
    let original = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    return original + "\n// Added by the mutator.\n" + (try testsCut()) + """
      var mutatorKept: Set = ["\(tests)"]
      var mutatorCount = 0
      while mutatorCount != mutatorKept.count {
        mutatorCount = mutatorKept.count
        for target in package.targets where mutatorKept.contains(target.name) {
          for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): mutatorKept.insert(name)
            default: break
            }
          }
        }
      }
      package.products = []
      package.targets.removeAll { !mutatorKept.contains($0.name) }
      let mutatorPackages = Set(
        package.targets.flatMap(\\.dependencies).compactMap { dependency -> String? in
          if case .productItem(_, let package, _, _) = dependency { package } else { nil }
        })
      package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !mutatorPackages.contains { location.hasSuffix("/" + $0) }
      }
      for target in package.targets where target.type != .plugin && target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .warning)]
      }

      """
  }

  /// Cuts the test target down to some of its files and what these import.
  private func testsCut() throws -> String {
    guard let testFiles else { return "" }
    let chapter = root.appending(path: "Tests/\(tests)")
    let imports = try testFiles.reduce(into: Set<String>()) { imports, path in
      let text = try String(contentsOf: chapter.appending(path: path), encoding: .utf8)
      for match in text.matches(of: /import (?<module>\w+)/) { imports.insert("\(match.module)") }
    }
    return """
      let mutatorTestFiles: [String] = \(testFiles)
      let mutatorImports: Set<String> = \(imports.sorted())
      for target in package.targets where target.name == "\(tests)" {
        target.sources = mutatorTestFiles
        target.dependencies.removeAll { dependency in
          switch dependency {
          case .targetItem(let name, _), .byNameItem(let name, _),
            .productItem(let name, _, _, _):
            !mutatorImports.contains(name)
          default: false
          }
        }
      }

      """
  }

  private func link(_ chapter: String) throws {
    let original = root.appending(path: chapter)
    guard let names = try? files.contentsOfDirectory(atPath: original.path) else { return }
    let copy = folder.appending(path: chapter)
    try files.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in names where !(chapter == "Sources" && name == module) {
      let place = copy.appending(path: name)
      let target = original.appending(path: name).path
      if (try? files.destinationOfSymbolicLink(atPath: place.path)) == target { continue }
      try? files.removeItem(at: place)
      try files.createSymbolicLink(atPath: place.path, withDestinationPath: target)
    }
  }

  private func copyModule(_ outputs: [String: String]) throws {
    let chapter = "Sources/\(module)"
    let added = "MutationSwitch.swift"
    let originals = try files.subpathsOfDirectory(atPath: root.appending(path: chapter).path)
    let copy = folder.appending(path: chapter)
    // Another module had its turn here; through the link the originals would be written.
    if (try? files.destinationOfSymbolicLink(atPath: copy.path)) != nil {
      try files.removeItem(at: copy)
    }
    try files.createDirectory(at: copy, withIntermediateDirectories: true)
    for path in originals {
      let original = root.appending(path: chapter).appending(path: path)
      let place = copy.appending(path: path)
      if (try? original.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true {
        try files.createDirectory(at: place, withIntermediateDirectories: true)
      } else if let output = outputs["\(chapter)/\(path)"] {
        try put(output, at: place)
      } else {
        try put(Data(contentsOf: original), at: place)
      }
    }
    try put(SwitchSource.text, at: copy.appending(path: added))
    let known = Set(originals + [added])
    for path in try files.subpathsOfDirectory(atPath: copy.path) where !known.contains(path) {
      try? files.removeItem(at: copy.appending(path: path))
    }
  }

  private func put(_ text: String, at place: URL) throws { try put(Data(text.utf8), at: place) }

  /// Leaves a file alone that says this already, so that it is not compiled again.
  private func put(_ data: Data, at place: URL) throws {
    if (try? Data(contentsOf: place)) == data { return }
    try data.write(to: place)
  }
}
