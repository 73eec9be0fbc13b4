// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayJSONRPC

/// What a resilient client costs beside the library below it, in the same run.
@main
struct HTTPBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-http",
    abstract: "Measures clients beside the libraries below them, over loopback.")

  @Option(help: "How many requests each client makes in a round.")
  var requests = 5_000
  @Option(help: "How many requests are under way at once.")
  var concurrency = 16
  @Option(help: "How many rounds; each has all clients, one after the other.")
  var rounds = 9
  @Flag(help: "JSON-RPC over WebSocket beside SwiftNIO alone, in the place of HTTP.")
  var rpc = false
  @Option(help: "One client alone, for a profiler: raw, bare or standard.")
  var only: String?
  @Option(help: "The port of a service of --serve that runs already, for a profiler.")
  var port: Int?
  @Flag(help: ArgumentHelp("Serves, for the process that started it.", visibility: .hidden))
  var serve = false

  func validate() throws {
    guard requests > 0, concurrency > 0, rounds > 0 else {
      throw ValidationError("--requests, --concurrency and --rounds must be 1 or more")
    }
    guard only.map({ Contender(rawValue: $0) != nil }) ?? true else {
      throw ValidationError("--only takes raw, bare or standard")
    }
  }

  func run() async throws {
    if serve { return rpc ? try await RPCServer.run() : try await EchoServer.run() }
    let service = port == nil ? try Service(rpc ? ["--serve", "--rpc"] : ["--serve"]) : nil
    defer { service?.end() }
    let port = port ?? service?.port ?? 0
    if rpc { return try await measureCalls(port) }
    let clients = try Clients(port: port)
    let contenders = only.flatMap(Contender.init).map { [$0] } ?? Contender.allCases
    var samples: [Contender: [Sample]] = [:]
    for round in 0...rounds {
      for contender in contenders {
        let sample = try await clients.measure(
          contender, requests: requests, concurrency: concurrency)
        // The first round warms up connections and code.
        if round > 0 { samples[contender, default: []].append(sample) }
      }
    }
    await clients.shutDown()
    Report(samples: samples, requests: requests, concurrency: concurrency).print()
  }
}

extension HTTPBench {
  /// Round trips of calls, raw and by the client, one after the other in each round.
  fileprivate func measureCalls(_ port: Int) async throws {
    guard let address = URL(string: "ws://127.0.0.1:\(port)/") else {
      throw ValidationError("no address")
    }
    let client = try JSONRPCClient(webSocket: address)
    let (clock, raw) = (ContinuousClock(), RawCaller(port: port))
    var samples: [(raw: Double, client: Double)] = []
    for round in 0...rounds {
      let one = try await clock.measure { try await raw.run(requests, concurrency: concurrency) }
      let other = try await clock.measure { try await call(client) }
      // The first round warms up connections and code.
      if round > 0 { samples.append((one.seconds, other.seconds)) }
    }
    client.close()
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    let rates = [median(samples.map { $0.raw }), median(samples.map { $0.client })].map {
      String(format: "%.0f", Double(requests) / $0)
    }
    let ratio = String(format: "%.2f", median(samples.map { $0.raw / $0.client }))
    print("\(requests) round trips a round, \(concurrency) at once, over one WebSocket")
    print("SwiftNIO alone \(rates[0])/s, JSONRPCClient \(rates[1])/s: \(ratio) of it")
  }

  private func call(_ client: JSONRPCClient) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<concurrency {
        let count = requests / concurrency + (worker < requests % concurrency ? 1 : 0)
        group.addTask {
          for _ in 0..<count {
            let result = try await client.call("queryNetwork/tip")
            guard result["slot"] != nil else { throw ValidationError("no result") }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Who makes the requests.
enum Contender: String, CaseIterable {
  /// AsyncHTTPClient alone.
  case raw
  /// A client without policies.
  case bare
  /// A client with its usual policies.
  case standard
}

/// What one round of one client took.
struct Sample {
  var seconds: Double
  var processorSeconds: Double
  var slowest: Double
}

/// The service, in a process of its own, so that its time is not counted.
final class Service {
  let port: Int
  private let process = Process()
  private let input = Pipe()

  init(_ arguments: [String]) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw ValidationError("the service said no port: \(line)")
    }
    self.port = port
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
