// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ScriptedHTTPServer {
  /// What is done about a request.
  ///
  /// The static members make the usual ones; properties change them:
  ///
  /// ```swift
  /// var answer = Answer.reply(200, body: page)
  /// answer.extent = .bytes(100)
  /// answer.ending = .reset
  /// ```
  public struct Answer: Sendable {
    /// What a body is made of.
    public enum Body: Sendable, Hashable {
      /// These bytes.
      case bytes(Data)
      /// So many bytes of a pattern that nobody holds: the byte at `n` is `n % 251`.
      case pattern(count: Int)

      /// How many bytes it has.
      public var count: Int {
        switch self {
        case .bytes(let data): data.count
        case .pattern(let count): max(count, 0)
        }
      }
    }

    /// How a client of HTTP/1.1 is to know where a body ends.
    public enum Framing: Sendable, Hashable {
      /// By its length.
      case length
      /// By a length that may be wrong.
      case declaredLength(Int)
      /// In chunks of so many bytes; 1 or more.
      case chunked(size: Int)
      /// With the connection.
      case untilEnd
    }

    /// How much of an answer is sent.
    public enum Extent: Sendable, Hashable {
      /// All.
      case all
      /// The head, and so many bytes of the body.
      case bytes(Int)
      /// Nothing.
      case nothing
    }

    /// What follows what is sent.
    public enum Ending: Sendable, Hashable {
      /// The connection goes on, or ends if the client wants that or the body ends with it.
      case keepAlive
      /// Nothing, for as long as the client waits; what else it asks is answered.
      case silence
      /// The server says nothing more, and goes on reading; in HTTP/2 as `hangUp`.
      case finish
      /// The connection ends properly.
      case hangUp
      /// The connection is reset.
      case reset
      /// The stream is reset with a code of RFC 9113 section 7; in HTTP/1.1 the connection is.
      case resetStream(code: Int)
      /// The connection ends for all its streams with such a code, and none was worked on; in
      /// HTTP/1.1 it just ends.
      case goAway(code: Int)
    }

    /// The status; the default is 200.
    public var status = 200
    /// The headers, beside those of the framing; the default is none.
    public var headers: [(name: String, value: String)] = []
    /// The body; the default is empty.
    public var body = Body.bytes(Data())
    /// How the body ends; the default is by its length.
    public var framing = Framing.length
    /// Answers of status 100 to 199 that come first; the default is none.
    public var informational: [(status: Int, headers: [(name: String, value: String)])] = []
    /// What is waited for before anything is sent; the default is nothing.
    public var gate: Gate?
    /// What is waited for between the head and the body; the default is nothing.
    public var bodyGate: Gate?
    /// No more than so many bytes of the body are sent at once, and as long as this lies between;
    /// the default is all at once.
    public var pace: (bytes: Int, every: Duration)?
    /// How much is sent; the default is all.
    public var extent = Extent.all
    /// What follows; the default is that the connection goes on.
    public var ending = Ending.keepAlive
    /// Bytes that are sent in the place of all this; the default, nil, is none.
    ///
    /// In HTTP/2 they go between its frames.
    public var raw: [UInt8]?

    /// Makes a whole answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: Headers beside `Content-Length`; the default is none.
    ///   - body: The body; the default is empty.
    /// - Returns: The answer.
    public static func reply(
      _ status: Int, headers: [(String, String)] = [], body: Data = Data()
    ) -> Answer {
      .reply(status, headers: headers, streaming: .bytes(body), framing: .length)
    }

    /// Makes a whole answer with a body that need not be held.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: Headers beside those of the framing; the default is none.
    ///   - body: The body.
    ///   - framing: How it ends; the default is by its length.
    /// - Returns: The answer.
    public static func reply(
      _ status: Int, headers: [(String, String)] = [], streaming body: Body,
      framing: Framing = .length
    ) -> Answer {
      var answer = Answer()
      answer.status = status
      answer.headers = headers.map { (name: $0.0, value: $0.1) }
      answer.body = body
      answer.framing = framing
      // Over HTTP/2 too; over HTTP/1.1 it would anyway.
      if framing == .untilEnd { answer.ending = .hangUp }
      return answer
    }

    /// Sends the client elsewhere.
    ///
    /// - Parameters:
    ///   - location: Where.
    ///   - status: The status; the default is 302.
    /// - Returns: The answer.
    public static func redirect(to location: String, status: Int = 302) -> Answer {
      .reply(status, headers: [("Location", location)])
    }

    /// The page to sign in with which a network answers in the place of the service, as a 200.
    public static let portal = Answer.reply(
      200, headers: [("Content-Type", "text/html; charset=utf-8")],
      body: Data(
        "<html><body><form action=\"/login\">Sign in to this network</form></body></html>".utf8))

    /// Nothing is sent, and something follows.
    public static func nothing(then ending: Ending) -> Answer {
      var answer = Answer()
      (answer.extent, answer.ending) = (.nothing, ending)
      return answer
    }

    /// Bytes are sent that need be no HTTP, and something follows.
    public static func raw(_ bytes: [UInt8], then ending: Ending = .hangUp) -> Answer {
      var answer = Answer()
      (answer.raw, answer.ending) = (bytes, ending)
      return answer
    }

    /// Nothing, for as long as the client waits.
    public static let silence = nothing(then: .silence)
    /// The connection ends properly, without an answer.
    public static let hangUp = nothing(then: .hangUp)
    /// The connection is reset.
    public static let reset = nothing(then: .reset)
    /// Bytes that are no HTTP, and the end of the connection.
    public static let garbage = raw(Array("who is there?\r\n\r\n".utf8))
  }
}
