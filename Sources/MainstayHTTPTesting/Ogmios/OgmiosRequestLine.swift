// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import MainstayHTTP

/// A request as a session reads it.
struct OgmiosRequestLine: Sendable {
  let id: JSONValue?
  let method: String
  let params: JSONValue?

  /// Reads a request; nil for everything that a server refuses with -32600.
  init?(_ document: JSONValue) {
    guard case .object(let members) = document, members["jsonrpc"]?.string == "2.0",
      let method = members["method"]?.string
    else { return nil }
    self.method = method
    id = members["id"]
    params = members["params"]
    switch params {
    case nil, .object: break
    default: return nil
    }
  }
}

/// Answers as text, so that numbers stand in them as they are written.
struct OgmiosReply: Sendable, Hashable {
  let text: String
  let isError: Bool
  /// What happens in its place; nil where it is sent.
  var fault: OgmiosServer.Fault?

  static func result(_ result: String, to request: OgmiosRequestLine, strict: Bool) -> OgmiosReply {
    OgmiosReply(
      text: open(request, strict) + "\"result\":\(result)" + close(request.id), isError: false)
  }

  static func failure(
    _ error: OgmiosServer.Failure, to request: OgmiosRequestLine, strict: Bool
  ) -> OgmiosReply {
    OgmiosReply(
      text: open(request, strict) + "\"error\":\(error.json)" + close(request.id), isError: true)
  }

  /// What becomes of a request in the place of its answer.
  static func fault(
    _ fault: OgmiosServer.Fault, to request: OgmiosRequestLine, strict: Bool
  ) -> OgmiosReply {
    if case .failure(let failure) = fault { return .failure(failure, to: request, strict: strict) }
    return OgmiosReply(text: "", isError: true, fault: fault)
  }

  /// The answer to what is no request.
  static func invalid(id: JSONValue?) -> OgmiosReply {
    let error = OgmiosServer.Failure(
      -32600, "Invalid request: unknown method or parameters, or no object of JSON-RPC 2.0.")
    return OgmiosReply(
      text: "{\"jsonrpc\":\"2.0\",\"error\":\(error.json)" + close(id), isError: true)
  }

  private static func open(_ request: OgmiosRequestLine, _ strict: Bool) -> String {
    let method = strict ? "" : "\"method\":\(json(.string(request.method))),"
    return "{\"jsonrpc\":\"2.0\",\(method)"
  }

  private static func close(_ id: JSONValue?) -> String { ",\"id\":\(json(id ?? .null))}" }

  static func json(_ value: JSONValue) -> String { String(decoding: value.encoded, as: UTF8.self) }
}

extension OgmiosServer {
  /// An error as the server answers it.
  public struct Failure: Sendable, Hashable {
    /// The number.
    public let code: Int
    /// What it says, for logs.
    public let message: String
    /// The data as JSON; nil where there is none.
    public let data: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The number, such as 3117.
    ///   - message: What it says; the default is a sentence with the code.
    ///   - data: The data as JSON, sent as it is; the default is none.
    public init(_ code: Int, _ message: String? = nil, data: String? = nil) {
      self.code = code
      self.message = message ?? "Refused with \(code)."
      self.data = data
    }

    var json: String {
      let text = OgmiosReply.json(.string(message))
      let data = data.map { ",\"data\":\($0)" } ?? ""
      return "{\"code\":\(code),\"message\":\(text)\(data)}"
    }
  }
}
