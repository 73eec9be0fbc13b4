// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import NIOCore
import NIOHTTP1

/// The clients, all with the same settings of connections.
struct Clients: Sendable {
  let address: String
  let raw: HTTPClient
  let bare: ResilientClient
  let standard: ResilientClient

  init(port: Int) throws {
    address = "http://127.0.0.1:\(port)"
    guard let url = URL(string: address) else { throw ValidationError("no address: \(address)") }
    raw = HTTPClient(eventLoopGroupProvider: .singleton)
    bare = ResilientClient("bare", at: url, over: AsyncHTTPClientTransport()) { _ in
      Pipeline("bare") {}
    }
    standard = ResilientClient("standard", at: url, over: AsyncHTTPClientTransport())
  }

  func shutDown() async { try? await raw.shutdown() }

  func measure(
    _ contender: Contender, requests: Int, concurrency: Int
  ) async throws -> Sample {
    let clock = ContinuousClock()
    let processor = Self.processorSeconds()
    let start = clock.now
    let times = try await withThrowingTaskGroup(of: [Double].self) { group in
      for worker in 0..<concurrency {
        let count = requests / concurrency + (worker < requests % concurrency ? 1 : 0)
        group.addTask {
          var times: [Double] = []
          times.reserveCapacity(count)
          for _ in 0..<count {
            let begin = clock.now
            try await call(contender)
            times.append((clock.now - begin).seconds)
          }
          return times
        }
      }
      return try await group.reduce(into: [Double]()) { $0 += $1 }
    }
    let sorted = times.sorted()
    return Sample(
      seconds: (clock.now - start).seconds,
      processorSeconds: Self.processorSeconds() - processor,
      slowest: sorted[min(sorted.count - 1, sorted.count * 99 / 100)])
  }

  private func call(_ contender: Contender) async throws {
    let length: Int
    switch contender {
    case .raw:
      var request = HTTPClientRequest(url: address + "/books/1")
      request.headers.add(name: "Accept", value: "application/json")
      let response = try await raw.execute(request, deadline: .distantFuture)
      guard response.status == .ok else { throw ValidationError("\(response.status)") }
      length = try await response.body.collect(upTo: 65_536).readableBytes
    case .bare: length = try await bare.send(.init(.get, "/books/1")).body.count
    case .standard: length = try await standard.send(.init(.get, "/books/1")).body.count
    }
    guard length > 0 else { throw ValidationError("the answer is empty") }
  }

  /// What this process has used of the processors.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
