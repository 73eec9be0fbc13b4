// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Capability where Request == Void, Response == Void {
  /// A network, as a monitor presents it.
  ///
  /// - Parameter monitor: Who knows.
  /// - Returns: The capability; it is there unless the device is offline or behind a portal.
  public static func network(_ monitor: ConnectivityMonitor) -> Capability<Void, Void> {
    Capability(.network) {
      switch monitor.presented.standing {
      case .offline, .portal: throw AppError.Network.offline
      case .online, .unknown: break
      }
    }
  }

  /// A place where the app can write.
  ///
  /// - Parameters:
  ///   - folder: The folder, which is there.
  ///   - bytes: How much has to be free; zero or more, the default is 50 MB.
  /// - Returns: The capability; finding out writes a small file and removes it.
  public static func storage(
    in folder: URL, freeBytes bytes: Int = 50_000_000
  ) -> Capability<Void, Void> {
    precondition(bytes >= 0, "Capability.storage(freeBytes: \(bytes)) is not legal: zero or more")
    return Capability(.storage) {
      let path = folder.path(percentEncoded: false)
      let free = try FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize]
      if let free = free as? NSNumber, free.int64Value < Int64(bytes) {
        throw POSIXError(.ENOSPC)
      }
      let file = folder.appending(path: ".mainstay-\(UUID().uuidString.lowercased())")
      try FreshFile.write([0], to: file.path(percentEncoded: false))
      try FileManager.default.removeItem(at: file)
    }
  }

  /// A clock that is not obviously wrong: signatures, tokens and "expires" hang on it.
  ///
  /// - Parameters:
  ///   - earliest: A moment that has passed for certain, such as that of the app's build.
  ///   - date: The time of day; the default is that of the system.
  /// - Returns: The capability.
  public static func clock(
    notBefore earliest: Date, date: @escaping @Sendable () -> Date = { Date() }
  ) -> Capability<Void, Void> {
    Capability(.clock) {
      guard date() >= earliest else {
        throw AppError.Framework.configuration("the clock is before \(earliest)").appError
      }
    }
  }
}
