// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension ResilientClient {
  /// One request, as an app wants it.
  public struct Request: Sendable {
    /// The method.
    public var verb: HTTPVerb
    /// Where it goes, below the base address of the client.
    public var path: HTTPPath
    /// Fields of its own; they win over those of the client.
    public var headers: HTTPHeaderFields = [:]
    /// What it carries; nil for nothing.
    public var body: HTTPMessageBody?
    /// The name of the effect that is wanted, by which the service knows a repetition; nil, the
    /// default, for the one that is active in the task, if there is any.
    public var key: IdempotencyKey?
    /// Whether sending it twice does no harm; nil, the default, where the method and the key say
    /// so.
    public var isRepeatable: Bool?
    /// Whether the usual policies wait for it as for a transfer: for as long as its bytes go one
    /// part after the other, up to ``Settings/transferLimit``.
    ///
    /// Nil, the default, where its body has more than 64 KiB, or comes in parts. Say so for a
    /// question whose answer is long; policies of your own do not heed it.
    public var isTransfer: Bool?
    /// What the answer is to be, as the field `Accept`; by default JSON.
    ///
    /// A field of that name, here or in the settings of the client, wins. Where what is asked for
    /// is neither a page, nor any text (`text/*`), nor anything (`*/*`), a page for people is the
    /// answer of a portal.
    public var accept = "application/json"

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - verb: The method.
    ///   - path: Where it goes, below the base address of the client.
    ///   - body: What it carries; nil, the default, for nothing.
    ///   - key: The name of the effect; nil by default.
    public init(
      _ verb: HTTPVerb, _ path: HTTPPath, body: HTTPMessageBody? = nil, key: IdempotencyKey? = nil
    ) {
      self.verb = verb
      self.path = path
      self.body = body
      self.key = key
    }
  }

  /// A whole answer with a status of success, or 304 where the request asked for that.
  public struct Response: Sendable {
    /// The status.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaderFields
    /// The body.
    public let body: Data
    /// The address that answered, after redirections.
    public var url: URL { address.url }

    /// The method of the request, before redirections.
    let verb: HTTPVerb
    let address: WireAddress
    /// Nil where the address that was asked has answered itself.
    let move: RequestWay.Move?
  }
}

extension ResilientClient.Request {
  /// Whether it is waited for as a transfer.
  var isLong: Bool { isTransfer ?? (body?.isLong == true) }

  /// What moves the end of the limit of the attempt that the task works on; nil where that stays.
  var patience: Patience? { isLong ? Patience.current : nil }

  /// The name of the effect, its own or that of the task: a question has no effect, so the one that
  /// the task works on is none of its.
  var effect: IdempotencyKey? { key ?? (verb.isSafe ? nil : IdempotencyKey.current) }

  /// Whether sending it twice does no harm, as far as the task that asks knows.
  var mayBeRepeated: Bool { canSendAgain && (isRepeatable ?? (verb.isIdempotent || effect != nil)) }

  /// Whether it is to change something: a `POST` that the app calls repeatable by itself is taken
  /// for a question.
  var mayChange: Bool { !verb.isSafe && !(verb == .post && isRepeatable == true) }

  /// Whether the body can be made anew.
  var canSendAgain: Bool { body?.isRepeatable != false }

  /// What is sent as the field `Accept`; one that stands among the fields wins.
  func accepted(_ settings: ResilientClient.Settings) -> String {
    headers["accept"] ?? settings.headers["accept"] ?? accept
  }

  /// Whether a 304 is an answer to it: a condition of a change is met, or fails (RFC 9110, section
  /// 13.1.2).
  var isConditional: Bool {
    verb.isSafe && ["if-none-match", "if-modified-since"].contains(where: headers.contains)
  }

  /// Whether it is a change that is only to be made where a certain version is there, or none: one
  /// that was made lets its repetition fail (RFC 9110, section 13.1).
  var isChangeOfVersion: Bool {
    !verb.isSafe
      && ["if-match", "if-none-match", "if-unmodified-since"].contains(where: headers.contains)
  }
}
