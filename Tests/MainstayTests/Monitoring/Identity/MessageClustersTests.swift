// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite(.requirement("B41")) struct MessageClustersTests {
  @Test func `messages that differ in one word are together`() {
    let clusters = MessageClusters()
    let first = clusters.add("user ada not found")
    let second = clusters.add("user bob not found")
    #expect(first.isNew && !second.isNew)
    #expect(first.id == second.id)
    #expect(second.template == "user <*> not found")
    #expect(first.id == first.fingerprint)
    #expect(second.fingerprint != first.fingerprint)
    #expect(clusters.clusters.map(\.count) == [2])
    #expect(clusters.clusters.map(\.firstTemplate) == ["user ada not found"])
  }

  @Test func `types and codes are never mixed`() {
    let clusters = MessageClusters()
    let text = "user ada not found"
    let ids = [("A", "1"), ("B", "1"), ("A", "2"), ("A", "1")].map {
      clusters.add(text, type: $0.0, code: $0.1).id
    }
    #expect(Set(ids).count == 3)
    #expect(ids[0] == ids[3])
  }

  @Test func `values are taken out before words are compared`() {
    let clusters = MessageClusters()
    let first = clusters.add("10.0.0.1 refused after 5 ms")
    let second = clusters.add("192.168.17.4 refused after 1.5 s")
    #expect(first.fingerprint == second.fingerprint)
    #expect(second.template == "<ip> refused after <duration>")
  }

  @Test func `secrets are taken out before words are compared`() {
    let clusters = MessageClusters()
    let first = clusters.add("login of ada failed: password=hunter2")
    let second = clusters.add("login of ada failed: password=s3same")
    #expect(first.fingerprint == second.fingerprint)
    #expect(clusters.clusters.map(\.template) == ["login of ada failed: password=<redacted>"])
  }

  @Test func `an id is that of the first template, whatever it has learned since`() {
    let clusters = MessageClusters()
    let id = clusters.add("could not open the red door today").id
    clusters.add("could not open the big gate today")
    clusters.add("could not open one big gate again")
    #expect(clusters.add("could not open the red door today").id == id)
    #expect(Set(clusters.clusters.map(\.id)).count == clusters.count)
  }

  @Test func `asking counts nothing and needs all words`() {
    let clusters = MessageClusters()
    clusters.add("user ada not found")
    #expect(clusters.match("user bob not found") == nil)
    clusters.add("user bob not found")
    #expect(clusters.match("user eve not found")?.template == "user <*> not found")
    #expect(clusters.match("user eve was found") == nil)
    #expect(clusters.clusters.map(\.count) == [2])
  }

  @Test func `the cluster that was not met for longest makes room`() {
    let clusters = MessageClusters(maximumClusters: 2)
    clusters.add("alpha")
    clusters.add("beta")
    clusters.add("alpha")
    clusters.add("gamma")
    #expect(Set(clusters.clusters.map(\.template)) == ["alpha", "gamma"])
    #expect(clusters.evicted == 1)
  }

  @Test(arguments: ["", " ", "\n"]) func `a message without words is one cluster`(_ text: String) {
    let clusters = MessageClusters()
    #expect(clusters.add(text).id == clusters.add("").id)
    #expect(clusters.match("")?.template == "")
  }

  @Test func `everything that is wrong with settings is said at once`() throws {
    let configuration = MessageClusters.Configuration(
      depth: 2, similarity: .nan, maximumChildren: 1, maximumClusters: 0)
    let error = try #require(throws: ConfigurationError.self) {
      try MessageClusters(validating: configuration)
    }
    #expect(
      error.violations.map(\.option) == [
        "depth", "similarity", "maximumChildren", "maximumClusters",
      ])
    let short = try JSONDecoder().decode(
      MessageClusters.Configuration.self, from: Data(#"{"depth": 5}"#.utf8))
    #expect(short == MessageClusters.Configuration(depth: 5))
    _ = try MessageClusters(
      validating: .init(depth: 16, similarity: 1, maximumChildren: 2, maximumClusters: 1))
  }

  @Test func `a setting in the code that is not legal stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = MessageClusters(similarity: 0) }
  }

  @Test func `eight tasks at once lose no message`() async {
    let clusters = MessageClusters()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<100 { clusters.add("task failed", type: "T\(task % 4)") }
        }
      }
    }
    #expect(clusters.clusters.map(\.count) == [200, 200, 200, 200])
  }
}
