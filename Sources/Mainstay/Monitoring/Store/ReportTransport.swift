// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Carries encoded reports to a service: bytes and headers in, a status and headers out.
///
/// The HTTP targets supply it, and an app can supply its own.
public protocol ReportTransport: Sendable {
  /// Sends one request and waits for its reply.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: What the service answered, whatever the status.
  /// - Throws: Where there was no answer; the records stay. A cancellation is no failure.
  func send(_ request: ReportStore.Request) async throws -> ReportStore.Reply
}

extension ReportStore {
  /// What is sent at once: one record, or several of one content type and category.
  public struct Request: Sendable, Hashable {
    /// What is sent.
    public let body: Data
    /// The headers that the records ask for: `Content-Type`.
    public let headers: [String: String]
    /// The identities of the records, the oldest first; the same when they are sent again.
    public let ids: [UUID]

    /// Makes a request.
    public init(body: Data, headers: [String: String], ids: [UUID]) {
      self.body = body
      self.headers = headers
      self.ids = ids
    }
  }

  /// What a service answered.
  public struct Reply: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The headers; names in any case.
    public let headers: [String: String]
    /// How many records of an accepted request the service says it did not take; the default is
    /// none.
    ///
    /// They are never sent again.
    public let rejected: Int

    /// Makes a reply.
    public init(status: Int, headers: [String: String] = [:], rejected: Int = 0) {
      self.status = status
      self.headers = headers
      self.rejected = rejected
    }

    /// The value of a header; nil where there is none.
    func header(_ name: String) -> String? {
      let known = headers.filter { $0.key.lowercased() == name }
      // By name, so that two spellings do not make it a matter of chance.
      return known.min { $0.key < $1.key }.map { String($0.value.prefix(4_000)) }
    }
  }
}
