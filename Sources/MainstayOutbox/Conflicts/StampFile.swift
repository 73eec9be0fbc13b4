// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Keeps the reservation of a ``StampClock`` in a small file; for apps without a database that is
/// written in the same breath.
///
/// ```swift
/// let clock = try StampClock(
///   storage: StampFile(at: folder.appending(path: "clock.json")),
///   installation: InstallationMark(at: folder.appending(path: "installation")).text)
/// ```
///
/// One clock of one process uses it at a time. A file that cannot be read counts as none: the clock
/// begins anew then, under another identity.
public final class StampFile: StampStorage {
  private let path: String
  private let lock = Locked(())

  /// Names a file; its folder exists.
  public init(at url: URL) { path = url.path(percentEncoded: false) }

  /// What is kept; nil where nothing is.
  public func load() throws -> StampClock.Reservation? { lock.withLock { _ in read() } }

  /// Keeps a reservation, and returns when it survives a power cut.
  ///
  /// - Throws: ``OutboxError`` `diskFull` or `unavailable`, naming the file.
  public func save(_ reservation: StampClock.Reservation) throws {
    try lock.withLock { _ in
      guard reservation.replaces(read()) else { return }
      do {
        try FreshFile.replace(with: [UInt8](PayloadCoding.encode(reservation)), at: path)
      } catch {
        let isFull = [.ENOSPC, .EDQUOT].contains((error as? POSIXError)?.code)
        throw OutboxError(isFull ? .diskFull : .unavailable, details: path, underlying: error)
      }
    }
  }

  private func read() -> StampClock.Reservation? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try? PayloadCoding.decode(StampClock.Reservation.self, from: data)
  }
}
