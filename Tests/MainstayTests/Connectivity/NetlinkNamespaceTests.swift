// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A real kernel, real interfaces and a real `ip`, in a network of the child's own.
  ///
  /// Nothing here waits for time to pass: the child does, for at most a second or two,
  /// where something must not happen. What it measures is printed; what is compared are counts.
  @Suite(.ends(withinMinutes: 10), .serialized) struct NetlinkNamespaceTests {
    /// What the child printed, line by line.
    private func play(_ scenario: String) async throws -> [String] {
      let network = """
        ip link set lo up
        ip link add v0 type veth peer name v1
        ip link set v0 addrgenmode none
        ip link set v1 addrgenmode none
        ip addr add 10.9.0.1/24 dev v0
        ip addr add fd00::1/64 dev v0 nodad
        ip link set v0 up
        ip link set v1 up
        ip route add default via 10.9.0.2
        exec "$0" "$1"
        """
      // Root may have no user namespaces and needs none; everybody else needs one.
      let script = """
        export PATH="$PATH:/usr/sbin:/sbin"
        rights=-Urn
        unshare -Urn true 2>/dev/null || rights=-n
        exec unshare $rights sh -ec '\(network)' "$0" "$1"
        """
      let end = try await BuiltProgram.run("ConnectivityChild", inShell: script, [scenario])
      #expect(end.status == 0, "\(scenario): \(end.output) \(end.errors)")
      #expect(end.output.contains("ended\n") || scenario == "refused", "its thread has ended")
      return end.output.split(separator: "\n").map(String.init)
    }

    /// What was told in order, without what was not known at first.
    private func told(_ lines: [String]) throws -> [String] {
      let line = try #require(lines.first { $0.hasPrefix("told=") })
      let words = line.dropFirst(5).split(separator: " ").prefix { !$0.contains("=") }
      return words.drop { $0 == "unknown" }.map(String.init)
    }

    /// The same without repetitions, in which something else has changed.
    private func standings(_ lines: [String]) throws -> [String] {
      try told(lines).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    @Test(.requirement("O13", "C16")) func `one flap is one down and one up`() async throws {
      let lines = try await play("flap")
      #expect(
        try told(lines) == [
          "online", "offline", "online", "offline", "online", "offline", "online",
        ])
    }

    @Test(.requirement("A12", "A25"))
    func `an app without its network goes offline and comes back once, whatever flickers`()
      async throws
    {
      let lines = try await play("levels")
      #expect(lines.contains("changes=2"), "\(lines)")
      #expect(lines.filter { $0.contains(">") } == ["full>offline", "offline>full"])
    }

    @Test(.requirement("O16")) func `a route that goes without a word is missed all the same`()
      async throws
    {
      let lines = try await play("cut")
      #expect(lines.contains("route=missing"))
      #expect(try standings(lines) == ["online", "offline", "online"])
    }

    @Test(.requirement("O16")) func `notices that mean nothing are not told`() async throws {
      let lines = try await play("noise")
      #expect(try told(lines) == ["online"])
      #expect(lines.contains { $0.contains("noticed=true") }, "though the kernel told of them")
    }

    @Test(.requirement("C16")) func `another address is another network`() async throws {
      let lines = try await play("address")
      #expect(try standings(lines) == ["online", "offline"])
      #expect(try told(lines).count { $0 == "online" } == 3)
      #expect(lines.contains("route=missing"), "the kernel takes the route along, and says nothing")
    }

    @Test func `without a route there is no way out`() async throws {
      #expect(try await told(play("route")) == ["online", "offline", "online"])
    }

    @Test func `a way to the peer that matters is enough`() async throws {
      let lines = try await play("peer")
      #expect(lines.contains("standing=online"))
      #expect(try standings(lines) == ["online", "offline"])
    }

    @Test(.requirement("O13", "O16")) func `notices that the kernel threw away are made up for`()
      async throws
    {
      let lines = try await play("overflow")
      #expect(lines.contains("overflows=true resyncs=true"))
      #expect(lines.contains("standing=online"))
    }

    @Test func `a monitor uses no processor time while nothing happens`() async throws {
      #expect(try await play("idle").contains("wakeUps=0 idle=true"))
    }

    @Test(.requirement("O15")) func `a system that refuses to tell counts as online`() async throws
    {
      #expect(try await play("refused") == ["standing=unknown link=unknown try=true"])
    }
  }
#endif
