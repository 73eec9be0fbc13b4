// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay

/// A program in a network of its own, which it changes and watches; it prints what it was told.
///
/// Argument: the scenario. The network is made by the test that starts it: `v0`, with the address
/// 10.9.0.1 and a default route, is the near end of a cable whose far end is `v1`.
/// One scenario needs none, and reads a clock that the test has set.
@main struct ConnectivityChild {
  static func main() async {
    #if os(Linux)
      // What hangs is ended by the kernel, a little before the test gives up.
      alarm(540)
      let scenario = CommandLine.arguments.dropFirst().first ?? ""
      switch scenario {
      case "flap": await Scenario().flap()
      case "cut": await Scenario().cut()
      case "noise": await Scenario().noise()
      case "address": await Scenario().address()
      case "route": await Scenario().route()
      case "peer": await Scenario(peers: ["10.9.0.77"]).peer()
      case "overflow": await Scenario(receiveBuffer: 2_304).overflow()
      case "idle": await Scenario().idle()
      case "levels": await Scenario().levels()
      case "latency": await Scenario().latency()
      case "refused": Scenario.refused()
      case "clock": Scenario.clock()
      default: exit(2)
      }
    #endif
  }
}

#if os(Linux)
  /// A source that can be held up, and that knows when it has told something.
  private final class WatchedSource: ConnectivitySource {
    let kernel: NetlinkSource
    private let gate = DispatchSemaphore(value: 1)
    private let reached = Locked<[ContinuousClock.Instant]>([])

    init(_ kernel: NetlinkSource) { self.kernel = kernel }

    var times: [ContinuousClock.Instant] { reached.withLock { $0 } }

    /// Lets the thread of the source stand still when it tells the next thing.
    func hold() { gate.wait() }
    func release() { gate.signal() }

    func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void) {
      kernel.start { observation in
        self.gate.wait()
        tell(observation)
        self.gate.signal()
        let now = ContinuousClock.now
        self.reached.withLock { $0.append(now) }
      }
    }

    func resync() { kernel.resync() }
    func stop() { kernel.stop() }
  }

  private final class Scenario {
    private let source: WatchedSource
    private let monitor: ConnectivityMonitor
    private let told: Told
    private let commands = Pipe()
    private let process = Process()

    init(peers: [String] = [], receiveBuffer: Int32 = 0) {
      Self.waitForCarrier()
      source = WatchedSource(NetlinkSource(peers: peers, receiveBuffer: receiveBuffer))
      monitor = ConnectivityMonitor(source: source)
      told = Told(monitor.updates)
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["ip", "-force", "-batch", "-"]
      process.standardInput = commands
      do { try process.run() } catch { exit(3) }
    }

    /// The kernel says that a cable is plugged in up to a second after it is.
    private static func waitForCarrier() {
      while true {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ip", "-o", "link", "show", "v0"]
        process.standardOutput = output
        do { try process.run() } catch { exit(3) }
        let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        if String(decoding: text, as: UTF8.self).contains("state UP") { return }
        poll(nil, 0, 20)
      }
    }

    /// Changes the network; the kernel may take its time.
    private func ip(_ line: String) {
      try? commands.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Changes the network; on return the kernel has done it.
    private func ipNow(_ lines: [String]) {
      let (process, input) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["ip", "-force", "-batch", "-"]
      process.standardInput = input
      do { try process.run() } catch { exit(3) }
      try? input.fileHandleForWriting.write(
        contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    /// Lets real time pass, for what must not happen.
    private func rest(_ milliseconds: Int32) {
      fflush(nil)
      poll(nil, 0, milliseconds)
    }

    private func end(_ more: String = "") {
      rest(200)
      let values = told.values
      print(
        "told=\(values.map(\.standing.rawValue).joined(separator: " "))",
        "networks=\(Set(values.map(\.network)).count) \(more)")
      monitor.shutDown()
      while !source.kernel.control.counts.hasEnded { rest(1) }
      print("ended")
      try? commands.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    /// The far end is switched off and on: the carrier goes and comes.
    func flap() async {
      await told.online()
      for _ in 0..<3 {
        ip("link set v1 down")
        await told.offline()
        ip("link set v1 up")
        await told.online()
      }
      end()
    }

    /// The near end is switched off: the kernel forgets the route and says nothing of it.
    func cut() async {
      await told.online()
      ip("link set v0 down")
      await told.offline()
      ip("link set v0 up")
      await told.until { $0.link == .up }
      print("route=\(monitor.current.route)")
      ip("route add default via 10.9.0.2")
      await told.online()
      end()
    }

    /// Notices that mean nothing.
    func noise() async {
      await told.online()
      rest(100)
      let before = source.kernel.control.counts.wakeUps
      for number in 0..<20 {
        ipNow([
          "addr change fd00::1/64 dev v0 preferred_lft 0 valid_lft 1000",
          "addr change fd00::1/64 dev v0 preferred_lft 500 valid_lft 1000",
          "addr add fd00::\(number + 9)/64 dev v0 nodad", "link set v0 mtu \(1_400 + number)",
          "link add d\(number) type veth peer name e\(number)", "link del d\(number)",
        ])
      }
      rest(100)
      end("noticed=\(source.kernel.control.counts.wakeUps > before)")
    }

    /// Another address: another network.
    func address() async {
      await told.online()
      ipNow(["addr add 10.9.0.5/24 dev v0"])
      await told.until { $0.network == 1 }
      ipNow(["addr del 10.9.0.5/24 dev v0"])
      await told.until { $0.network == 2 }
      ipNow(["addr del 10.9.0.1/24 dev v0"])
      await told.offline()
      print("route=\(monitor.current.route)")
      end()
    }

    func route() async {
      await told.online()
      ip("route del default")
      await told.offline()
      ip("route add default via 10.9.0.2")
      await told.online()
      end()
    }

    /// Without a default route, the way to the one peer that matters is enough.
    func peer() async {
      await told.online()
      ipNow(["route del default"])
      rest(100)
      print("standing=\(monitor.current.standing)")
      ip("route del 10.9.0.0/24")
      await told.offline()
      end()
    }

    /// So many notices while nobody reads that the kernel throws some away.
    func overflow() async {
      await told.online()
      source.hold()
      ipNow(["route del default"])
      ipNow((0..<300).map { "addr add 10.\($0 / 250).\($0 % 250).7/32 dev v0" })
      ipNow(["route add default via 10.9.0.2"])
      ipNow((0..<300).map { "addr add 11.\($0 / 250).\($0 % 250).7/32 dev v0" })
      source.release()
      await told.until { $0.standing == .online && $0.network > 0 }
      rest(300)
      let counts = source.kernel.control.counts
      print("overflows=\(counts.overflows > 0) resyncs=\(counts.resyncs > 1)")
      print("standing=\(monitor.current.standing)")
      end()
    }

    /// The cable flickers, is pulled for a while, and is back: what an app makes of that.
    func levels() async {
      await told.online()
      // A machine that stands still between two flickers for less than the delay offers nothing.
      let controller = DegradationController(
        .standard, dwell: .milliseconds(500), riseDelay: .seconds(10))
      var changes = controller.changes.makeAsyncIterator()
      controller.follow(monitor)
      for _ in 0..<3 {
        ip("route del default")
        await told.offline()
        ip("route add default via 10.9.0.2")
        await told.online()
      }
      ip("link set v1 down")
      await printNext(&changes)
      ip("link set v1 up")
      await printNext(&changes)
      print("changes=\(controller.history.count)")
      controller.end()
      end()
    }

    private func printNext(
      _ changes: inout AsyncStream<DegradationController.Change>.AsyncIterator
    ) async {
      guard let change = await changes.next(isolation: nil) else { return }
      print("\(change.from)>\(change.to)")
    }

    /// Nothing happens for two seconds.
    func idle() async {
      await told.online()
      var (wakeUps, spent) = (0, 0)
      // What setting the network up has left behind may come late: ten tries. Whoever looks every
      // two seconds or more often is seen in each of them.
      for _ in 0..<10 {
        let (before, time) = (source.kernel.control.counts.wakeUps, Self.processorTime)
        rest(2_000)
        (wakeUps, spent) = (
          source.kernel.control.counts.wakeUps - before, Self.processorTime - time
        )
        if wakeUps == 0, spent < 25_000 { break }
      }
      print("wakeUps=\(wakeUps) idle=\(spent < 25_000)")
      end("spent=\(spent)us")
    }

    /// The processor time of all threads, in microseconds.
    private static var processorTime: Int {
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }

    /// From the command to the state, with the way through `ip` in it.
    func latency() async {
      await told.online()
      rest(300)
      var waits: [Double] = []
      for round in 0..<200 {
        let count = source.times.count
        let start = ContinuousClock.now
        ip(round.isMultiple(of: 2) ? "route del default" : "route add default via 10.9.0.2")
        while source.times.count == count { rest(1) }
        let wait = start.duration(to: source.times[count])
        waits.append(Double(wait.components.attoseconds) / 1e15)
        rest(60)
      }
      waits.sort()
      print(
        "p50=\(waits[100])ms p95=\(waits[190])ms max=\(waits[199])ms n=\(waits.count)",
        "told=\(told.values.count)")
      end()
    }

    /// Reads the live clock between two readings of the system's, which counts the sleep of a
    /// device.
    static func clock() {
      let before = uptime()
      let reading = Timeline(ContinuousClock()).now
      let after = uptime() + .milliseconds(10)
      print("uptime=\(before.components.seconds)")
      print("counts=\(before <= reading && reading <= after)")
    }

    /// How long ago the system was started, sleep included, cut to hundredths of a second.
    private static func uptime() -> Duration {
      let text = try? String(contentsOfFile: "/proc/uptime", encoding: .utf8)
      return .seconds(text?.split(separator: " ").first.flatMap { Double($0) } ?? -1)
    }

    /// No file may be opened, so there is no socket either.
    static func refused() {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 3
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let monitor = ConnectivityMonitor()
      let current = monitor.current
      print("standing=\(current.standing) link=\(current.link) try=\(current.isWorthTrying)")
      monitor.shutDown()
    }
  }
#endif
