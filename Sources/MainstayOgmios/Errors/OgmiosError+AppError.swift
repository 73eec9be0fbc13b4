// SPDX-License-Identifier: Apache-2.0

public import Mainstay
internal import MainstayHTTP

extension OgmiosError: AppErrorConvertible {
  /// The error as people and policies see it.
  ///
  /// The code is `ogmios.` and the number of the server's error, with `minus-` before one below
  /// zero, or `ogmios.` and the kind. A number that means what JSON-RPC says has the code and the
  /// kind that it has from every service, such as `rpc.32603`.
  public var appError: AppError {
    switch kind {
    case .response: response
    case .http, .websocket, .timeout: below
    case .invalidResponse:
      own(
        "ogmios.invalid-response", .decoding,
        // The transaction is there, whatever form the answer has.
        OgmiosMethod.isRepeatable(method) ? .permanent : .unknownOutcome,
        title: "The answer could not be read",
        message: "The service answered in a form that the app does not understand.",
        suggestion: "Update the app. If it happens again, contact support.")
    case .invalidFormat:
      own(
        "ogmios.invalid-format", .validation, .permanent,
        title: "This can’t be sent",
        message: "What was to be sent is not in the form that the service takes.",
        suggestion: "Correct it, then try again.")
    case .invalidMethod:
      own(
        "ogmios.invalid-method", .configuration, .permanent,
        title: "The service can’t do this",
        message: "This takes a lasting connection, and no service that offers one is set up.",
        suggestion: "Set up a service with lasting connections, then try again.")
    }
  }

  /// What lies below says best what happened; here it gets the place.
  private var below: AppError {
    (cause ?? .timeout()).adding(metadata: metadata)
  }

  private var response: AppError {
    let number = code ?? 0
    let name = OgmiosTexts.code(of: number)
    let unknown = AppError.Service.provider(code: name, message: serverMessage ?? "").appError
    let row =
      OgmiosErrorCatalog.isStandard(number) ? AppError.jsonRPC(code: Int(clamping: number)) : nil
    let disposition =
      otherTopic != nil
      ? advice?.disposition : OgmiosErrorCatalog.disposition(for: number, data: data)
    // A server that stumbled, or lost its node, may have passed the transaction on. What was said
    // at the end of a connection is no answer to it.
    let isOpen =
      (number == -32603 || number == -32000 || hasEndedConnection) && mayHaveBeenSent
      && !OgmiosMethod.isRepeatable(method)
    let error = AppError(
      code: row?.code ?? ErrorCode(name) ?? unknown.code,
      kind: row?.kind ?? advice?.kind ?? .server, disposition: disposition ?? .unclassified,
      title: entry.map { titled(name, $0) } ?? unknown.title,
      message: entry.map { text(name, "message", $0.meaning) } ?? unknown.message,
      suggestion: suggestion ?? unknown.suggestion,
      details: description, metadata: metadata, help: entry?.help,
      underlying: failures.map(\.error) + [cause].compactMap(\.self))
    return isOpen ? error.with(disposition: .unknownOutcome) : error
  }

  /// What happened, in a few words.
  private func titled(_ name: String, _ entry: OgmiosErrorCatalog.Entry) -> LocalizableText {
    guard let otherTopic else { return text(name, "title", entry.title) }
    return text("ogmios.topic.\(otherTopic.name)", "title", otherTopic.title)
  }

  /// What it is about where that is something else than the number says by itself.
  private var otherTopic: OgmiosTopic? { chain == .behind ? .syncing : isTrial ? .inputs : nil }

  /// What to do about a number that is known.
  private var suggestion: LocalizableText? {
    guard let entry else { return nil }
    if let otherTopic {
      return text("ogmios.topic.\(otherTopic.name)", "suggestion", otherTopic.suggestion)
    }
    guard entry.advice == .waitOrFix, advice == .wait else {
      return text(OgmiosTexts.code(of: entry.code), "suggestion", entry.suggestion)
    }
    return text("ogmios.wait", "suggestion", "Wait a while, then send it again.")
  }

  private func own(
    _ code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition, title: String,
    message: String, suggestion: String
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: disposition,
      title: text(code.rawValue, "title", title),
      message: text(code.rawValue, "message", message),
      suggestion: text(code.rawValue, "suggestion", suggestion), details: description,
      metadata: metadata, underlying: [cause].compactMap(\.self))
  }

  private var metadata: [String: String] {
    var values = ["ogmios.kind": kind.rawValue, "ogmios.method": method]
    values["ogmios.code"] = code.map(String.init)
    // The server's own word, by which whoever watches the connection knows that it is well.
    let isWell = !isTransportFailure && !hasEndedConnection
    values["jsonrpc.code"] = isWell ? code.map(String.init) : nil
    values["ogmios.name"] = entry?.name
    values["ogmios.advice"] = advice?.rawValue
    values["ogmios.endpoint"] = endpoint
    values["ogmios.look"] = look
    values["server.message"] = serverMessage.map { Redaction.redact(String($0.prefix(2_000))) }
    return values
  }

  /// English words with the key under which they are found in other languages.
  private func text(_ code: String, _ part: String, _ words: String) -> LocalizableText {
    OgmiosTexts.library.text(
      "error.\(code).\(part)", english: LocalizableText(stringLiteral: words))
  }
}
