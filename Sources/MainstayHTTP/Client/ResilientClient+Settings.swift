// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension ResilientClient {
  /// What a client does about requests and answers, besides its policies.
  public struct Settings: Sendable {
    /// Which redirections are followed.
    ///
    /// Nothing leads from `https` to `http`; what belongs to the first host, such as the sign-in,
    /// goes to no other; and what changes something goes to no other host at all.
    public enum Redirections: Sendable, Hashable {
      /// None: the answer is an error with its status.
      case never
      /// Those within the same origin, and from `http` to `https` of one host; at most so many.
      case sameOrigin(maximum: Int)
      /// All, at most so many.
      ///
      /// What fails at another origin is repeated from the first address on. It opens no breaker
      /// of the client and begins no cooldown, and no other breaker guards that origin.
      case anywhere(maximum: Int)
    }

    /// Which redirections are followed; by default at most 5 within the same origin.
    public var redirections: Redirections = .sameOrigin(maximum: 5)
    /// The most bytes of an answer that are taken; more than zero, by default 16 MiB.
    ///
    /// What is longer is an error. Streams have no such limit, nor has the length that an answer
    /// without a body names, such as one to `HEAD`.
    public var maximumAnswer = 16 * 1_048_576
    /// Says by the status and the header fields what else is no answer of the service but that of a
    /// portal; by default nothing is.
    ///
    /// A page for people where something else was wanted, and the status 511, are known for it. An
    /// app knows more of its service: one that answers with JSON alone has sent no other type, and
    /// one that redirects nobody no redirection. Compare ``HTTPHeaderFields/mediaType``, which has
    /// no parameters, and let answers without content through (204): they have no type.
    public var isPortal: @Sendable (_ status: Int, _ headers: HTTPHeaderFields) -> Bool = { _, _ in
      false
    }
    /// Fields that all requests have, such as `User-Agent`; those of a request win.
    public var headers: HTTPHeaderFields = [:]
    /// The field for idempotency keys; by default `Idempotency-Key`.
    public var keyField = "Idempotency-Key"
    /// The field that tells the service how many milliseconds its answer is waited for, by the time
    /// limits around the attempt; nil, the default, for none: no standard names one.
    public var deadlineField: String?
    /// How long a stream may be silent, and a transfer once a part of it has gone or come; more
    /// than zero, nil for ever, by default 30 seconds.
    public var streamSilence: Duration? = .seconds(30)
    /// How long a transfer may take in all, by the usual policies; more than zero, by default 10
    /// minutes.
    ///
    /// It is a request with a long body, or one that ``Request/isTransfer`` says it of.
    public var transferLimit = Duration.seconds(600)
    /// Makes what decodes answers; by default a plain `JSONDecoder`.
    public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
    /// Makes what encodes bodies; by default a `JSONEncoder` that sorts keys.
    ///
    /// Without that their order is another one in each process, and a service may refuse what is
    /// sent again under its idempotency key, after a relaunch, as something else.
    public var encoder: @Sendable () -> JSONEncoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return encoder
    }

    /// Makes the settings with their defaults.
    public init() {}
  }
}

extension ResilientClient.Settings {
  /// Checks settings that come from outside, before a client with policies of your own is made.
  ///
  /// A client that is made with illegal settings stops the program: in code they are a mistake.
  ///
  /// - Throws: `ConfigurationError` with everything that is not legal.
  public func validate() throws(ConfigurationError) {
    var found = Violations()
    switch redirections {
    case .never: break
    case .sameOrigin(let most), .anywhere(let most):
      found.check(most >= 0, "redirections", most, "it must be 0 or more")
    }
    found.check(maximumAnswer >= 1, "maximumAnswer", maximumAnswer, "it must be 1 byte or more")
    let more = "it must be more than zero"
    found.check(transferLimit > .zero, "transferLimit", transferLimit, more)
    if let streamSilence {
      found.check(streamSilence > .zero, "streamSilence", streamSilence, more + ", or nil")
    }
    let field = "it must be a header field of HTTP"
    if let name = headers.firstIllegalName {
      found.check(false, "headers", name.debugDescription, field)
    }
    check(keyField, "keyField", field, &found)
    if let deadlineField { check(deadlineField, "deadlineField", field, &found) }
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ResilientClient", violations: found.all)
    }
  }

  private func check(
    _ name: String, _ option: String, _ rule: String, _ found: inout Violations
  ) {
    let isField = HTTPHeaderFields([.init(name, "")]).firstIllegalName == nil
    found.check(isField, option, name.debugDescription, rule)
  }

  /// Stops the program where something is not legal, before a policy is made of it.
  func mustBeLegal() {
    do throws(ConfigurationError) {
      try validate()
    } catch {
      preconditionFailure(error.description)
    }
  }
}
