// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The rules of ``MessageLint``.
enum TextRules {
  /// Words that say that something is wrong and not what, in the languages that Mainstay speaks.
  private static let emptyWords: Set = [
    "error", "errors", "failure", "failed", "problem", "warning", "alert", "oops", "fehler",
    "warnung", "hoppla", "achtung", "errores", "fallo", "aviso", "problema", "erreur",
    "erreurs", "échec", "problème", "attention", "oups", "エラー", "問題", "警告", "错误", "出错", "问题",
    "失败",
  ]

  /// Words for errors, which no title needs.
  private static let errorWords = [
    "error", "fehler", "erreur", "エラー", "错误", "exception", "ausnahme", "excepción",
  ]

  private static let technicalWords: Set = [
    "http", "https", "json", "xml", "sql", "sqlite", "postgres", "url", "uri", "api", "nil", "null",
    "undefined", "exception", "errno", "timeout", "payload", "backend", "endpoint", "parse",
    "parsing", "deserialization", "serialization", "token", "thread", "mutex", "deadlock", "socket",
    "stacktrace", "callback", "async", "enum", "struct", "boolean", "integer", "string", "unicode",
  ]

  /// Names of faults and signals of the system.
  private static let systemNames: Set = [
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN",
    "ENOMEM", "EACCES", "EFAULT", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR",
    "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS",
    "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS",
    "ENOTEMPTY", "ELOOP", "EWOULDBLOCK", "EOVERFLOW", "EILSEQ", "ENOTSOCK", "EDESTADDRREQ",
    "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT", "ENOTSUP", "EOPNOTSUPP",
    "EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET",
    "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN", "ETIMEDOUT",
    "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE", "EDQUOT",
    "ECANCELED", "EBADMSG", "EPROTO", "SIGABRT", "SIGBUS", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT",
    "SIGKILL", "SIGPIPE", "SIGSEGV", "SIGTERM", "SIGTRAP",
  ]

  /// Parts of codes that are also words for people.
  private static let hyphenatedWords: Set = [
    "sign-in", "sign-up", "sign-out", "log-in", "log-out", "check-in", "check-out", "pick-up",
    "opt-in", "opt-out", "e-mail", "add-on", "plug-in", "built-in", "in-app", "read-only",
    "follow-up", "real-time", "two-factor", "one-time", "up-to-date", "wi-fi",
  ]

  /// Names that are written with a capital inside.
  private static let names: Set = [
    "iPhone", "iPad", "iPadOS", "iOS", "iCloud", "macOS", "watchOS", "tvOS", "visionOS", "iTunes",
    "iMac", "AirPlay", "AirDrop", "FaceTime", "HealthKit", "AppleCare", "GitHub", "YouTube",
    "PayPal", "MacBook", "eSIM",
  ]

  static func title(_ wording: Wording, maximumWidth: Int) -> [MessageLint.Finding] {
    let words = wording.words
    let lowered = words.lowercased()
    let letters = words.trimmingCharacters(in: .whitespaces.union(.punctuationCharacters))
    var rules: [MessageLint.Rule] = []
    if emptyWords.contains(letters.lowercased()) || errorWords.contains(where: lowered.contains) {
      rules.append(.saysNothing)
    }
    if width(of: words) > maximumWidth { rules.append(.tooLong) }
    if words.last.map(".。".contains) == true { rules.append(.fullStop) }
    return rules.map(wording.finding)
  }

  static func sentence(_ wording: Wording) -> [MessageLint.Finding] {
    if wording.isBlank { return [] }
    // A text that ends with an argument may bring its own full stop.
    if wording.pattern.hasSuffix("}"), !wording.pattern.hasSuffix("}}") { return [] }
    let end = wording.words.last { !"”»“」』\")）".contains($0) && !$0.isWhitespace }
    return end.map(".!?…。！？".contains) == true ? [] : [wording.finding(.fullStop)]
  }

  /// What is wrong with a text, whatever it is for; of a blank one nothing else is said.
  static func anyText(_ wording: Wording, of code: ErrorCode) -> [MessageLint.Finding] {
    if wording.isBlank { return [wording.finding(.blank)] }
    let words = wording.words
    var rules: [MessageLint.Rule] = []
    if hasCode(words) || isNamed(code, in: words) { rules.append(.code) }
    if pieces(of: words).contains(where: { technicalWords.contains($0.lowercased()) }) {
      rules.append(.technicalWord)
    }
    let isTrimmed = words.first?.isWhitespace != true && words.last?.isWhitespace != true
    if !isTrimmed && wording.pattern == words || wording.pattern.contains("  ") {
      rules.append(.spaces)
    }
    if words.contains(where: { "\"'`".contains($0) }) { rules.append(.quotes) }
    if !wording.isTranslated { rules.append(.missingTranslation) }
    let english = LocalizableText.places(in: wording.text.pattern)
    if LocalizableText.places(in: wording.pattern) != english { rules.append(.places) }
    return rules.map(wording.finding)
  }

  private static func pieces(of words: String) -> [Substring] {
    words.split { !$0.isLetter && !$0.isNumber }
  }

  /// Whether there is a number, a name with an underscore or a capital inside, or one with dots.
  private static func hasCode(_ words: String) -> Bool {
    // Chinese numbers are words: only the digits of any script count.
    let hasDigit = words.unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber }
    if hasDigit || words.contains("_") { return true }
    let pieces = pieces(of: words)
    if pieces.contains(where: { systemNames.contains(String($0)) }) { return true }
    let isMixed = pieces.contains { piece in
      !names.contains(String(piece))
        && zip(piece, piece.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
    }
    return isMixed || words.contains(/[a-z]{2,}\.[a-z]{2,}/)
  }

  /// Whether the error's code stands there, or a part of it that nobody writes so to people.
  private static func isNamed(_ code: ErrorCode, in words: String) -> Bool {
    let parts = [code.rawValue] + code.rawValue.split(separator: ".").map(String.init)
    let names = Set(parts.filter { $0.contains { "-._".contains($0) } })
      .subtracting(hyphenatedWords)
    guard !names.isEmpty else { return false }
    return words.lowercased()
      .split { !$0.isLetter && !$0.isNumber && !"-._".contains($0) }
      .contains { names.contains($0.trimmingCharacters(in: .punctuationCharacters)) }
  }

  /// The letters of Chinese, Japanese and Korean are about twice as wide as others.
  private static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
