// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension JSONRPCErrorCatalog {
  /// The numbers that JSON-RPC 2.0 itself gives a meaning.
  ///
  /// Those from -32099 to -32000 belong to each server, so they are not here. Source: JSON-RPC 2.0,
  /// section 5.1.
  ///
  /// Their texts are there in all languages of Mainstay, under keys such as
  /// `error.jsonrpc.parse-error.title`.
  public static let standard = JSONRPCErrorCatalog([
    Entry(
      -32700, "ParseError", title: "The service could not read the request",
      meaning: "The service received something that it could not read.",
      disposition: .permanent, suggestion: update, help: specification,
      textKey: "error.jsonrpc.parse-error"),
    Entry(
      -32600, "InvalidRequest", title: "The service did not take the request",
      meaning: "The app asked in a way that the service does not take.",
      disposition: .permanent, suggestion: update, help: specification,
      textKey: "error.jsonrpc.invalid-request"),
    Entry(
      -32601, "MethodNotFound", title: "The service can’t do this",
      meaning: "The app asked for something that the service does not offer.",
      disposition: .permanent, suggestion: update, help: specification,
      textKey: "error.jsonrpc.method-not-found"),
    Entry(
      -32602, "InvalidParams", title: "The service did not take the request",
      meaning: "The app sent values that the service does not take.",
      disposition: .permanent, suggestion: update, help: specification,
      textKey: "error.jsonrpc.invalid-params"),
    Entry(
      -32603, "InternalError", title: "The service has a problem",
      meaning: "Something went wrong inside the service.",
      disposition: .transient(), suggestion: "Try again in a moment.", help: specification,
      mayHaveTakenEffect: true, textKey: "error.jsonrpc.internal-error"),
  ])

  private static let update = "Update the app. If it happens again, contact support."
  private static let specification = URL(
    string: "https://www.jsonrpc.org/specification#error_object")
}
