// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// SwiftUI stays where SwiftUI is: in the views, and in the example that is an app.
enum ViewRules {
  static let views = "Sources/MainstayUI/Views/"
  static let app = "Examples/InventoryApp/Sources/"

  /// How long the example may be, so that it shows how little an app has to write.
  static let maximumAppLines = 400

  private static let condition = "#if canImport(SwiftUI)"

  /// Views whose file has more in it than what asks for SwiftUI.
  static func partlyGuarded(_ files: [SourceFile]) -> [Violation] {
    files.filter { $0.path.hasPrefix(views) }.filter { file in
      let lines = file.lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }
      return lines.first.map(String.init) != condition || lines.last != "#endif"
    }.map {
      Violation(
        path: $0.path, line: 1, rule: "a view has parts that are there without SwiftUI",
        cure: "Put everything between `\(condition)` and `#endif`, or move it to a presenter")
    }
  }

  /// Imports of SwiftUI where a build without it would meet them, or nobody looks for them.
  static func strayImports(_ files: [SourceFile]) -> [Violation] {
    files.filter { $0.isBelow("Sources") || $0.isBelow("Snippets") }.flatMap { file in
      let mayImport =
        file.path.hasPrefix(views) || file.path.hasPrefix(app) || file.isBelow("Snippets")
      let opening = file.lines.firstIndex { $0 == condition } ?? Int.max
      return file.places(of: ["import", "SwiftUI"]).filter {
        !mayImport || file.line(at: file.tokens[$0].offset) <= opening
      }.map {
        file.violation(
          at: $0, "SwiftUI is imported where it may be missing",
          cure: "Ask `\(condition)` first, in `\(views)`, in the app or in a snippet")
      }
    }
  }

  /// Public views that no preview and no other view shows.
  static func unseen(_ files: [SourceFile]) -> [Violation] {
    let files = files.filter { $0.path.hasPrefix(views) }
    return files.flatMap { file in
      file.places(of: ["public", "struct"]).compactMap { index in
        let name = file.tokens[index + 2].text
        guard !files.contains(where: { !$0.places(of: [name, "("]).isEmpty }) else { return nil }
        return file.violation(
          at: index, "no preview shows `\(name)`", cure: "Write one with `#Preview`")
      }
    }
  }

  /// A target of that name would make `canImport(SwiftUI)` true in every build.
  static func shadows(_ targets: [String]) -> [Violation] {
    targets.filter { ["SwiftUI", "Accessibility"].contains($0) }.map {
      Violation(
        path: "Package.swift", line: 1, rule: "the target `\($0)` hides Apple's",
        cure: "Keep declarations in Tools/SwiftUIShim")
    }
  }

  /// Local changes laid over a list that is gone after a day: it looks as if all else were lost.
  static func boundedLists(_ files: [SourceFile]) -> [Violation] {
    files.filter { file in
      ["Examples/", "Snippets/"].contains { file.path.hasPrefix($0) }
        && file.places(of: ["policy", ":"]).isEmpty
    }.flatMap { file in
      file.places(of: ["overlaying", ":"]).map {
        file.violation(
          at: $0, "changes are laid over what is gone after a day",
          cure: "Give the cache the policy `.offlineFirst`, or a bound that is said")
      }
    }
  }

  /// What is refused for good is refused again: a person needs a way out.
  static func deadEnds(_ files: [SourceFile]) -> [Violation] {
    let files = files.filter { $0.path.hasPrefix(app) }
    guard files.allSatisfy({ $0.places(of: ["discard", "("]).isEmpty }) else { return [] }
    return files.flatMap { file in
      file.places(of: ["redrive", "("]).map {
        file.violation(
          at: $0, "what was given up can only be tried again", cure: "Offer `discard`, too")
      }
    }
  }

  static func lengthOfApp(_ files: [SourceFile]) -> [Violation] {
    // The line end of the last line does not begin another one.
    let count = files.filter { $0.path.hasPrefix(app) }.reduce(0) { $0 + $1.lines.count - 1 }
    guard count > maximumAppLines else { return [] }
    return [
      Violation(
        path: app, line: 1, rule: "the app has \(count) lines, more than \(maximumAppLines)",
        cure: "Move what every app would have to write to MainstayUI")
    ]
  }
}
