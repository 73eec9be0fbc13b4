// SPDX-License-Identifier: Apache-2.0

extension ResilientClient.Response {
  /// Where a link in the header of this answer leads, such as to the next page.
  ///
  /// It is the first one in the field `Link` with this relation to the answer itself, and is
  /// followed within the origin of the client alone. Source: RFC 8288.
  ///
  /// - Parameter relation: What it is to this answer, such as `next`, `prev` or `last`; case does
  ///   not matter.
  /// - Returns: Its place, for a request of the same client; nil where there is no such link.
  public func link(_ relation: String) -> HTTPPath? { headers.link(relation, at: address) }

  /// Where a link in the body of this answer leads, also a relative one.
  ///
  /// It is seen from the address that has answered. One to another origin than that of the client
  /// is an error, and not sent.
  ///
  /// - Parameter link: The link, such as `?page=2` or `/v1/books/1`; a fragment is left out.
  /// - Returns: Its place, for a request of the same client.
  public func path(to link: String) -> HTTPPath { HTTPPath(link, at: address) }
}

extension ResilientClient.StreamedResponse {
  /// Where a link in the header of this answer leads, such as to the next page.
  ///
  /// - Parameter relation: What it is to this answer, such as `next`; case does not matter.
  /// - Returns: Its place, for a request of the same client; nil where there is no such link.
  public func link(_ relation: String) -> HTTPPath? { headers.link(relation, at: address) }

  /// Where a link in the body of this answer leads, also a relative one.
  ///
  /// - Parameter link: The link, such as `?page=2`; a fragment is left out.
  /// - Returns: Its place, for a request of the same client.
  public func path(to link: String) -> HTTPPath { HTTPPath(link, at: address) }
}

extension HTTPHeaderFields {
  fileprivate func link(_ relation: String, at address: WireAddress) -> HTTPPath? {
    self["link"].flatMap { LinkField.target(relation, in: $0) }.map { HTTPPath($0, at: address) }
  }
}
