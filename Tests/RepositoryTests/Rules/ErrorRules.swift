// SPDX-License-Identifier: Apache-2.0

/// Errors of the package, which must all become an `AppError`.
enum ErrorRules {
  /// Errors that are no `AppErrorConvertible`, and why.
  static let unconverted = [
    "CommandFailure": "is written by the program itself, with its status",
    "Diagnostics.Section.TooDeep": "becomes a line of the document",
    "Diagnostics.Section.TooLong": "becomes a line of the document",
    "Diagnostics.Section.TooSlow": "becomes a line of the document",
    "ErrorGroups.Moved": "tells whoever runs a test",
    "ErrorGroups.Unreadable": "tells whoever runs a test",
    "RecordedError": "is the record of an error, and stays what it was recorded from",
    "StoreFolder.Failure": "stays in the store, which goes on in memory",
    "UnreadablePayload": "is caught by the worker's run, which keeps its cause",
  ]

  private static let words: Set = ["Error", "LocalizedError", "CustomNSError", "RecoverableError"]

  /// Types that are errors and have no conversion.
  static func unconverted(in files: [SourceFile]) -> [Violation] {
    let all = files.flatMap { file in inheritances(in: file).map { (file, $0) } }
    let converted = Set(
      all.filter { $0.1.names.contains("AppErrorConvertible") }.map(\.1.type))
    return all.compactMap { file, found in
      guard found.keyword != "protocol", !words.isDisjoint(with: found.names),
        !converted.contains(found.type), unconverted[found.type] == nil
      else { return nil }
      return file.violation(
        at: found.token, "the error `\(found.type)` has no conversion",
        cure: "Let it conform to `AppErrorConvertible`, so that a person can be told")
    }
  }

  /// How many error types there are.
  static func count(in files: [SourceFile]) -> Int {
    Set(
      files.flatMap(inheritances).filter {
        !words.union(["AppErrorConvertible"]).isDisjoint(with: $0.names)
      }.map(\.type)
    ).count
  }

  private struct Inheritance {
    let keyword: String
    let type: String
    let names: Set<String>
    let token: Int
  }

  /// What each type and extension says after its colon.
  private static func inheritances(in file: SourceFile) -> [Inheritance] {
    file.declarations.filter { Declaration.typeKeywords.contains($0.keyword) }.compactMap {
      declaration in
      let header = file.tokens[declaration.start...].prefix { $0.text != "{" && $0.text != "where" }
      // A colon between angle brackets is about a parameter of the type.
      var depth = 0
      guard
        let colon = header.firstIndex(where: { token in
          depth += token.text == "<" ? 1 : token.text == ">" ? -1 : 0
          return depth == 0 && token.text == ":"
        })
      else { return nil }
      let names = header[(colon + 1)...].map(\.text)
      return Inheritance(
        keyword: declaration.keyword,
        type: (declaration.types + [declaration.name]).joined(separator: "."),
        names: Set(names), token: declaration.start)
    }
  }
}
