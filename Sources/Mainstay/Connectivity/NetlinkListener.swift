// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  internal import CNetlink
  import Foundation

  /// What the thread of a ``NetlinkSource`` does: it waits, reads, and tells what is new.
  struct NetlinkListener {
    /// How reading came to its end.
    private enum Ending: Equatable {
      /// There is nothing more to read.
      case drained
      /// The list that was asked for is complete.
      case complete
      /// Notices were lost, or the list changed while it was written.
      case lost
      /// The socket is of no use any more.
      case broken
    }

    private let socket: Int32
    private let control: NetlinkSource.Control
    private let tell: @Sendable (Connectivity.Observation) -> Void
    private let peers: [[UInt8]]
    private var table: NetlinkTable
    private var last: Connectivity.Observation?
    private var kinds: [String: Connectivity.Interface] = [:]
    private var sequence: UInt32 = 0
    private var mustResync = true
    /// How often in a row the kernel could not be asked.
    private var failures = 0
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(
      socket: Int32, control: NetlinkSource.Control, peers: [[UInt8]],
      tell: @escaping @Sendable (Connectivity.Observation) -> Void
    ) {
      self.socket = socket
      self.control = control
      self.peers = peers
      self.tell = tell
      table = NetlinkTable(peers: peers)
    }

    /// Goes on until it is told to end.
    mutating func run() {
      defer { control.count { $0.hasEnded = true } }
      while !control.isEnded {
        // Whoever asks is told, also that nothing has changed.
        if control.takeResync() { (mustResync, last) = (true, nil) }
        if mustResync { resync() }
        report()
        // Where the kernel could not be asked, it is asked again after a while.
        let wait: Int32 = mustResync ? min(60_000, 250 << Int32(min(failures, 8))) : -1
        _ = waitForNotice(wait)
        control.count { $0.wakeUps += 1 }
        guard readBurst() != .broken else {
          tell(Connectivity.Observation())
          return
        }
      }
    }

    private mutating func report() {
      let new = failures > 0 ? Connectivity.Observation() : observation()
      guard new != last else { return }
      last = new
      tell(new)
    }

    private mutating func observation() -> Connectivity.Observation {
      var kinds = kinds
      defer { self.kinds = kinds }
      return table.observation { link in
        let key = "\(link.index) \(link.name)"
        if let known = kinds[key] { return known }
        if kinds.count > 1_000 { kinds = [:] }
        let kind = link.interface(deviceType: Self.deviceType(of: link.name))
        kinds[key] = kind
        return kind
      }
    }

    /// What the system calls a device, such as `wlan`; nil where it has no word for it.
    private static func deviceType(of name: String) -> String? {
      guard !name.isEmpty, name != ".", name != "..", !name.contains("/"),
        let text = try? String(contentsOfFile: "/sys/class/net/\(name)/uevent", encoding: .utf8)
      else { return nil }
      let prefix = "DEVTYPE="
      return text.split(separator: "\n").first { $0.hasPrefix(prefix) }
        .map { String($0.dropFirst(prefix.count)) }
    }

    /// Waits for a notice or a word from the source.
    ///
    /// - Parameter milliseconds: How long at most; negative for any time.
    /// - Returns: Whether there is a notice.
    private func waitForNotice(_ milliseconds: Int32) -> Bool {
      var files = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: control.wakeFile, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&files, 2, milliseconds)
      if files[1].revents != 0 { control.calm() }
      return files[0].revents != 0
    }

    /// Reads what belongs together: until the kernel has been quiet for 3 ms.
    private mutating func readBurst() -> Ending {
      for _ in 0..<64 {
        switch read(list: nil) {
        case .broken: return .broken
        case .lost: mustResync = true
        case .drained, .complete: break
        }
        guard waitForNotice(3), !control.isEnded else { break }
      }
      return .drained
    }

    /// Asks for everything, one list after the other: the kernel is busy when it is asked for two.
    private mutating func resync() {
      control.count { $0.resyncs += 1 }
      var isComplete = false
      for _ in 0..<4 where !control.isEnded {
        table = NetlinkTable(peers: peers)
        mustResync = false
        let lists = [UInt16(RTM_GETLINK), UInt16(RTM_GETADDR), UInt16(RTM_GETROUTE)]
        isComplete = lists.allSatisfy { fetch($0) == .complete }
        // What was told meanwhile may have taken routes along.
        if isComplete, !mustResync { break }
        mustResync = true
      }
      failures = isComplete ? 0 : min(failures + 1, 100)
    }

    private mutating func fetch(_ list: UInt16) -> Ending {
      sequence &+= 1
      guard mainstay_netlink_ask(socket, list, sequence) == 0 else { return .broken }
      for _ in 0..<100_000 where !control.isEnded {
        let ending = read(list: sequence)
        guard ending == .drained else { return ending }
        // An answer that does not come within 2 s is not coming.
        guard waitForNotice(2_000) || control.isEnded else { return .broken }
      }
      return .broken
    }

    /// Reads notices until there are none, or until a list is complete.
    private mutating func read(list: UInt32?) -> Ending {
      while true {
        var isNotice: Int32 = 0
        let length = buffer.withUnsafeMutableBytes {
          mainstay_netlink_receive(socket, $0.baseAddress, $0.count, &isNotice)
        }
        switch length {
        case -Int(EAGAIN): return .drained
        case -Int(ENOBUFS):
          control.count { $0.overflows += 1 }
          return .lost
        case ..<0: return .broken
        case 0: continue
        case (buffer.count + 1)...: return .lost
        default: break
        }
        let ending = take(length, isNotice: isNotice != 0, list)
        if ending != .drained { return ending }
      }
    }

    private mutating func take(_ length: Int, isNotice: Bool, _ list: UInt32?) -> Ending {
      let messages = buffer.withUnsafeBytes {
        NetlinkMessage.all(in: UnsafeRawBufferPointer(rebasing: $0.prefix(length)))
      }
      var ending = Ending.drained
      for message in messages {
        if !isNotice {
          // The rest of a list that was given up.
          if message.sequence != list { continue }
          if message.isInterrupted { return .lost }
        }
        switch message.notice {
        case nil: break
        case .done?: ending = .complete
        case .refused(let error)?: if error != 0 { return .lost }
        case .overrun?: return .lost
        case let notice?: if table.apply(notice) { mustResync = true }
        }
      }
      return ending
    }
  }
#endif
