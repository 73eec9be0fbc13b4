// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP

/// What a resilient client costs beside the library below it, in the same run.
@main
struct HTTPBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-http",
    abstract: "Measures ResilientClient beside AsyncHTTPClient alone, over loopback.")

  @Option(help: "How many requests each client makes in a round.")
  var requests = 5_000
  @Option(help: "How many requests are under way at once.")
  var concurrency = 16
  @Option(help: "How many rounds; each has all clients, one after the other.")
  var rounds = 9
  @Option(help: "One client alone, for a profiler: raw, bare or standard.")
  var only: String?
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
    if serve { return try await EchoServer.run() }
    let service = try Service()
    defer { service.end() }
    let clients = try Clients(port: service.port)
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

  init() throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--serve"]
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
