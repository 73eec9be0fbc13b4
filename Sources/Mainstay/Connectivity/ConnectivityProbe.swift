// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Asks one address whether what is sent arrives, and is not fooled by a page to sign in.
///
/// It is opt-in: without one a ``ConnectivityMonitor`` sends nothing. Each question carries a word
/// that nobody can know before, and status, length and word of the answer have to be exact.
/// Preferably the address is of the app's own service.
///
/// ```swift
/// let probe = ConnectivityProbe(URL(string: "https://api.example.com/alive")!) { request in
///   try await ask(request)
/// }
/// ```
public struct ConnectivityProbe: Sendable {
  /// What is to be sent.
  public struct Request: Sendable, Hashable {
    /// The address, with the word in its query as `nonce`.
    public let url: URL
    /// Fields to be sent along: the word as `Probe-Nonce`, and that no store may answer.
    public let headers: [String: String]
    /// How much of a body is needed; the rest need not be read.
    public let maximumBytes: Int
    /// After how long nobody waits for the answer any more.
    public let timeout: Duration
  }

  /// What came back.
  public struct Response: Sendable, Hashable {
    /// The status, of the first answer: redirects are not to be followed.
    public var status: Int
    /// The fields, whatever the case of their names.
    public var headers: [String: String]
    /// The body, at least as much of it as was asked for.
    public var body: Data

    /// Makes an answer.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// What the right answer is.
  public enum Expectation: Sendable, Hashable {
    /// Status 204, no body, and the word in a field of this name.
    case noContent(echoedIn: String)
    /// Status 200, and the word as body.
    case echo
    /// Status 200, and exactly this body, for a service that knows no words.
    case body(Data)
  }

  /// What an answer says.
  public enum Verdict: Sendable, Hashable {
    /// The right one answered.
    case validated
    /// A page to sign in answered; its address, where one was given.
    case portal(URL?)
    /// The question did not arrive, or not where it was sent to.
    case notDelivered(ErrorKind)
  }

  /// The address.
  public let url: URL
  /// What the right answer is.
  public let expectation: Expectation
  /// How long an answer may take.
  public let timeout: Duration

  private let limit: Timeout.Abandoning
  private let nonce: @Sendable () -> String
  private let send: @Sendable (Request) async throws -> Response

  /// Makes a probe from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - url: The address; `http` or `https`.
  ///   - expectation: What the right answer is; the default is 204 with the word in `Probe-Nonce`.
  ///   - timeout: How long an answer may take; more than zero, cut to a year, the default is 5 s.
  ///   - clock: The clock; the default is the continuous one.
  ///   - nonce: Makes the word; the default is a new UUID.
  ///   - send: Sends the question with GET, once: it follows no redirect, asks no store and keeps
  ///     no cookies. What it throws means that the question did not arrive.
  public init(
    _ url: URL, expecting expectation: Expectation = .noContent(echoedIn: "Probe-Nonce"),
    timeout: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    nonce: @escaping @Sendable () -> String = { UUID().uuidString },
    send: @escaping @Sendable (Request) async throws -> Response
  ) {
    do throws(ConfigurationError) {
      try self.init(
        validating: url, expecting: expectation, timeout: timeout, clock: clock, nonce: nonce,
        send: send)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a probe from settings that come from outside.
  ///
  /// - Parameters:
  ///   - url: The address; `http` or `https`.
  ///   - expectation: What the right answer is; the default is 204 with the word in `Probe-Nonce`.
  ///   - timeout: How long an answer may take; more than zero, cut to a year, the default is 5 s.
  ///   - clock: The clock; the default is the continuous one.
  ///   - nonce: Makes the word; the default is a new UUID.
  ///   - send: Sends the question, as above.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating url: URL,
    expecting expectation: Expectation = .noContent(echoedIn: "Probe-Nonce"),
    timeout: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    nonce: @escaping @Sendable () -> String = { UUID().uuidString },
    send: @escaping @Sendable (Request) async throws -> Response
  ) throws(ConfigurationError) {
    var found = Violations()
    found.check(
      Self.isWeb(url) && url.host() != nil, "url", url.absoluteString,
      "it must be http or https, with a host")
    found.check(timeout > .zero, "timeout", timeout, "it must be more than zero")
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ConnectivityProbe", violations: found.all)
    }
    self.url = url
    self.expectation = expectation
    self.timeout = timeout.clamped
    limit = Timeout.Abandoning(
      timeout.clamped, disposition: .transient(), name: "connectivity probe", clock: clock)
    self.nonce = nonce
    self.send = send
  }

  /// Asks once.
  ///
  /// - Returns: What the answer says; nil where whoever asks was cancelled.
  public func check() async -> Verdict? {
    let nonce = nonce()
    let request = Request(
      url: url.appending(queryItems: [URLQueryItem(name: "nonce", value: nonce)]),
      headers: ["Cache-Control": "no-cache, no-store", "Probe-Nonce": nonce],
      maximumBytes: expectedBody(nonce).count + 1, timeout: timeout)
    do {
      let response = try await limit.runSendable { [send] in try await send(request) }
      return judge(response, nonce: nonce)
    } catch {
      guard error.isCancellation else { return .notDelivered(ErrorMapping.kind(of: error)) }
      // A client also gives up by itself, such as where it does not trust the certificate.
      return Task.isCancelled ? nil : .notDelivered(.network)
    }
  }

  /// What an answer says.
  func judge(_ response: Response, nonce: String) -> Verdict {
    switch response.status {
    case 300...399: .portal(target(of: response))
    // "Network authentication required", RFC 6585 section 6.
    case 511: .portal(url)
    case 200...299: isRight(response, nonce: nonce) ? .validated : .portal(url)
    default: .notDelivered(.server)
    }
  }

  private func isRight(_ response: Response, nonce: String) -> Bool {
    guard response.body == expectedBody(nonce) else { return false }
    return switch expectation {
    case .noContent(let name):
      response.status == 204 && field(name, of: response) == nonce
    case .echo, .body: response.status == 200
    }
  }

  private func expectedBody(_ nonce: String) -> Data {
    switch expectation {
    case .noContent: Data()
    case .echo: Data(nonce.utf8)
    case .body(let body): body
    }
  }

  private func field(_ name: String, of response: Response) -> String? {
    response.headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  /// Where a redirect leads to; anybody may have written it, so it is only ever a web address.
  private func target(of response: Response) -> URL? {
    guard let location = field("Location", of: response), location.utf8.count <= 2_048,
      let target = URL(string: location, relativeTo: url)?.absoluteURL, Self.isWeb(target)
    else { return nil }
    return target
  }

  private static func isWeb(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased())
  }
}

extension ErrorMapping {
  /// What an error is, by the current mapping.
  static func kind(of error: any Error) -> ErrorKind {
    ((error as? AppError) ?? current.map(error)).kind
  }
}
