// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What carries one request to a service, and the answer back: the part that a library for HTTP
/// does.
///
/// It sends what it is given, once, and decides nothing: it follows no redirection, repeats
/// nothing, and keeps no cookies and no answers. All of that is up to whoever uses it.
public protocol HTTPTransport: Sendable {
  /// Sends one request, and returns as soon as the head of the answer is there.
  ///
  /// - Parameter transmission: What is sent.
  /// - Returns: The answer, whatever its status; its body is still to be read.
  /// - Throws: `AppError` where there was no answer; its `mayHaveBeenSent` is false where it is
  ///   certain that the service has not got the request. A cancellation.
  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply
}

/// A transport that ends a request by itself when the time that `HeededLimit` names is over, up to
/// the head of its answer; `ContinuousClock` alone is heeded.
package protocol DeadlineHeedingTransport: HTTPTransport {}

/// One request, as it goes over the wire.
public struct HTTPTransmission: Sendable {
  /// What a request carries.
  public enum Body: Sendable {
    /// Nothing.
    case none
    /// Bytes.
    case bytes(Data)
    /// Parts that come one after the other.
    case stream(HTTPByteStream)
  }

  /// The method.
  public var verb: HTTPVerb
  /// The address, absolute, with the scheme `http` or `https`.
  public var url: URL {
    get { address.url }
    set { address = WireAddress(newValue) }
  }
  /// The header fields; those about connection and length are the transport's.
  public var headers: HTTPHeaderFields
  /// What it carries.
  public var body: Body
  /// Whether sending it twice does no harm; where it does, a transport makes sure that no library
  /// below it repeats the request by itself.
  public var isRepeatable: Bool
  /// The address as it is sent.
  package private(set) var address: WireAddress

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - verb: The method.
  ///   - url: The address, absolute.
  ///   - headers: The header fields; none by default.
  ///   - body: What it carries; nothing by default.
  ///   - isRepeatable: Whether sending it twice does no harm; nil, the default, where the method
  ///     says so.
  public init(
    _ verb: HTTPVerb, _ url: URL, headers: HTTPHeaderFields = [:], body: Body = .none,
    isRepeatable: Bool? = nil
  ) {
    self.init(
      verb, WireAddress(url), headers: headers, body: body,
      isRepeatable: isRepeatable ?? verb.isIdempotent)
  }

  init(
    _ verb: HTTPVerb, _ address: WireAddress, headers: HTTPHeaderFields, body: Body,
    isRepeatable: Bool
  ) {
    self.verb = verb
    self.address = address
    self.headers = headers
    self.body = body
    self.isRepeatable = isRepeatable
  }
}

/// The answer to one request, whose body is still to be read.
public struct HTTPReply: Sendable {
  /// The status, such as 200.
  public let status: Int
  /// The header fields.
  public let headers: HTTPHeaderFields
  /// The body; who does not read it to its end gives the rest up.
  public let body: HTTPByteStream

  /// Makes an answer.
  public init(status: Int, headers: HTTPHeaderFields, body: HTTPByteStream) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// How many bytes of a body there will be after a request with this method; nil where nobody
  /// knows.
  ///
  /// An answer without one may still say how long it would have been. Source: RFC 9110, sections
  /// 8.6 and 9.3.2.
  func length(to verb: HTTPVerb) -> Int? {
    verb == .head || status == 204 || status == 304 ? 0 : body.length
  }
}
