// SPDX-License-Identifier: Apache-2.0

/// Goes over the bytes of a file once, past strings, comments and regular expressions.
struct NestingScan {
  private enum Frame {
    /// With the generic arguments that were open before it.
    case bracket(isSquare: Bool, angles: Int)
    case string(quote: UInt8, hashes: Int, isMultiline: Bool)

    var isString: Bool {
      if case .string = self { true } else { false }
    }
  }

  /// What stands before a place, blanks and comments aside.
  private enum Previous {
    /// A sign behind which an expression begins; in a list that may be an operator by itself.
    case sign(isInList: Bool)
    case word(Range<Int>)
    /// The end of an expression, or what no expression follows.
    case end
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0
  private var previous = Previous.sign(isInList: false)
  private var stack: [Frame] = []
  private var squares = 0
  private var angles = 0
  private var conditions = 0
  private var words = 0
  private var hashes = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func trouble() -> String? {
    while place < bytes.count {
      if case .string(let quote, let hashes, let isMultiline)? = stack.last {
        readString(quote, hashes, isMultiline)
      } else {
        readCode()
      }
      if stack.count + conditions > Nesting.brackets {
        return "its code nests more than \(Nesting.brackets) levels deep"
      }
      if squares > Nesting.squares {
        return "it nests more than \(Nesting.squares) square brackets"
      }
      if angles > Nesting.angles {
        return "it nests more than \(Nesting.angles) generic arguments"
      }
      if hashes > Nesting.hashes { return "it has more than \(Nesting.hashes) `#` in a row" }
      if words > Nesting.words {
        return "it has more than \(Nesting.words) words without a sign between them"
      }
    }
    return nil
  }

  private func byte(_ offset: Int) -> UInt8 {
    place + offset < bytes.count ? bytes[place + offset] : 0
  }

