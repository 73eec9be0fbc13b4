// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

/// The address of a project of Sentry, with its key: `https://<key>@<host>/<project>`.
///
/// What describes it shows no key. Source: Sentry's developer documentation, "DSN" and
/// "Authentication".
public struct SentryDSN: Sendable, Hashable {
  /// The number of the project.
  public let project: String

  private let url: URL
  private let key: String
  private let secret: String?

  /// Reads an address.
  ///
  /// - Parameter text: The address, as the settings of the project show it; spaces around it do not
  ///   matter.
  /// - Throws: `ConfigurationError` with everything that is not legal, without any key.
  public init(_ text: String) throws(ConfigurationError) {
    var found = Violations()
    let text = EndpointRules.trimmed(text)
    var components = URLComponents(string: text)
    let scheme = components?.scheme?.lowercased()
    found.check(
      scheme == "http" || scheme == "https", "scheme", EndpointRules.shown(scheme),
      "it must be http or https")
    let host = components?.host
    found.check(host?.isEmpty == false, "host", EndpointRules.shown(host), "there must be one")
    let key = components?.user ?? ""
    found.check(
      Self.isWord(key), "key", key.isEmpty ? "nothing" : "<redacted>",
      "it must be letters and digits, between the scheme and an @")
    let secret = components?.password.flatMap { $0.isEmpty ? nil : $0 }
    found.check(
      secret.map(Self.isWord) ?? true, "secret", "<redacted>", "it must be letters and digits")
    let path = components?.percentEncodedPath.split(separator: "/").map(String.init) ?? []
    let project = path.last ?? ""
    found.check(
      Self.isWord(project), "project", EndpointRules.shown(project),
      "it must be the number of the project, at the end of the path")
    found.check(
      components?.query == nil && components?.fragment == nil, "query", "<redacted>",
      "there must be none")
    components?.user = nil
    components?.password = nil
    components?.percentEncodedPath =
      "/" + (path.dropLast() + ["api", project, "envelope", ""]).joined(separator: "/")
    guard let url = components?.url, found.all.isEmpty else {
      if found.all.isEmpty { found.check(false, "dsn", "<redacted>", "it must be an address") }
      throw ConfigurationError(subject: "SentryDSN", violations: found.all)
    }
    self.url = url
    self.key = key
    self.secret = secret
    self.project = project
  }

  /// Where the project takes envelopes, with the header `X-Sentry-Auth`.
  public var endpoint: ReportEndpoint {
    let client = "mainstay.swift/\(MainstayVersion.current)"
    var parts = ["sentry_version=7", "sentry_client=\(client)", "sentry_key=\(key)"]
    if let secret { parts.append("sentry_secret=\(secret)") }
    return ReportEndpoint(url, ["X-Sentry-Auth": "Sentry " + parts.joined(separator: ", ")])
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
      && text.utf8.allSatisfy { byte in
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isDigit || isLetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}

extension SentryDSN: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address for envelopes, without any key.
  public var description: String { "SentryDSN(\(url.absoluteString))" }

  /// The same as the description.
  public var debugDescription: String { description }

  /// The project alone: `dump` would show the keys.
  public var customMirror: Mirror { Mirror(self, children: ["project": project]) }
}
