// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Foundation

extension StateClient {
  /// What was found where a ``StateClient`` keeps its state.
  public enum Opening: Sendable {
    /// Nothing: it begins with the state that it was given.
    case new
    /// The state of an earlier run.
    case restored
    /// A file that cannot be read as a state, or holds one that breaks an invariant. It was moved
    /// aside, never deleted, and the client begins with the state that it was given.
    case setAside(URL, AppError)
  }
}

/// Keeps a client's newest state in a file, after each change and beside it.
@usableFromInline
struct SnapshotSaver<State: Sendable>: Sendable {
  let write: @Sendable (Snapshot<State>) async throws -> Void
  /// Told of what cannot be written, and with nil once it is.
  let tell: @Sendable (AppError?) -> Void
  let timeline: Timeline
  /// How long it waits before it writes again what could not be written.
  let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(60), jitter: .equal)
}

extension StateClient where State: Codable {
  /// Makes a client that keeps its newest state in a file, and begins with the one that is there.
  ///
  /// The file is replaced as a whole after changes, beside them: many changes in a row are one
  /// write. ``save()`` returns when the newest is on the disk.
  ///
  /// - Parameters:
  ///   - name: The name, for errors and logs.
  ///   - url: The file, in a folder that exists; one client uses it at a time.
  ///   - state: The state where there is none in the file.
  ///   - history: How many older states are kept in memory; 0 to 1,000, the default is 10.
  ///   - invariants: What must be true of the state at any time; the default is nothing.
  ///   - clock: By which it waits before it writes again what could not be written; the default is
  ///     the continuous one.
  ///   - onSaveFailure: Told when the state cannot be written, once until it can, then with nil.
  ///     It runs on the client, so it hands on what takes long. The default tells nobody; see
  ///     ``saveFailure``.
  /// - Returns: The client, and what was found.
  /// - Throws: `AppError` where the file is there and cannot be read, is of a newer form, or cannot
  ///   be moved aside; it is left as it is. Or where the state breaks an invariant.
  public static func open(
    _ name: String, keptIn url: URL, or state: State, history: Int = 10,
    invariants: [Invariant] = [], clock: some Clock<Duration> = ContinuousClock(),
    onSaveFailure: @escaping @Sendable (AppError?) -> Void = { _ in }
  ) async throws(AppError) -> (client: StateClient<State>, opening: Opening) {
    let broken = invariants.broken(by: state)
    guard broken.isEmpty else { throw .broken(broken, in: name) }
    let file = StateFile<State>(url: url, client: name)
    let found: (snapshot: Snapshot<State>?, opening: Opening)
    do {
      found = try await file.onQueue { try file.read(invariants) }
    } catch {
      throw ErrorMapping.current.map(error)
    }
    let saver = SnapshotSaver<State>(
      write: { snapshot in try await file.onQueue { try file.write(snapshot) } },
      tell: onSaveFailure, timeline: Timeline(clock))
    let client = StateClient(
      name, found.snapshot ?? Snapshot(version: 0, state: state), min(max(history, 0), 1_000),
      invariants, saver, saved: found.snapshot?.version)
    return (client, found.opening)
  }
}

extension StateClient {
  /// Returns when the state as it is now, or a newer one, is on the disk.
  ///
  /// Nothing happens where the client has no file.
  ///
  /// - Throws: `AppError` where it cannot be written; the client tries again by itself.
  public func save() async throws(AppError) {
    let version = history.current.version
    while saver != nil, savedVersion.map({ $0 < version }) ?? true {
      startSaving()
      await saving?.value
      if let saveFailure { throw saveFailure }
    }
  }

  /// Writes what is newest, again until nothing newer came meanwhile.
  func startSaving() {
    guard let saver, saving == nil else { return }
    savingAgain?.cancel()
    savingAgain = nil
    saving = Task {
      await saveNewest(by: saver)
      saving = nil
      if saveFailure != nil { saveLater(by: saver) }
    }
  }

  /// The last change may have been the last for hours, so it is not left to the next one.
  private func saveLater(by saver: SnapshotSaver<State>) {
    let wait = saver.backoff.delay(attempt: saveFailureCount, fraction: .random(in: 0..<1))
    let due = saver.timeline.now + wait
    savingAgain = Task { [weak self] in
      do { try await saver.timeline.sleep(until: due) } catch { return }
      await self?.startSaving()
    }
  }

  private func saveNewest(by saver: SnapshotSaver<State>) async {
    while savedVersion != history.current.version {
      let snapshot = history.current
      do {
        try await saver.write(snapshot)
        savedVersion = snapshot.version
        if saveFailure != nil { saver.tell(nil) }
        (saveFailure, saveFailureCount) = (nil, 0)
      } catch {
        let failure = ErrorMapping.current.map(error)
        if saveFailure == nil { saver.tell(failure) }
        saveFailure = failure
        saveFailureCount += 1
        return
      }
    }
  }
}

/// The file of one client's state.
private struct StateFile<State: Codable & Sendable>: Sendable {
  /// What stands in the file.
  private struct Document: Codable {
    var format: Int
    var version: UInt64
    var state: State
  }

  /// What stands there in every form that there will ever be.
  private struct Heading: Decodable {
    var format: Int
  }

  let url: URL
  let client: String
  // Reading and writing wait for the disk, which no thread of a task should do.
  private let queue = DispatchQueue(label: "Mainstay.StateClient")

  init(url: URL, client: String) {
    self.url = url
    self.client = client
  }

  func onQueue<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: body)) }
    }
  }

  func write(_ snapshot: Snapshot<State>) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let document = Document(format: 1, version: snapshot.version, state: snapshot.state)
    try FreshFile.replace(
      with: Array(encoder.encode(document)), at: url.path(percentEncoded: false))
  }

  func read(
    _ invariants: [StateClient<State>.Invariant]
  ) throws -> (Snapshot<State>?, StateClient<State>.Opening) {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return (nil, .new)
    }
    do {
      let heading = try JSONDecoder().decode(Heading.self, from: bytes)
      guard heading.format <= 1 else {
        throw AppError.Framework.configuration("\(client): a newer form of the state").appError
      }
    } catch let error as DecodingError {
      return (nil, try setAside(ErrorMapping.current.map(error)))
    }
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: bytes)
    } catch {
      // A state may refuse what it reads with any error of its own.
      return (nil, try setAside(ErrorMapping.current.map(error)))
    }
    let broken = invariants.broken(by: document.state)
    guard broken.isEmpty else {
      return (nil, try setAside(.broken(broken, in: client)))
    }
    return (Snapshot(version: document.version, state: document.state), .restored)
  }

  /// Moves the file aside under a name that nothing has.
  private func setAside(_ error: AppError) throws -> StateClient<State>.Opening {
    let name = "\(url.lastPathComponent).damaged-\(UUID().uuidString.lowercased())"
    let place = url.deletingLastPathComponent().appending(path: name)
    try FileManager.default.moveItem(at: url, to: place)
    return .setAside(place, error)
  }
}
