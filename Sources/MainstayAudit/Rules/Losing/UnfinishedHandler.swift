// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let unfinishedHandler = Rule(
    "MS211", "unfinished-handler", .warning, .default, serves: [],
    summary: "A catch clause holds a note that its handling is still to be written.",
    why: "Failures that were handled later, which is never, are behind many large outages.",
    guess: "The note is about the handling, since it stands in the clause.",
    onPurpose: "A link or number of the issue in the note makes it a remark.",
    remedy: .none("what is missing cannot be guessed"),
    examples: unfinishedHandlerExamples,
    checks: .catchClause { clause, file in
      guard let note = clause.note else { return }
      file.report(
        clause, "This handler is not finished: \"\(note.summary)\"",
        severity: note.namesIssue ? .info : nil)
    })
}

extension CatchClauseSyntax {
  fileprivate var note: Note? {
    for comment in comments {
      let text = Note(comment)
      if text.isReminder, text.isAboutHandling || !deals { return text }
      if text.isTemplate, isLeftAsItCame { return text }
    }
    for item in body.statements {
      guard let literal = item.shoutedText else { continue }
      let text = Note(literal.writtenText)
      if text.isReminder { return text }
    }
    return nil
  }

  /// Whether it throws, or does something else than print, trap or leave.
  private var deals: Bool {
    body.containsOwn { $0.kind == .throwStmt } || !isLeftAsItCame
  }

  /// Whether it does nothing about the error, but perhaps print it or trap.
  private var isLeftAsItCame: Bool {
    body.statements.allSatisfy { item in
      if [.returnStmt, .breakStmt, .continueStmt, .variableDecl].contains(item.item.kind) {
        return true
      }
      guard let name = item.item.as(FunctionCallExprSyntax.self)?.name else { return false }
      return ["print", "debugPrint", "dump", "NSLog", "fatalError", "abort"].contains(name)
    }
  }
}

extension CodeBlockItemSyntax {
  /// What `fatalError("…")` or `#warning("…")` says.
  fileprivate var shoutedText: StringLiteralExprSyntax? {
    let arguments: LabeledExprListSyntax?
    if let call = item.as(FunctionCallExprSyntax.self) {
      guard ["fatalError", "preconditionFailure"].contains(call.name ?? "") else { return nil }
      arguments = call.arguments
    } else if let macro = item.as(MacroExpansionExprSyntax.self) {
      arguments = macro.arguments
    } else {
      arguments = item.as(MacroExpansionDeclSyntax.self)?.arguments
    }
    return arguments?.first?.expression.as(StringLiteralExprSyntax.self)
  }
}

/// A remark of somebody who wrote a handler.
private struct Note {
  private let text: String
  private let lower: String

  init(_ text: String) {
    self.text = text
    lower = text.lowercased()
  }

  /// What it says, in one line without the signs of a comment.
  var summary: String {
    let line = text.split(whereSeparator: \.endsLine).first { $0.contains(where: \.isLetter) } ?? ""
    let bare = line.drop { "/* \t".contains($0) }
    return String(bare.prefix(60)).replacing("\"", with: "'").trimmingBlanks
  }

  var isReminder: Bool {
    for mark in ["todo", "fixme", "xxx", "not implemented", "unimplemented"] {
      guard let range = lower.firstRange(of: mark) else { continue }
      let before =
        range.lowerBound == lower.startIndex
        ? nil : lower[lower.index(before: range.lowerBound)]
      let after = range.upperBound == lower.endIndex ? nil : lower[range.upperBound]
      if !(before?.isLetter ?? false), !(after?.isLetter ?? false) { return true }
    }
    return false
  }

  /// Whether it speaks of what a handler is for.
  var isAboutHandling: Bool {
    lower.split { !$0.isLetter }.contains { Self.handling.contains(String($0)) }
  }

  private static let handling: Set<String> = [
    "handle", "handling", "handled", "handler", "error", "errors", "report", "log", "alert",
    "user", "show", "display", "notify", "tell", "message", "recover", "retry", "fallback",
    "surface",
  ]

  /// Whether it is what templates leave for somebody to fill in.
  var isTemplate: Bool {
    ["handle error", "handle the error", "handle this error", "handle errors", "error handling"]
      .contains { lower.contains($0) }
  }

  /// Whether it says where the work is kept in mind.
  var namesIssue: Bool {
    if lower.contains("http://") || lower.contains("https://") { return true }
    var last: Character = " "
    var run = 0
    for character in text {
      // `#12`, `ABC-12`
      if character.isNumber, last == "#" || last == "-" && run >= 2 { return true }
      if character.isUppercase { run += 1 } else if character != "-" { run = 0 }
      last = character
    }
    return false
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while let last = text.last, last == " " || last == "*" || last == "/" { text = text.dropLast() }
    return String(text)
  }
}

private let unfinishedHandlerExamples: [Example] = [
  .bad("func f() { do { try save() } ↓catch { /* TODO: tell the user */ } }"),
  .bad(
    """
    func f() {
      do {
        try save()
      } ↓catch {
        // FIXME: show an alert
        print(error)
      }
    }
    """),
  .bad(
    """
    func f() {
      do { try save() } ↓catch {
        // Handle error
      }
    }
    """),
  .bad(
    """
    func f() {
      do { try context.save() } ↓catch {
        // Replace this with code to handle the error appropriately.
        let nserror = error as NSError
        fatalError("Unresolved error \\(nserror)")
      }
    }
    """),
  .bad("func f() { do { try a() } ↓catch is Late { return /* todo(ann): wait */ } }"),
  .bad("func f() { do { try a() } ↓catch { #warning(\"TODO: tell the user\")\n } }"),
  .bad("func f() { do { try a() } ↓catch { fatalError(\"TODO\") } }"),
  .bad("func f() { do { try a() } ↓catch { print(error) // TODO: #42 say it better\n } }"),
  .bad("func f() { do { try a() } ↓catch { items = []; // TODO: proper error handling\n } }"),
  .good("func f() { do { try save() } catch { show(error) } }"),
  .good(
    """
    func f() {
      do { try save() } catch {
        // Handle the error: the banner says what to do.
        banner = Banner(error)
      }
    }
    """, because: "it is handled"),
  .good("func f() { do { /* TODO: faster */ try save() } catch { show(error) } }"),
  .good("func f() { do { try save() } catch { show(error) } // TODO: and then?\n }"),
  .good(
    """
    func f() throws {
      do { try save() } catch {
        // FIXME: drop the cast once the compiler knows
        throw error as! Failure
      }
    }
    """, because: "the note is about something else"),
  .good("func f() { do { try save() } catch { todoList.add(error) } }"),
  .good("func f() { do { try save() } catch { /* Todos are kept. */ show(error) } }"),
]
