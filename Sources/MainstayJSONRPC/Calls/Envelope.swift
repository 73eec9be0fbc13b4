// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// What a message is, read from its structure alone.
enum Envelope: Sendable {
  /// What became of a call.
  enum Answer: Sendable {
    case result(JSONValue)
    case error(code: Int64, message: String, data: JSONValue?)
    /// Neither a result nor an error as they must be; what is wrong.
    case malformed(String)
  }

  case answer(JSONRPCID, Answer)
  case push(JSONRPCPush)
  /// No message of JSON-RPC.
  case other

  /// Reads one message that is no batch.
  ///
  /// Some servers repeat the method in their answers, some leave the version out, some write both
  /// a result and an error that is null; none of that matters.
  init(_ value: JSONValue) {
    guard let members = value.object else {
      self = .other
      return
    }
    let error = members["error"].flatMap { $0 == .null ? nil : $0 }
    if members["result"] != nil || error != nil {
      // Services behind which there is no JSON-RPC say `error` and `result` too.
      guard members["id"] != nil || error != nil && members["jsonrpc"] != nil else {
        self = .other
        return
      }
      let answer = error.map(Self.error) ?? .result(members["result"] ?? .null)
      self = .answer(JSONRPCID(members["id"] ?? .null), answer)
    } else if let method = members["method"]?.string {
      self = .push(
        JSONRPCPush(
          method: method, params: members["params"], id: members["id"].map(JSONRPCID.init)))
    } else if let id = members["id"], members["jsonrpc"] != nil {
      self = .answer(JSONRPCID(id), .malformed("neither a result nor an error"))
    } else {
      self = .other
    }
  }

  /// The number must be a number, or a text that is one and nothing else.
  ///
  /// Where it is not, what the server said stands behind that.
  static func error(_ value: JSONValue) -> Answer {
    func malformed(_ flaw: String) -> Answer {
      .malformed("\(flaw). \(Excerpt.of(value.encoded))")
    }
    guard let members = value.object else { return malformed("an error that is no object") }
    let digits = members["code"]?.wholeDigits ?? members["code"]?.string
    guard let code = digits.flatMap({ Int64($0) }) else {
      return malformed("an error without a number of 64 bits as its code")
    }
    return .error(
      code: code, message: members["message"]?.string ?? "", data: members["data"])
  }
}

/// What is sent.
extension JSONRPCRequest {
  /// The message, without the name of the client or anything else of it.
  func envelope(id: JSONRPCID?) -> JSONValue {
    var members: [String: JSONValue] = ["jsonrpc": .string("2.0"), "method": .string(method)]
    members["params"] = params
    members["id"] = id?.value
    return .object(members)
  }

  /// What is wrong with it; nil where nothing is.
  var flaw: String? {
    if method.isEmpty { return "a method has a name" }
    switch params {
    case nil, .array, .object: break
    default: return "params are an array or an object"
    }
    return isNotification && id != nil ? "a notification has no id" : nil
  }
}

/// The beginning of what cannot be read, for logs: bounded, without what looks like a secret.
enum Excerpt {
  static func of(_ bytes: Data) -> String {
    let text = String(decoding: bytes.prefix(500), as: UTF8.self)
    let visible = String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) })
    return "\(bytes.count) bytes: " + BoundedText.redacted(visible, to: 500)
  }
}
