// SPDX-License-Identifier: Apache-2.0

internal import MainstayTesting
internal import NIOCore

/// One direction of a connection through a proxy; on the event loop of that.
final class Flow {
  private enum Part {
    case bytes(ByteBuffer)
    case end
  }

  /// How many bytes wait at most, but for those of one read.
  private static let limit = 256 << 10

  private let rule: Fault.Rule
  private let loop: any EventLoop
  private var random: SeededGenerator
  private var queue: [(due: NIODeadline, part: Part)] = []
  /// How many bytes wait.
  private var waiting = 0
  /// How many bytes have gone on.
  private var count = 0
  private var isHeld: Bool
  private var isPumping = false
  private var isTimed = false
  private var isFinished = false
  private var isFull = false
  /// Nothing more goes on.
  private var isOver = false
  private var lastWrite: EventLoopFuture<Void>?
  /// Before then nothing more goes on.
  private var next = NIODeadline.uptimeNanoseconds(0)

  /// Whether the sink knows that nothing more comes.
  private(set) var hasEnded = false
  /// As many bytes have passed as may.
  var reached: ((Fault.Rule.AtLimit) -> Void)?
  /// So many bytes have gone on.
  var passed: ((Int) -> Void)?
  /// All has gone on that ever came, and the sink knows.
  var ended: (() -> Void)?
  /// Where it comes from.
  var source: (any Channel)?
  /// Where it goes; until that is known, all waits.
  var sink: (any Channel)? {
    didSet { pump() }
  }

  init(_ rule: Fault.Rule, seed: UInt64, on loop: any EventLoop) {
    self.rule = rule
    self.loop = loop
    random = SeededGenerator(seed: seed)
    isHeld = rule.isHeld
  }

  func add(_ buffer: ByteBuffer) {
    // What is not handed on any more is read all the same, so that its end is seen.
    guard !rule.isSwallowed, !isOver || isStalling else { return }
    waiting += buffer.readableBytes
    add(.bytes(buffer))
    read(waiting < Self.limit)
  }

  /// Whether it stands still where no more may pass, for whoever sends as well.
  private var isStalling: Bool {
    if case .stall = rule.atLimit { true } else { false }
  }

  /// Nothing more will come.
  func finish() {
    guard !isFinished else { return }
    isFinished = true
    // A response that nobody hands on is still waited for by the client.
    if !rule.isSwallowed { add(.end) }
  }

  /// What was held goes on.
  func release() {
    isHeld = false
    pump()
  }

  /// Hands nothing more on, and tells the sink when it has what came before.
  func close() {
    isOver = true
    // Nobody gets what waits, so it must not keep the source from being read.
    (queue, waiting) = ([], 0)
    read(true)
    whenWritten { [self] in
      guard !hasEnded else { return }
      hasEnded = true
      if !rule.hasNoEnd { sink?.close(mode: .output, promise: nil) }
      ended?()
    }
  }

  /// Does something once the system has all that went on.
  func whenWritten(_ action: @escaping () -> Void) {
    guard let lastWrite else {
      action()
      return
    }
    lastWrite.assumeIsolated().whenComplete { _ in action() }
  }

  /// Lets go of everybody that it tells.
  func forget() {
    isOver = true
    (reached, passed, ended, source, sink) = (nil, nil, nil, nil, nil)
    queue = []
  }

  private func add(_ part: Part) {
    guard !isOver, !rule.isSwallowed else { return }
    let late = rule.latency + rule.jitter * Double.random(in: 0..<1, using: &random)
    let due = NIODeadline.now() + .nanoseconds(late.inNanoseconds)
    // Bytes do not overtake each other.
    queue.append((max(due, queue.last?.due ?? due), part))
    pump()
  }

  /// Sends what may go on now, as far as the sink takes it.
  func pump() {
    // A write may say at once that more may be written.
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while let sink, !isOver, !isHeld, !isTimed, let first = queue.first {
      let due = max(first.due, next)
      guard due <= .now() else {
        wait(until: due)
        return
      }
      switch first.part {
      case .end:
        queue.removeFirst()
        close()
      case .bytes(let buffer):
        guard sink.isActive else {
          close()
          return
        }
        // It says so as soon as it takes more.
        guard sink.isWritable else { return }
        send(buffer, to: sink)
      }
    }
    read(waiting < Self.limit / 2)
  }

  /// Sends one piece, and keeps the rest.
  private func send(_ bytes: ByteBuffer, to sink: any Channel) {
    var bytes = bytes
    let length = min(rule.piece, bytes.readableBytes, rule.limit - count)
    var piece = bytes.readSlice(length: length) ?? ByteBuffer()
    // All is as it will be before the write, which may end the connection.
    if bytes.readableBytes == 0 {
      queue.removeFirst()
    } else {
      queue[0].part = .bytes(bytes)
    }
    if let index = rule.corrupted, index >= count, index < count + length {
      let place = piece.readerIndex + index - count
      piece.setInteger(~(piece.getInteger(at: place, as: UInt8.self) ?? 0), at: place)
    }
    count += length
    waiting -= length
    next = .now() + .nanoseconds(rule.pause.inNanoseconds)
    let isAtLimit = count >= rule.limit
    isOver = isOver || isAtLimit
    if length > 0 {
      passed?(length)
      lastWrite = sink.writeAndFlush(piece)
    }
    if isAtLimit { reached?(rule.atLimit) }
  }

  /// Takes more from the source, or leaves it there.
  private func read(_ isOn: Bool) {
    // Between both limits all stays as it is.
    guard isOn == isFull, isOn || waiting >= Self.limit else { return }
    isFull = !isOn
    try? source?.syncOptions?.setOption(.autoRead, value: isOn)
  }

  private func wait(until due: NIODeadline) {
    isTimed = true
    loop.assumeIsolated().scheduleTask(deadline: due) { [self] in
      isTimed = false
      pump()
    }
  }
}
