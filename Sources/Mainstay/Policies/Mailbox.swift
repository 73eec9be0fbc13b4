// SPDX-License-Identifier: Apache-2.0

/// What others have to be told: written down under a lock, and delivered outside of it by one
/// caller at a time, in order.
///
/// It lies inside the locked state that its messages are about, so that they have the order of the
/// changes. What is posted while somebody delivers is delivered by the same caller, also what
/// delivering causes; whoever posted it does not wait for that.
package struct Mailbox<Message: Sendable>: Sendable {
  private var messages: [Message] = []
  private var isDelivering = false

  package init() {}

  /// How many messages wait; those that somebody has taken are not among them.
  var count: Int { messages.count }

  /// Writes a message down.
  package mutating func post(_ message: Message) { messages.append(message) }

  /// Whether the caller has to deliver what is in the mailbox, since nobody else does.
  package mutating func beginDelivery() -> Bool {
    guard !messages.isEmpty, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// What is to be delivered next; the delivery is over when there is nothing.
  package mutating func takeForDelivery() -> [Message] {
    defer { messages = [] }
    isDelivering = !messages.isEmpty
    return messages
  }
}

extension Locked where Value: Sendable {
  /// Changes the value, and delivers outside of the lock what is in its mailbox, unless somebody
  /// does so already.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox of the value.
  ///   - change: What is done under the lock before; by default nothing.
  ///   - tell: Tells one message.
  package borrowing func deliver<Message>(
    _ mailbox: WritableKeyPath<Value, Mailbox<Message>>,
    after change: (inout Value) -> Void = { _ in }, _ tell: (Message) -> Void
  ) {
    var messages = withLock { value in
      change(&value)
      return value[keyPath: mailbox].beginDelivery()
        ? value[keyPath: mailbox].takeForDelivery() : []
    }
    while !messages.isEmpty {
      for message in messages { tell(message) }
      messages = withLock { $0[keyPath: mailbox].takeForDelivery() }
    }
  }
}
