// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Writing that ends with all bytes written, or says why not.
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
}
