// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension JSONRPCErrorCatalog {
  /// The numbers that JSON-RPC 2.0 itself gives a meaning.
  ///
  /// Those from -32099 to -32000 belong to each server, so they are not here. Source: JSON-RPC 2.0,
  /// section 5.1.
  public static let standard = JSONRPCErrorCatalog([
    Entry(
      -32700, "ParseError", title: "The service could not read the request",
      meaning: "The service received something that it could not read.",
      disposition: .permanent, suggestion: update, help: specification),
    Entry(
      -32600, "InvalidRequest", title: "The service did not take the request",
      meaning: "The app asked in a way that the service does not take.",
      disposition: .permanent, suggestion: update, help: specification),
    Entry(
      -32601, "MethodNotFound", title: "The service can’t do this",
      meaning: "The app asked for something that the service does not offer.",
      disposition: .permanent, suggestion: update, help: specification),
    Entry(
      -32602, "InvalidParams", title: "The service did not take the request",
      meaning: "The app sent values that the service does not take.",
      disposition: .permanent, suggestion: update, help: specification),
    Entry(
      -32603, "InternalError", title: "The service has a problem",
      meaning: "Something went wrong inside the service.",
      disposition: .transient(), suggestion: "Try again in a moment.", help: specification,
      mayHaveTakenEffect: true),
  ])

  private static let update = "Update the app. If it happens again, contact support."
  private static let specification = URL(
    string: "https://www.jsonrpc.org/specification#error_object")
}
