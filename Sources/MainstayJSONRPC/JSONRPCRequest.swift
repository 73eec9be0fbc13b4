// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// One call of a batch: a method and what it is given.
///
/// Source: JSON-RPC 2.0, section 4.
public struct JSONRPCRequest: Sendable, Hashable {
  /// The name of the method.
  public var method: String
  /// What the method is given: an array or an object; nil for nothing.
  public var params: JSONValue?
  /// The id; nil lets the client choose a number that no other call has.
  public var id: JSONRPCID?
  /// Whether nobody waits for an answer: a notification has no id and gets none.
  public var isNotification: Bool

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - id: The id; the default is a number that the client chooses.
  ///   - isNotification: Whether nobody waits for an answer; the default is false.
  public init(
    _ method: String, _ params: JSONValue? = nil, id: JSONRPCID? = nil,
    isNotification: Bool = false
  ) {
    self.method = method
    self.params = params
    self.id = id
    self.isNotification = isNotification
  }
}

/// What a server sent without being asked: a notification, or a request of its own.
public struct JSONRPCPush: Sendable, Hashable {
  /// The name of the method.
  public let method: String
  /// What came with it; nil for nothing.
  public let params: JSONValue?
  /// The id where the server waits for an answer; it is told that there is no such method.
  public let id: JSONRPCID?

  /// Makes a push, such as for a test.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What came with it; the default is nothing.
  ///   - id: The id where the server waits for an answer; the default is none.
  public init(method: String, params: JSONValue? = nil, id: JSONRPCID? = nil) {
    self.method = method
    self.params = params
    self.id = id
  }
}
