// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension TextCatalog {
  /// A file or text with translations cannot be read.
  public struct Unreadable: AppErrorConvertible, Hashable {
    /// The name of the file; never its folders.
    public let file: String
    /// The line, counted from 1; nil where the whole is meant.
    public let line: Int?
    /// What is wrong, and what is legal.
    public let reason: String

    /// What a person reads: that the app is set up wrongly; the rest is in the details.
    public var appError: AppError {
      let place = line.map { "\(file):\($0)" } ?? file
      return AppError(
        BuiltInError.configuration.coded("texts.unreadable"), details: "\(place): \(reason)",
        at: SourceSite(function: "TextCatalog.Unreadable.appError"))
    }
  }

  /// This catalogue with the texts of a file added.
  ///
  /// - Parameters:
  ///   - file: A file whose name ends in `.json` holds one object of texts by key; any other is
  ///     read as `.strings`, in UTF-8 or in UTF-16 with its mark.
  ///   - language: The tag of the language, such as `de` or `pt-BR`.
  /// - Returns: This catalogue and the texts.
  /// - Throws: ``Unreadable`` where the file is missing or not in its form.
  public func adding(contentsOf file: URL, language: String) throws(Unreadable) -> TextCatalog {
    let name = file.lastPathComponent
    let data: Foundation.Data
    do { data = try Foundation.Data(contentsOf: file) } catch {
      // mainstay:ignore MS205 -- it names the file, and why in words
      throw Unreadable(file: name, line: nil, reason: "cannot be opened")
    }
    if file.pathExtension.lowercased() == "json" {
      guard let texts = try? JSONDecoder().decode([String: String].self, from: data) else {
        throw Unreadable(file: name, line: nil, reason: "not an object of texts by key")
      }
      return adding(texts, language: language)
    }
    let isWide = data.starts(with: [0xff, 0xfe]) || data.starts(with: [0xfe, 0xff])
    guard let text = String(data: data, encoding: isWide ? .utf16 : .utf8) else {
      throw Unreadable(file: name, line: nil, reason: "not text in UTF-8")
    }
    return try adding(strings: text, named: name, language: language)
  }

  /// This catalogue with texts added that are written as in a `.strings` file.
  ///
  /// - Parameters:
  ///   - strings: Lines such as `"error.network.offline.title" = "Kein Netz";` with comments.
  ///   - name: What it is called in an error.
  ///   - language: The tag of the language, such as `de` or `pt-BR`.
  /// - Returns: This catalogue and the texts.
  /// - Throws: ``Unreadable`` with the line that is not in this form.
  public func adding(
    strings: String, named name: String = "texts", language: String
  ) throws(Unreadable) -> TextCatalog {
    var reader = StringsReader(strings, named: name)
    return adding(try reader.read(), language: language)
  }
}

/// Reads the form of `.strings` files: `"key" = "text";`, comments as in C.
private struct StringsReader {
  typealias Fault = TextCatalog.Unreadable

  private let name: String
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String, named name: String) {
    self.name = name
    let scalars = text.unicodeScalars
    self.scalars = Array(scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars[...])
  }

  private func fault(_ reason: String) -> Fault {
    let line = 1 + scalars[..<min(position, scalars.count)].count { $0 == "\n" }
    return Fault(file: name, line: line, reason: reason)
  }

  mutating func read() throws(Fault) -> [String: String] {
    var texts: [String: String] = [:]
    while true {
      try skipBlanks()
      guard position < scalars.count else { return texts }
      let key = try quoted("a key in quotes")
      try expect("=")
      let text = try quoted("a text in quotes")
      try expect(";")
      texts[key] = text
    }
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func expect(_ sign: Unicode.Scalar) throws(Fault) {
    try skipBlanks()
    guard next == sign else { throw fault("\"\(sign)\" is missing") }
    position += 1
  }

  private mutating func skipBlanks() throws(Fault) {
    while let scalar = next {
      if scalar.properties.isWhitespace {
        position += 1
      } else if scalar == "/", position + 1 < scalars.count {
        try skipComment(scalars[position + 1])
      } else {
        return
      }
    }
  }

  private mutating func skipComment(_ second: Unicode.Scalar) throws(Fault) {
    switch second {
    case "/":
      while let scalar = next, scalar != "\n" { position += 1 }
    case "*":
      let start = position
      position += 2
      while position + 1 < scalars.count, scalars[position] != "*" || scalars[position + 1] != "/" {
        position += 1
      }
      guard position + 1 < scalars.count else {
        position = start
        throw fault("a comment has no end")
      }
      position += 2
    default: throw fault("a \"/\" begins no comment")
    }
  }

  private mutating func quoted(_ what: String) throws(Fault) -> String {
    try skipBlanks()
    guard next == "\"" else { throw fault("expected \(what)") }
    let start = position
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = next {
      position += 1
      if scalar == "\"" { return String(text) }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      text.append(try escaped())
    }
    position = start
    throw fault("a text has no end")
  }

  private mutating func escaped() throws(Fault) -> Unicode.Scalar {
    guard let scalar = next else { throw fault("a \"\\\" stands at the end") }
    position += 1
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "U", "u":
      let digits = String(String.UnicodeScalarView(scalars[position...].prefix(4)))
      guard digits.utf8.count == 4, let number = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(number)
      else { throw fault("\"\\U\" takes four hexadecimal digits of a character") }
      position += 4
      return scalar
    default: return scalar
    }
  }
}
