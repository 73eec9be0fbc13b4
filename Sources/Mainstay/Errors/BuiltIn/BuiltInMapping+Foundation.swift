// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BuiltInMapping {
  static func posix(_ code: POSIXErrorCode) -> BuiltInError? {
    switch code {
    case .ENETDOWN, .ENETUNREACH: .offline
    case .ECONNREFUSED, .EHOSTDOWN, .EHOSTUNREACH, .EADDRNOTAVAIL: .unreachable
    case .ECONNRESET, .ECONNABORTED, .EPIPE, .ENETRESET, .ENOTCONN, .ESHUTDOWN: .connectionLost
    case .ETIMEDOUT: .timeout
    case .ENOSPC, .EDQUOT: .storageFull
    case .EACCES, .EPERM: .storageDenied
    case .EROFS: .storageReadOnly
    case .ENOENT, .ENOTDIR: .fileMissing
    case .EEXIST: .fileExists
    case .EFBIG: .fileTooLarge
    case .ENAMETOOLONG: .badName
    case .EBUSY, .ETXTBSY: .fileInUse
    case .EIO, .ENXIO, .ENODEV, .ESTALE: .storageFailed
    case .EINTR, .EAGAIN, .ENOBUFS: .busy
    case .EMFILE, .ENFILE, .ENOMEM: .exhausted
    default: nil
    }
  }

  /// What a code says when no cause says more.
  static func vague(_ error: NSError) -> BuiltInError? {
    guard error.domain == NSCocoaErrorDomain else { return nil }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileReadUnknown, .fileWriteUnknown: return .storageFailed
    default: return nil
    }
  }

  static func cocoa(_ code: CocoaError.Code) -> BuiltInError? {
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: .fileMissing
    case .fileReadNoPermission, .fileWriteNoPermission: .storageDenied
    case .fileWriteOutOfSpace: .storageFull
    case .fileWriteVolumeReadOnly: .storageReadOnly
    case .fileWriteFileExists: .fileExists
    case .fileReadTooLarge: .fileTooLarge
    case .fileReadInvalidFileName, .fileWriteInvalidFileName: .badName
    case .fileReadUnsupportedScheme, .fileWriteUnsupportedScheme: .badAddress
    case .fileLocking: .fileInUse
    case .fileReadCorruptFile: .corrupted
    case .coderReadCorrupt, .coderValueNotFound, .propertyListReadCorrupt,
      .propertyListReadUnknownVersion, .propertyListReadStream, .fileReadInapplicableStringEncoding,
      .fileReadUnknownStringEncoding:
      .decoding
    case .propertyListWriteInvalid, .propertyListWriteStream, .coderInvalidValue,
      .fileWriteInapplicableStringEncoding:
      .encoding
    default: nil
    }
  }
}
