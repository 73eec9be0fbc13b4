// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The parts of `Package.swift` that the layout rules compare.
struct Manifest {
  struct Target {
    let name: String

    /// As SwiftPM calls it: `regular`, `executable`, `test`, `system`, `plugin`, `macro`.
    let type: String

    /// The targets and packages it depends on.
    let dependencies: [String]
  }

  let targets: [Target]
}

extension Manifest {
  /// Asks SwiftPM, which evaluates the manifest.
  ///
  /// With a scratch folder of its own it does not wait for the lock on the build folder, which a
  /// running `swift test` may hold.
  init(of repository: Repository) throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let json = try Command.output(of: [
      "swift", "package", "--package-path", repository.root.path, "--scratch-path", scratch.path,
      "dump-package",
    ])
    let dump = try JSONDecoder().decode(Dump.self, from: Data(json.utf8))
    targets = dump.targets.map { target in
      let used = target.dependencies + (target.pluginUsages ?? [])
      return Target(
        name: target.name, type: target.type, dependencies: used.compactMap(\.name).sorted())
    }
  }

  private struct Dump: Decodable {
    struct Target: Decodable {
      let name: String
      let type: String
      let dependencies: [Dependency]
      let pluginUsages: [Dependency]?
    }

    let targets: [Target]
  }

  /// `{"byName": ["Mainstay", null]}` or `{"product": ["Logging", "swift-log", null, null]}`.
  private struct Dependency: Decodable {
    /// The target, or the package of the product.
    let name: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let byKind = try container.decode([String: [Part]].self)
      let product = byKind["product"] ?? byKind["plugin"]
      name = product?.dropFirst().first?.text ?? byKind.values.first?.first?.text
    }
  }

  /// A name; anything else, such as a condition, is not of interest.
  private struct Part: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      text = try? decoder.singleValueContainer().decode(String.self)
    }
  }
}
