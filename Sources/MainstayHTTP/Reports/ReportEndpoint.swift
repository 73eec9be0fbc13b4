// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// Where reports are sent, and by which headers the service knows the sender.
///
/// What describes it shows neither the headers' values nor the query of the address.
public struct ReportEndpoint: Sendable, Hashable {
  /// The address that takes the reports.
  public let url: URL
  /// The headers of every request, besides those that a report asks for.
  public let headers: [String: String]

  /// Checks an address and headers that come from outside.
  ///
  /// - Parameters:
  ///   - url: The address: http or https, with a host, and without a user.
  ///   - headers: The headers of every request.
  /// - Throws: `ConfigurationError` with everything that is not legal, without any secret.
  public init(
    validating url: URL, headers: [String: String] = [:]
  ) throws(ConfigurationError) {
    var found = Violations()
    EndpointRules.check(url, "url", &found)
    EndpointRules.check(headers, "headers", &found)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "ReportEndpoint", violations: found.all)
    }
    self.init(url, headers)
  }

  init(_ url: URL, _ headers: [String: String]) {
    self.url = url
    self.headers = headers
  }

  /// Where a project of Sentry takes envelopes.
  public static func sentry(_ dsn: SentryDSN) -> ReportEndpoint { dsn.endpoint }

  /// Where a collector takes logs by OTLP over HTTP, from what `OTEL_EXPORTER_OTLP_ENDPOINT` and
  /// `OTEL_EXPORTER_OTLP_HEADERS` say.
  ///
  /// Source: OpenTelemetry, "OpenTelemetry Protocol Exporter".
  ///
  /// - Parameters:
  ///   - base: The address to which `/v1/logs` is added, such as `http://localhost:4318`.
  ///   - headers: Names and values such as `api-key=123,tenant=a%20b`; values are percent-encoded.
  /// - Returns: The endpoint.
  /// - Throws: `ConfigurationError` with everything that is not legal, without any secret.
  public static func otlpLogs(
    base: String, headers: String = ""
  ) throws(ConfigurationError) -> ReportEndpoint {
    var found = Violations()
    let fields = EndpointRules.fields(headers, &found)
    var components = URLComponents(string: EndpointRules.trimmed(base))
    let path = components?.percentEncodedPath ?? ""
    components?.percentEncodedPath = path + (path.hasSuffix("/") ? "v1/logs" : "/v1/logs")
    let url = components?.url
    found.check(
      url != nil, "base", "a text of \(base.count) characters", "it must be an address")
    if let url { EndpointRules.check(url, "base", &found) }
    guard let url, found.all.isEmpty else {
      throw ConfigurationError(subject: "ReportEndpoint.otlpLogs", violations: found.all)
    }
    return ReportEndpoint(url, fields)
  }
}

extension ReportEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address without its query, and the names of the headers.
  public var description: String {
    let names = headers.keys.sorted()
    let address = HTTPError.redacted(url.absoluteString)
    return names.isEmpty ? address : "\(address) (\(names.joined(separator: ", ")))"
  }

  /// The same as the description.
  public var debugDescription: String { description }

  /// Nothing: `dump` would show the headers.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is legal where an endpoint is described from outside.
enum EndpointRules {
  static func check(_ url: URL, _ option: String, _ found: inout Violations) {
    let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let scheme = components?.scheme?.lowercased()
    found.check(
      scheme == "http" || scheme == "https", "\(option).scheme", shown(scheme),
      "it must be http or https")
    let host = components?.host
    found.check(host?.isEmpty == false, "\(option).host", shown(host), "there must be one")
    let hasUser = components?.user != nil || components?.password != nil
    found.check(
      !hasUser, "\(option).user", "<redacted>", "there must be none; a header can say who sends")
  }

  static func check(
    _ headers: [String: String], _ option: String, _ found: inout Violations
  ) {
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      found.check(isName(name), option, shown(name), "it must be the name of a header")
      found.check(
        value.unicodeScalars.allSatisfy(isLegal), "\(option).\(BoundedText.cut(name, to: 100))",
        "<redacted>", "it must be printable ASCII, without line breaks")
    }
  }

  /// Reads `name=value,name2=value2`.
  static func fields(_ text: String, _ found: inout Violations) -> [String: String] {
    var fields: [String: String] = [:]
    for (index, part) in text.split(separator: ",").enumerated() {
      let member = trimmed(part)
      if member.isEmpty { continue }
      guard let equals = member.firstIndex(of: "=") else {
        found.check(
          false, "headers[\(index)]", "<redacted>", "it must be a name and a value with = between")
        continue
      }
      let name = trimmed(member[..<equals])
      let encoded = trimmed(member[member.index(after: equals)...])
      guard let value = encoded.removingPercentEncoding else {
        found.check(false, "headers.\(name)", "<redacted>", "% must be followed by two digits")
        continue
      }
      fields[name] = value
    }
    check(fields, "headers", &found)
    return fields
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  static func shown(_ value: String?) -> String {
    guard let value, !value.isEmpty else { return "nothing" }
    return BoundedText.redacted(value, to: 100)
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic
            || "0123456789!#$%&'*+-.^_`|~"
              .unicodeScalars.contains(scalar))
      }
  }

  private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || (0x20...0x7e).contains(scalar.value)
  }
}
