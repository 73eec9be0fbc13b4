// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The upstream, run as a person would.
enum Program {
  static let name = "inventory-upstream"

  static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> BuiltProgram.End {
    try await BuiltProgram.run(name, arguments, environment: environment)
  }

  static func start(_ arguments: [String]) async throws -> BuiltProgram {
    try await BuiltProgram(name, arguments)
  }
}