  private mutating func readCode() {
    let byte = bytes[place]
    if Self.isWord(byte) {
      words += 1
      let start = place
      repeat { place += 1 } while place < bytes.count && Self.isWord(bytes[place])
      previous = .word(start..<place)
      return
    }
    if byte <= 0x20 {
      if byte == 0x0A || byte == 0x0D { endLine() }
      place += 1
      return
    }
    words = 0
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
    case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): close()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): openString(byte, hashes: 0)
    case UInt8(ascii: "#"): readHash()
    case UInt8(ascii: "`"): readQuotedName()
    case UInt8(ascii: ","), UInt8(ascii: ":"): previous = .sign(isInList: true)
    case UInt8(ascii: ";"):
      angles = 0
      previous = .sign(isInList: false)
    case UInt8(ascii: ".") where self.byte(1) == byte || Self.isOperator(self.byte(1)):
      readOperator()
    case let byte where Self.isOperator(byte): readOperator()
    default: previous = .end
    }
    place += 1
  }

  private mutating func open(_ byte: UInt8) {
    if byte == UInt8(ascii: "{") {
      angles = 0
      squares = 0
    }
    let isSquare = byte == UInt8(ascii: "[")
    if isSquare { squares += 1 }
    stack.append(.bracket(isSquare: isSquare, angles: angles))
    previous = .sign(isInList: byte != UInt8(ascii: "{"))
  }

  private mutating func close() {
    previous = .end
    guard case .bracket(let isSquare, let angles)? = stack.popLast() else { return }
    if isSquare, squares > 0 { squares -= 1 }
    self.angles = angles
  }

  /// At a quote: stays on the last byte of the quotes.
  private mutating func openString(_ quote: UInt8, hashes: Int) {
    // No type holds a string, so that the parser stops to look for one here.
    squares = 0
    let isMultiline = quote == UInt8(ascii: "\"") && byte(1) == quote && byte(2) == quote
    if isMultiline { place += 2 }
    stack.append(.string(quote: quote, hashes: hashes, isMultiline: isMultiline))
  }

  /// A string of one line ends with it, also within the brackets of `\(…)`.
  private mutating func endLine() {
    while let index = stack.lastIndex(where: \.isString),
      case .string(_, _, isMultiline: false) = stack[index]
    {
      stack.removeSubrange(index...)
    }
  }

  /// A name between backticks, which may hold anything else: stays on its last byte.
  private mutating func readQuotedName() {
    previous = .end
    var end = place + 1
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D {
      if bytes[end] == UInt8(ascii: "`") {
        place = end
        return
      }
      end += 1
    }
  }

  /// `#"…"#`, `#/…/#`, `#if` and `#endif`.
  private mutating func readHash() {
    previous = .end
    var hashes = 1
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    self.hashes = max(self.hashes, hashes)
    if byte(hashes) == UInt8(ascii: "\"") {
      place += hashes
      openString(bytes[place], hashes: hashes)
    } else if byte(hashes) == UInt8(ascii: "/") {
      place = RegexScan(bytes).end(from: place + hashes, hashes: hashes)
      previous = .end
    } else if hashes == 1, byte(1) == UInt8(ascii: "i"), byte(2) == UInt8(ascii: "f") {
      conditions += 1
    } else if hashes == 1, conditions > 0, byte(1) == UInt8(ascii: "e"),
      byte(2) == UInt8(ascii: "n"), byte(3) == UInt8(ascii: "d"), byte(4) == UInt8(ascii: "i")
    {
      conditions -= 1
    } else {
      place += hashes - 1
    }
  }

  // MARK: Operators

  /// At an operator, a comment or a regular expression: stays on its last byte.
  private mutating func readOperator() {
    let start = place
    var end = start
    // Only an operator that begins with a dot has more of them.
    let dot: UInt8? = bytes[start] == UInt8(ascii: ".") ? bytes[start] : nil
    while end < bytes.count, bytes[end] == dot || Self.isOperator(bytes[end]) { end += 1 }
    if let slash = bytes[start..<end].firstIndex(of: UInt8(ascii: "/")) {
      if slash == start, readComment() { return }
      if let last = regexEnd(from: slash, start..<end) {
        place = last
        previous = .end
        return
      }
      // A comment may begin within an operator.
      let comment = (slash..<end).first { index in
        bytes[index] == UInt8(ascii: "/") && index + 1 < end
          && (bytes[index + 1] == UInt8(ascii: "/") || bytes[index + 1] == UInt8(ascii: "*"))
      }
      end = max(start + 1, comment ?? end)
    }
    countAngles(in: start..<end)
    let isArrow = end - start == 2 && bytes[start] == UInt8(ascii: "-") && bytes[start + 1] == 0x3E
    let isPostfix = isBound(before: start) && !isBound(behind: end) && !isWord(previous, Self.tries)
    previous = isArrow || isPostfix ? .end : .sign(isInList: false)
    place = end - 1
  }

  /// The last byte of the regular expression that begins at the first slash of an operator.
  private func regexEnd(from slash: Int, _ sign: Range<Int>) -> Int? {
    guard !isBound(before: sign.lowerBound), !isWord(previous, Self.declarers) else {
      return nil
    }
    if isBound(behind: sign.upperBound) {
      return RegexScan(bytes).end(from: slash, isCertain: false)
    }
    let isCertain: Bool
    switch previous {
    case .sign(let isInList): isCertain = !isInList
    case .word: isCertain = true
    case .end: return nil
    }
    if case .word = previous, !isWord(previous, Self.keywords) { return nil }
    return RegexScan(bytes).end(from: slash, isCertain: isCertain)
  }

  /// Passes a comment, and those in it: stays on its last byte.
  private mutating func readComment() -> Bool {
    if byte(1) == UInt8(ascii: "/") {
      while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
      place -= 1
      return true
    }
    guard byte(1) == UInt8(ascii: "*") else { return false }
    var depth = 1
    place += 2
    while place < bytes.count, depth > 0 {
      if bytes[place] == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
        depth -= 1
        place += 1
      } else if bytes[place] == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
        depth += 1
        place += 1
      }
      place += 1
    }
    place -= 1
    return true
  }

  /// A `<` right behind a name may open generic arguments.
  ///
  /// One behind a blank compares, and `<<`, `<=` and `..<` do something else.
  private mutating func countAngles(in sign: Range<Int>) {
    for index in sign {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        let before = index > 0 ? bytes[index - 1] : 0
        let isAlone =
          before != UInt8(ascii: "<") && before != UInt8(ascii: ".")
          && (index + 1 == sign.upperBound
            || (bytes[index + 1] != UInt8(ascii: "<") && bytes[index + 1] != UInt8(ascii: "=")))
        if isAlone, before > 0x20 { angles += 1 }
      case UInt8(ascii: ">"):
        if angles > 0, index > 0, bytes[index - 1] != UInt8(ascii: "-") { angles -= 1 }
      case UInt8(ascii: "="): angles = 0
      default: break
      }
    }
  }

  /// Whether what ends before a place belongs to an operator there.
  private func isBound(before index: Int) -> Bool {
    guard index > 0 else { return false }
    let byte = bytes[index - 1]
    let isSecond = index >= 2
    if byte == UInt8(ascii: "/") { return !isSecond || bytes[index - 2] != UInt8(ascii: "*") }
    // A blank that breaks no line.
    if byte == 0xA0, isSecond, bytes[index - 2] == 0xC2 { return false }
    return byte > 0x20 && !Self.openers.contains(byte) && !Self.separators.contains(byte)
  }

  /// Whether what begins behind an operator belongs to it.
  private func isBound(behind index: Int) -> Bool {
    guard index < bytes.count else { return false }
    let byte = bytes[index]
    // A comment counts as a blank.
    if byte == UInt8(ascii: "/") { return false }
    return byte > 0x20 && !Self.closers.contains(byte) && !Self.separators.contains(byte)
  }

  private func isWord(_ previous: Previous, _ words: Set<String>) -> Bool {
    guard case .word(let range) = previous else { return false }
    return words.contains(String(decoding: bytes[range], as: UTF8.self))
  }

  private static let openers = Array("([{".utf8)
  private static let closers = Array(")]}".utf8)
  private static let separators = Array(",;:".utf8)

  /// Behind these an operator is declared.
  private static let declarers: Set<String> = ["func", "operator"]
  /// Behind these with `?` or `!` an expression begins.
  private static let tries: Set<String> = ["try"]

  /// The words behind which an expression may begin.
  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "fileprivate", "for", "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "let", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript",
    "switch", "throw", "throws", "try", "typealias", "var", "where", "while",
  ]

  // MARK: Strings

  private mutating func readString(_ quote: UInt8, _ hashes: Int, _ isMultiline: Bool) {
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "\\"):
      guard hasHashes(hashes) else { return }
      place += hashes
      guard place < bytes.count else { return }
      // The end of a line is never part of a string of one line.
      if bytes[place] == 0x0A || bytes[place] == 0x0D, !isMultiline { return }
      if bytes[place] == UInt8(ascii: "(") {
        stack.append(.bracket(isSquare: false, angles: angles))
        previous = .sign(isInList: true)
      }
      place += 1
    case quote:
      if isMultiline {
        guard self.byte(0) == byte, self.byte(1) == byte else { return }
        place += 2
      }
      guard hasHashes(hashes) else { return }
      place += hashes
      stack.removeLast()
      previous = .end
    case 0x0A, 0x0D:
      // A string that is not closed ends with its line.
      if !isMultiline {
        stack.removeLast()
        endLine()
      }
    default: break
    }
  }

  private func hasHashes(_ count: Int) -> Bool {
    for offset in 0..<count where byte(offset) != UInt8(ascii: "#") { return false }
    return true
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
      || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= (byte | 0x20)
  }

  /// Whether it is one of `/=-+!*%<>&|^~?`.
  private static func isOperator(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x25, 0x26, 0x2A, 0x2B, 0x2D, 0x2F, 0x3C...0x3F, 0x5E, 0x7C, 0x7E: true
    default: false
    }
  }
}
