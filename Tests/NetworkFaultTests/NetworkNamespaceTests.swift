// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Foundation
  import Mainstay
  import TestSupport
  import Testing

  /// An app and a service in two networks of their own, with a cable between them that fails in the
  /// middle of what they do.
  ///
  /// Nothing here waits for time to pass: the child does, where something must not happen.
  @Suite(.requirement("C13"), .ends(withinMinutes: 10), .serialized)
  struct NetworkNamespaceTests {
    /// Two networks: that of the child, and that of the service.
    ///
    /// The far end is moved once the service has left the network of the child.
    private static let networks = """
      ip link set lo up
      unshare -n "$0" peer "$2/peer" >"$2/peer.log" 2>&1 &
      peer=$!
      trap "kill $peer" EXIT
      here=$(readlink /proc/$$/ns/net)
      until [ "$(readlink /proc/$peer/ns/net)" != "$here" ]; do sleep 0.02; done
      ip link add v0 type veth peer name v1
      ip link set v0 addrgenmode none
      ip link set v1 addrgenmode none
      ip link set v1 netns $peer
      far="nsenter -t $peer -n ip"
      $far link set lo up
      $far addr add 10.9.0.2/24 dev v1
      $far addr add 10.9.1.2/32 dev lo
      $far link set v1 up
      ip addr add 10.9.0.1/24 dev v0
      ip link set v0 up
      ip route add default via 10.9.0.2
      "$0" "$1" $peer "$2"
      """

    /// What the child printed: names and values, and each word of a line that has several.
    private struct Played {
      let lines: [String]
      private let values: [String: String]

      init(_ output: String) {
        lines = output.split(separator: "\n").map(String.init)
        var values: [String: String] = [:]
        for line in lines {
          guard let name = line.split(separator: "=").first.map(String.init) else { continue }
          // What was told has spaces in it; nothing else has.
          if ["told", "shown"].contains(name) {
            values[name] = String(line.dropFirst(name.count + 1))
          } else {
            for word in line.split(separator: " ") {
              let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
              if pair.count == 2 { values[pair[0]] = pair[1] }
            }
          }
        }
        self.values = values
      }

      subscript(_ name: String) -> String { values[name] ?? "" }

      /// What a sequence told, in order, without what was not known at first.
      func sequence(_ name: String) -> [String] {
        self[name].split(separator: " ").map(String.init).drop { $0 == "unknown:unknown" }.map(
          \.self)
      }

      /// The standings alone, without repetitions; "unknown" counts as online, as for everybody.
      func standings(_ name: String) -> [String] {
        sequence(name).map { String($0.prefix { $0 != ":" }) }
          .map { $0 == "unknown" ? "online" : $0 }
          .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
      }
    }

    private func play(_ scenario: String) async throws -> Played {
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "net-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // Root may have no user namespaces and needs none; everybody else needs one.
      let script = """
        export PATH="$PATH:/usr/sbin:/sbin"
        rights=-Urn
        unshare -Urn true 2>/dev/null || rights=-n
        exec unshare $rights sh -ec '\(Self.networks)' "$0" "$1" "$2"
        """
      let end = try await BuiltProgram.run(
        "NetworkChild", inShell: script, [scenario, folder.path(percentEncoded: false)])
      #expect(end.status == 0, "\(scenario): \(end.output) \(end.errors)")
      #expect(end.output.contains("ended\n"), "its threads have ended")
      return Played(end.output)
    }

    /// What was accepted was done once each and in order, and the books say so.
    private func expectDone(_ played: Played, _ count: Int, ofOthers others: Int = 0) {
      let own = (0..<count - others).map(\.description)
      #expect(played["numbers"] == own.joined(separator: ","))
      #expect(played["done"] == "\(count)" && played["pending"] == "0" && played["dead"] == "0")
      #expect(played["balanced"] == "true", "\(played.lines)")
    }

    @Test(.requirement("O13", "C16", "C17"))
    func `one flap is one down and one up, and what waited is done after it`() async throws {
      let played = try await play("flap")
      #expect(played.standings("told") == ["online", "offline", "online"])
      #expect(played.standings("shown") == ["online", "offline", "online"])
      #expect(played["waiting"] == "3" && played["source"] == "system")
      expectDone(played, 3)
    }

    @Test(.requirement("O15"))
    func `a black hole behind a good link is found by traffic and a probe`() async throws {
      let played = try await play("blackHole")
      #expect(played["link"] == "up" && played["route"] == "present")
      #expect(played["source"] == "traffic" && played["graded"] == "true", "\(played.lines)")
      #expect(played["kinds"].split(separator: ",").contains("timeout"))
      #expect(played["effect"] == "notSent", "no connection was made")
      #expect(played.standings("told") == ["online", "offline", "online"])
      expectDone(played, 4)
    }

    @Test(.requirement("O22"))
    func `what was sent into a black hole that opened meanwhile is asked about`() async throws {
      let played = try await play("blackHoleWithin")
      #expect(played["effect"] == "sentUnknown" && played["code"] == "network.timeout")
      #expect(played["arrivals"] == "1" && played["questions"] == "1")
      expectDone(played, 1)
    }

    @Test(.requirement("O14"))
    func `a portal is told once, and once that it is open`() async throws {
      let played = try await play("portal")
      #expect(played["page"].contains("http://10.9.0.2/login") && played["source"] == "probe")
      #expect(played["attempts"] == "0")
      for name in ["told", "shown"] {
        let since = played.sequence(name).drop { $0 != "portal:portal" }
        #expect(Array(since) == ["portal:portal", "online:validated"], "\(name)")
      }
      expectDone(played, 1)
    }

    @Test(.requirement("O22"))
    func `an answer that comes after the client has given up does no harm`() async throws {
      let played = try await play("lateAnswer")
      #expect(played["effect"] == "sentUnknown" && played["code"] == "network.timeout")
      #expect(played["late"] == "1")
      #expect(played["arrivals"] == "1" && played["questions"] == "1")
      expectDone(played, 1)
    }

    @Test(.requirement("C16", "O22"))
    func `an address that changes in the middle of a request leaves it unknown`() async throws {
      let played = try await play("address")
      #expect(played.standings("told") == ["online", "offline", "online"])
      #expect(Int(played["networks"]).map { $0 > 1 } == true)
      #expect(played["effect"] == "sentUnknown")
      #expect(played["arrivals"] == "1" && played["questions"] == "1")
      expectDone(played, 1)
    }

    @Test(.requirement("O15", "O22"))
    func `a route that goes in the middle of a request leaves it unknown, and the next unsent`()
      async throws
    {
      let played = try await play("route")
      #expect(played.standings("told") == ["online", "offline", "online"])
      #expect(played["source"] == "system" && played["effect"] == "sentUnknown")
      #expect(played["later"] == "sentUnknown" && played["second"] == "notSent")
      #expect(played["arrivals"] == "2", "the first one was asked about, not sent again")
      #expect(Int(played["questions"]).map { $0 >= 1 } == true)
      expectDone(played, 2, ofOthers: 1)
    }

    @Test(.requirement("O13"))
    func `an app that waits uses no processor time, with a network and without`() async throws {
      let played = try await play("idle")
      #expect(played.lines.contains("online: wakeUps=0 idle=true"), "\(played.lines)")
      #expect(played.lines.contains("offline: wakeUps=0 idle=true"), "\(played.lines)")
      #expect(played["waiting"] == "1")
      expectDone(played, 2)
    }
  }
#endif
