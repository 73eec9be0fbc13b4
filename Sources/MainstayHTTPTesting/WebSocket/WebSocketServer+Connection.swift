// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOCore

extension WebSocketServer {
  /// One client, for a script to talk to.
  ///
  /// What is sent after the connection has ended is lost in silence; a script ends when
  /// ``messages`` do.
  public final class Connection: Sendable {
    struct State {
      var answersPings = true
      var answersClose = true
      var hasSentClose = false
      var hasHeardClose = false
      /// Whether the client waits for an answer that it is not to get.
      var isIgnoringClose: Bool { hasHeardClose && !answersClose && !hasSentClose }
    }

    /// The number of the connection: the first one is 0.
    public let number: Int
    /// The request that asked for it.
    public let request: ReceivedRequest
    /// What the client sends, whole messages; they end when the client closes or is gone.
    ///
    /// Each message is handed to one who asks. Where 4 MiB wait to be taken, nothing more is read.
    public let messages: Messages

    let inbox = Inbox<Message>(limit: 4 << 20)
    let state = Locked(State())
    private let channel: any Channel

    init(number: Int, request: ReceivedRequest, channel: any Channel) {
      self.number = number
      self.request = request
      self.channel = channel
      messages = Messages(inbox: inbox)
      inbox.whenThereIsRoom { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    /// Sends a message, and returns once the system has it.
    public func send(_ message: Message) async {
      switch message {
      case .text(let text): await send(text)
      case .binary(let bytes): await send(bytes)
      }
    }

    /// Sends text, and returns once the system has it.
    public func send(_ text: String) async { await send(frame: .text(text)) }

    /// Sends bytes, and returns once the system has them.
    public func send(_ bytes: [UInt8]) async { await send(frame: Frame(opcode: 2, bytes)) }

    /// Sends text in several frames.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - size: How many bytes a frame has at most; 1 or more. Frames may end inside a character.
    public func send(_ text: String, inFragmentsOf size: Int) async {
      let bytes = Array(text.utf8)
      let starts = Array(stride(from: 0, to: max(bytes.count, 1), by: max(size, 1)))
      for start in starts {
        let end = min(start + max(size, 1), bytes.count)
        await send(
          frame: Frame(
            opcode: start == 0 ? 1 : 0, Array(bytes[start..<end]), isFinal: start == starts.last))
      }
    }

    /// Sends a frame, legal or not.
    public func send(frame: Frame) async {
      if frame.opcode == 8 { state.withLock { $0.hasSentClose = true } }
      await channel.send(frame.bytes)
    }

    /// Sends bytes that need be no frame.
    public func send(raw bytes: [UInt8]) async { await channel.send(ByteBuffer(bytes: bytes)) }

    /// Sends a ping; the log tells when the pong has come.
    public func ping(_ payload: [UInt8] = []) async { await send(frame: Frame(opcode: 9, payload)) }

    /// Sends a close frame; the connection ends when the client has answered it.
    ///
    /// - Parameters:
    ///   - code: Any number of 16 bits, legal or not; nil for none. The default is 1000.
    ///   - reason: Any text; more than 123 bytes are illegal, and are sent nevertheless.
    public func close(code: Int? = 1000, reason: String = "") async {
      await send(frame: .close(code: code, reason: reason))
    }

    /// Answers no pings from now on.
    ///
    /// A client that may ask before the script comes to this is to wait for a message.
    public func ignorePings() { state.withLock { $0.answersPings = false } }

    /// Answers no close frame from now on, and does not end the connection after one, not even as
    /// the script ends.
    ///
    /// A client that may close before the script comes to this is to wait for a message.
    public func ignoreClose() { state.withLock { $0.answersClose = false } }

    /// Reads nothing more, until ``resumeReading()``, so that the client gets stuck.
    public func stopReading() async {
      try? await channel.setOption(.autoRead, value: false).get()
    }

    /// Reads again.
    public func resumeReading() async {
      try? await channel.setOption(.autoRead, value: true).get()
    }

    /// Ends the connection properly for TCP, without a close frame.
    public func hangUp() async { await channel.end(.hangUp) }

    /// Says nothing more, without a close frame, and goes on reading.
    public func finish() async { await channel.end(.finish) }

    /// Resets the connection.
    public func reset() async { await channel.end(.reset) }

    /// Returns when the connection is over; how it ended is in the log.
    public func ended() async { try? await channel.closeFuture.get() }

    /// The script is over.
    func scriptEnded() async {
      let (isClosing, isIgnoringClose) = state.withLock { ($0.hasSentClose, $0.isIgnoringClose) }
      guard !isClosing else { return }
      // A close frame would be taken for the answer, and so would the end of the connection.
      if isIgnoringClose { await ended() } else { await close() }
    }
  }

  /// What a client sends.
  public struct Messages: AsyncSequence, Sendable {
    /// Takes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let inbox: Inbox<Message>

      /// Waits for a message; nil when there will be none, or where the task is cancelled.
      public mutating func next() async -> Message? { await inbox.take() }
    }

    let inbox: Inbox<Message>

    /// Begins with the first that was not taken yet.
    public func makeAsyncIterator() -> Iterator { Iterator(inbox: inbox) }
  }
}
