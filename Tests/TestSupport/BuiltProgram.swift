// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A program of this package, or another one that listens, run as a person would.
public struct BuiltProgram: Sendable {
  /// How it ended and what it printed.
  public struct End: Sendable {
    /// Its exit status, or the signal that ended it.
    public let status: Int32
    /// What it printed.
    public let output: String
    /// What it complained about.
    public let errors: String
  }

  /// The port that it said it listens on.
  public let port: Int
  private let process: Process
  private let complaints: Pipe?
  private let leash: Pipe?
  private let ending: Task<Int32, Never>

  /// Runs it to its end.
  public static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> End {
    try await run(make(built(name), arguments, environment))
  }

  /// Runs it as a shell does, for what only a shell can set up.
  ///
  /// - Parameters:
  ///   - name: The program, which is `$0` in the script.
  ///   - script: What the shell does; `PATH` is that of this process.
  ///   - arguments: What the script finds in `$1` and so on.
  /// - Returns: How the shell ended and what was printed.
  /// - Throws: Where it cannot be started.
  public static func run(
    _ name: String, inShell script: String, _ arguments: [String]
  ) async throws -> End {
    let shell = ["-c", script, built(name).path] + arguments
    return try await run(make(URL(filePath: "/bin/sh"), shell, ["PATH": path]))
  }

  /// Runs a program of the system, found as a shell would find it, to its end.
  public static func run(fromPath name: String, _ arguments: [String]) async throws -> End {
    try await run(make(URL(filePath: "/usr/bin/env"), [name] + arguments, ["PATH": path]))
  }

  private static var path: String {
    ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  }

  private static func run(_ process: Process) async throws -> End {
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let status = try await start(process).value
    // What it prints is far less than a pipe holds, so it is read when all is over.
    return End(status: status, output: try text(output), errors: try text(errors))
  }

  /// Starts it and returns once it listens.
  ///
  /// - Parameters:
  ///   - name: The program.
  ///   - arguments: Its arguments.
  ///   - fileLimit: How large a file it may write, in kilobytes; nil for any size.
  ///   - entering: What a shell does before it becomes the program, such as to go into a group.
  /// - Throws: Where it cannot be started, or ends without saying where it listens.
  public init(
    _ name: String, _ arguments: [String], fileLimit: Int? = nil, entering: String? = nil
  ) async throws {
    let process = Self.make(Self.built(name), arguments, [:])
    // A write beyond the limit fails instead of ending the program.
    let limiting = fileLimit.map { "trap '' XFSZ; ulimit -S -f \($0 * 2)" }
    let steps = [limiting, entering].compactMap(\.self)
    if !steps.isEmpty {
      let script = (steps + ["exec \"$0\" \"$@\""]).joined(separator: "; ")
      process.arguments = ["-c", script, process.executableURL?.path ?? ""] + arguments
      process.executableURL = URL(filePath: "/bin/sh")
    }
    // What it complains about is far less than a pipe holds.
    try await self.init(process, complaints: Pipe()) { printed in
      guard printed.hasSuffix("\n") else { return nil }
      return Int(printed.split(separator: ":").last?.filter(\.isNumber) ?? "")
    }
  }

  /// Starts a program that lies anywhere, and returns once it listens.
  ///
  /// It is ended with this process, also when that crashes or is killed.
  ///
  /// - Parameters:
  ///   - program: Where it lies.
  ///   - arguments: What it is told.
  ///   - environment: All variables that it has.
  ///   - readPort: Reads the port from what was printed so far; nil where it does not say so yet.
  /// - Throws: What keeps it from being started, or that it ended without a word about its port.
  public init(
    at program: URL, _ arguments: [String], environment: [String: String] = [:],
    port readPort: (_ printed: String) -> Int?
  ) async throws {
    let process = Self.make(
      URL(filePath: "/bin/sh"), ["-c", Self.leashed, program.path] + arguments, environment)
    let leash = Pipe()
    process.standardInput = leash
    try await self.init(process, leash: leash, port: readPort)
  }

  /// Waits beside the program until this process lets go of its end of the pipe, as it does when it
  /// ends in whatever way.
  ///
  /// A line says that it is let go, and nobody is to be killed.
  private static let leashed =
    #"exec 3<&0; { read -r _ <&3 || kill -9 $$; } >/dev/null 2>&1 & exec "$0" "$@" 3<&- </dev/null"#

  private init(
    _ process: Process, complaints: Pipe? = nil, leash: Pipe? = nil,
    port readPort: (_ printed: String) -> Int?
  ) async throws {
    self.process = process
    self.complaints = complaints
    self.leash = leash
    let output = Pipe()
    process.standardOutput = output
    if let complaints { process.standardError = complaints }
    ending = try Self.start(process)
    var (printed, port) = ("", Int?.none)
    for await part in output.parts() {
      printed += String(decoding: part, as: UTF8.self)
      port = readPort(printed)
      if port != nil { break }
    }
    guard let port else {
      // Whoever waits beside it ends it, and ends: a child that lives on through that is never
      // waited for, and exit tests wait behind it.
      try? leash?.fileHandleForWriting.close()
      throw Silent(program: process.executableURL?.lastPathComponent ?? "", printed: printed)
    }
    self.port = port
  }

  /// The number of its process.
  public var processIdentifier: Int32 { process.processIdentifier }

  /// Sends it a signal and waits for its end.
  public func stop(_ signal: Int32) async -> Int32 {
    try? leash?.fileHandleForWriting.write(contentsOf: Data("let go\n".utf8))
    try? leash?.fileHandleForWriting.close()
    kill(process.processIdentifier, signal)
    return await ending.value
  }

  /// Lets it write files of any size again.
  public func liftFileLimit() async throws {
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/prlimit")
    tool.arguments = ["--pid", "\(process.processIdentifier)", "--fsize=unlimited:"]
    _ = try await Self.start(tool).value
  }

  /// What it complained about; to be asked once, after it has ended.
  public var errors: String { complaints.flatMap { try? Self.text($0) } ?? "" }

  /// Where a program of this package lies.
  public static func built(_ name: String) -> URL {
    // Test bundle and program are built into the same folder.
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
    let parts = bundle.split(separator: "/").prefix { !$0.hasSuffix(".xctest") }
    return URL(filePath: "/" + parts.joined(separator: "/")).appending(path: name)
  }

  private static func make(
    _ program: URL, _ arguments: [String], _ environment: [String: String]
  ) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// It did not say where it listens.
  private struct Silent: Error {
    let program: String
    let printed: String
  }

  private static func start(_ process: Process) throws -> Task<Int32, Never> {
    let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { ended in
      continuation.yield(ended.terminationStatus)
      continuation.finish()
    }
    try Launch.run(process)
    return Task { await ends.first { _ in true } ?? -1 }
  }

  private static func text(_ pipe: Pipe) throws -> String {
    String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}
