// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Writing that ends with all bytes written and forced onto the disk, or says why not.
package enum WholeWrite {
  /// Writes all bytes to an open file; what was written before a failure stays there.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - file: The descriptor of the file.
  ///   - offset: Where in the file; nil for where the descriptor stands.
  /// - Returns: The number of the error; nil where all was written.
  package static func failure(
    writing bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int? = nil
  ) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let rest = buffer.baseAddress.map { $0 + done }
        let left = buffer.count - done
        guard let offset else { return write(file, rest, left) }
        return pwrite(file, rest, left, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      // Nothing was written and nothing said: the disk is full.
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      done += count
    }
    return nil
  }

  /// Forces what was written to a file, or the names in a folder, onto the disk.
  ///
  /// On Apple's systems `fsync` leaves it in the memory of the drive, which a loss of power
  /// empties; where the volume knows nothing better, it has to do.
  ///
  /// - Parameter file: The descriptor.
  /// - Returns: The number of the error; nil where it is on the disk.
  package static func failure(forcing file: Int32) -> Int32? {
    #if canImport(Darwin)
      if fcntl(file, F_FULLFSYNC) == 0 { return nil }
    #endif
    return fsync(file) == 0 ? nil : errno
  }
}
