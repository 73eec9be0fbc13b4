// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation

/// Measures what the policies cost, beside the raw limits and beside what people write by hand.
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures what the policies cost, as ratios to raw limits of the same run.")

  @Argument(help: "Parts of the names of scenarios; only these are measured, and the raw limits.")
  var names: [String] = []

  @Option(help: "How often each scenario is measured; the median counts.") var rounds = 7
  @Option(help: "How long each measurement takes, in seconds.") var seconds = 0.5
  @Option(help: "`wall`, or `processor` for ratios on a machine that is busy with other work.")
  var stopwatch = Stopwatch.wall
  @Flag(help: "Takes the fastest run of each scenario in the place of the median.")
  var fastest = false
  @Flag(help: "Counts instructions too, with valgrind; this takes minutes.")
  var instructions = false
  @Flag(help: "Leaves out the memory that stays behind.") var withoutMemory = false
  @Flag(help: "Exits with 1 when a ceiling is not met.") var check = false

  @Option(
    help: ArgumentHelp("Makes the calls of one scenario and nothing else.", valueName: "scenario"))
  var only: String?
  @Option(help: "How many calls `--only` makes.") var calls = 100_000
  @Option(help: .hidden) var memoryOf: String?

  func run() async throws {
    if let memoryOf {
      print(try await Memory.growth(memoryOf).map { String($0) } ?? "unknown")
    } else {
      try await measureAll()
    }
  }

  private static let scenarios =
    RawScenarios.all + PolicyScenarios.all + StateScenarios.all + PresenterScenarios.all
    + IdentityScenarios.all
    + MonitoringScenarios.all + NaiveScenarios.all

  /// Makes the calls of one scenario in this thread, and no other thread.
  func makeCalls(of name: String) throws {
    guard let scenario = Self.scenarios.first(where: { $0.name == name }) else {
      throw ValidationError("There is no scenario \(name).")
    }
    let calls = calls
    Task.detached(executorPreference: ThisThread()) {
      do {
        try await scenario.calls(calls)
        print(Instructions.doneMark)
      } catch {
        print("A call failed: \(error)")
      }
    }
  }

  private func measureAll() async throws {
    let measuring = Measuring(rounds: rounds, secondsPerRun: seconds, stopwatch: stopwatch)
    let raw = Set(RawScenarios.all.map(\.name))
    let chosen = Self.scenarios.filter { scenario in
      names.isEmpty || raw.contains(scenario.name) || names.contains(where: scenario.name.contains)
    }
    var results = Results(scenarios: chosen, usesFastest: fastest)
    results.conditions = conditions
    results.measurements = try await measuring.measure(chosen, progress: report)
    if !withoutMemory {
      report("memory after \(Memory.calls) calls")
      results.memory = try Memory.measure()
    }
    if instructions {
      defer { Instructions.cleanUp() }
      for scenario in chosen {
        report("instructions of \(scenario.name)")
        results.instructions[scenario.name] = Instructions.perCall(scenario.name)
      }
    }
    print(results.text)
    guard !check || results.verdicts.allSatisfy({ $0.isMet != false }) else { throw ExitCode(1) }
  }

  private var conditions: [String] {
    let system = ProcessInfo.processInfo
    let processors = "\(system.activeProcessorCount) processors"
    let machine = "\(system.operatingSystemVersionString), \(processors)"
    let way = "\(rounds) runs of \(seconds.rounded(to: 2)) s by \(stopwatch.rawValue) time"
    return ["\(machine), \(way); the \(fastest ? "fastest" : "median") run counts."]
  }

  private func report(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

@main
enum Program {
  /// Is not asynchronous, so that `--only` starts no thread: valgrind does not survive those of
  /// Dispatch.
  static func main() {
    let command = Bench.parseOrExit()
    if let only = command.only {
      do { return try command.makeCalls(of: only) } catch { Bench.exit(withError: error) }
    }
    Task {
      await Bench.main()
      exit(0)
    }
    dispatchMain()
  }
}

/// Runs each job at once, where it is handed over.
private final class ThisThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

extension Stopwatch: ExpressibleByArgument {}
