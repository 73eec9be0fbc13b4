// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// A test that says which requirement it proves.
struct Proof {
  let id: String

  /// The suite and the test: `RetryTests › stops when cancelled while waiting`.
  let test: String
  let path: String
  let line: Int

  /// All proofs in these files, found by `.requirement("…")` on tests and suites.
  static func proofs(in files: [SourceFile]) -> [Proof] {
    files.flatMap { file in
      file.places(of: ["@", "Test", "("]).flatMap { proofs(in: file, at: $0, keyword: ["func"]) }
        + file.places(of: ["@", "Suite", "("]).flatMap {
          proofs(in: file, at: $0, keyword: Declaration.typeKeywords)
        }
    }
  }

  /// The proofs of one attribute, which belong to the declaration that follows it.
  private static func proofs(
    in file: SourceFile, at attribute: Int, keyword: Set<String>
  ) -> [Proof] {
    let arguments = attribute + 2
    guard let end = closing(in: file, from: arguments),
      let owner = file.declarations.first(where: { $0.start > end && keyword.contains($0.keyword) })
    else { return [] }
    let types = owner.types.joined(separator: ".")
    let test = types.isEmpty ? owner.name : "\(types) › \(owner.name)"
    return file.places(of: [".", "requirement", "("]).filter { (arguments..<end).contains($0) }
      .flatMap { trait -> [Proof] in
        guard let traitEnd = closing(in: file, from: trait + 2) else { return [] }
        let range = file.tokens[trait + 2].offset..<file.tokens[traitEnd].offset
        let literals = String(decoding: file.bytes[range], as: UTF8.self).split(
          separator: "\"", omittingEmptySubsequences: false)
        return literals.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map {
          Proof(
            id: String($0.element), test: test, path: file.path,
            line: file.line(at: file.tokens[trait].offset))
        }
      }
  }

  /// The parenthesis that closes the one at a token.
  private static func closing(in file: SourceFile, from start: Int) -> Int? {
    var depth = 0
    return file.tokens.indices[start...].first { index in
      depth += ["(": 1, ")": -1][file.tokens[index].text] ?? 0
      return depth == 0
    }
  }
}
