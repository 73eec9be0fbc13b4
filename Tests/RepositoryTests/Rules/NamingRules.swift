// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// Names that say nothing, for folders and for types.
enum NamingRules {
  static let forbiddenFolders: Set = ["Utils", "Helpers", "Common", "Misc"]
  static let forbiddenSuffixes = ["Manager", "Helper", "Util", "Utils", "Handler", "Base", "Impl"]

  static func folders(_ paths: [String]) -> [Violation] {
    paths.compactMap { path in
      let folders = path.split(separator: "/").dropLast().map(String.init)
      guard let folder = folders.first(where: forbiddenFolders.contains) else { return nil }
      return Violation(
        path: path, line: 1, rule: "a folder is called `\(folder)`",
        cure: "Put the file beside its only user, or name the folder for what it is about")
    }
  }

  static func types(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.tokens.indices.dropLast().compactMap { index in
        let name = file.tokens[index + 1]
        guard declaresType(file.tokens[index].text), name.isWord,
          let suffix = forbiddenSuffixes.first(where: name.text.hasSuffix)
        else { return nil }
        return file.violation(
          at: index, "the type `\(name.text)` ends in \(suffix)",
          cure: "Name it for what it is or does, with a word of the glossary")
      }
    }
  }

  static func sharedInstances(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      (file.places(of: ["static", "let", "shared"]) + file.places(of: ["static", "var", "shared"]))
        .map {
          file.violation(
            at: $0, "`shared` is one instance for the whole process",
            cure: "Let the caller make an instance and hand it down")
        }
    }
  }

  private static func declaresType(_ word: String) -> Bool {
    word == "typealias" || (word != "extension" && Declaration.typeKeywords.contains(word))
  }
}
