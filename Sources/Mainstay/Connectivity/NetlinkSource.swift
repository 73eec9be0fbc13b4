// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  internal import CNetlink
  import Foundation

  /// What the Linux kernel says about links, addresses and routes.
  ///
  /// It needs no rights. A thread of its own waits for notices, and uses no processor time
  /// meanwhile. Where the kernel refuses to tell, as in some sandboxes, nothing is known, and that
  /// counts as online.
  public final class NetlinkSource: ConnectivitySource {
    private let peers: [[UInt8]]
    private let receiveBuffer: Int32
    package let control: Control

    /// Makes a source.
    ///
    /// - Parameter peers: The addresses of services that are reached without a default route, as in
    ///   an app for a local network: a route to one of them counts as a way out. What is not an
    ///   address of IPv4 or IPv6 is left out. The default is none.
    public convenience init(peers: [String] = []) {
      self.init(peers: peers, receiveBuffer: 0)
    }

    /// Makes a source whose queue in the kernel has this many bytes; 0 for what the system gives.
    package init(peers: [String], receiveBuffer: Int32) {
      self.peers = peers.compactMap(Self.address)
      self.receiveBuffer = receiveBuffer
      control = Control()
    }

    deinit { control.end() }

    /// Begins to listen, on a thread of its own.
    public func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void) {
      let socket = control.isOpen ? mainstay_netlink_open(receiveBuffer) : -1
      guard socket >= 0 else { return tell(Connectivity.Observation()) }
      let (control, peers) = (control, peers)
      let thread = Thread {
        var listener = NetlinkListener(socket: socket, control: control, peers: peers, tell: tell)
        listener.run()
        close(socket)
      }
      thread.name = "mainstay.netlink"
      thread.stackSize = 512 * 1_024
      thread.start()
    }

    /// Asks the kernel for everything anew.
    public func resync() { control.resync() }

    /// Ends the thread.
    public func stop() { control.end() }

    private static func address(_ text: String) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 16)
      if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
      return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
  }

  extension NetlinkSource {
    /// What the thread is told to do, and what it did.
    package final class Control: Sendable {
      private struct State {
        var isEnded = false
        var mustResync = false
        var counts = Counts()
      }

      /// What the thread did so far.
      package struct Counts: Sendable, Equatable {
        /// How often it woke up.
        package var wakeUps = 0
        /// How often it asked for everything.
        package var resyncs = 0
        /// How often the kernel had to throw notices away.
        package var overflows = 0
        /// Whether the thread has ended.
        package var hasEnded = false
      }

      // It is closed when neither the source nor the thread has it any more.
      let wakeFile = mainstay_wake_open()
      private let state = Locked(State())

      deinit { if wakeFile >= 0 { close(wakeFile) } }

      /// What the thread did so far.
      package var counts: Counts { state.withLock { $0.counts } }

      var isOpen: Bool { wakeFile >= 0 }

      func count(_ change: @Sendable (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
      }

      func end() {
        state.withLock { $0.isEnded = true }
        wake()
      }

      func resync() {
        state.withLock { $0.mustResync = true }
        wake()
      }

      var isEnded: Bool { state.withLock { $0.isEnded } }

      func takeResync() -> Bool {
        state.withLock { state in
          defer { state.mustResync = false }
          return state.mustResync
        }
      }

      private func wake() {
        var one: UInt64 = 1
        _ = write(wakeFile, &one, 8)
      }

      func calm() {
        var count: UInt64 = 0
        _ = read(wakeFile, &count, 8)
      }
    }
  }
#endif
