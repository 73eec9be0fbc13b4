// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MappingCensus {
  /// Looks for types of errors in the Swift files below a folder, and for what converts them.
  ///
  /// It finds the types that name `Error`, `LocalizedError`, `CustomNSError`, `RecoverableError` or
  /// `NSError` where they or their extensions are declared, also by way of protocols and classes
  /// that are declared below the folder. Converted are those that name `AppErrorConvertible` in the
  /// same way, and those that are added to a mapping in so many words: `.adding(StoreError.self)`.
  ///
  /// It reads text, in time linear in it, and is no compiler. It does not see what a macro writes,
  /// nor a conformance by way of a type alias or a protocol of another module. Nor does it see
  /// errors of libraries, and what a mapping for a domain or for every error knows. It takes types
  /// of one name in two modules for one, and reads all branches of `#if`. Samples of such errors
  /// belong into `init(of:mapping:)`.
  ///
  /// - Parameters:
  ///   - folder: The folder, such as `Sources`; a relative path is taken from the current folder.
  ///     What lies in hidden folders is left out.
  ///   - exceptions: Errors that nobody needs to convert, with the types around them, such as
  ///     `Store.Failure`, and why. An entry that is no such error is a gap itself, so that the list
  ///     does not outlive its errors.
  /// - Throws: What reading the folder and its files throws.
  public init(below folder: String, except exceptions: [String: String] = [:]) throws {
    let root = URL(fileURLWithPath: folder)
    // An enumerator is silent about a folder that is not there.
    _ = try FileManager.default.contentsOfDirectory(atPath: root.path)
    let walk = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    var paths: [String] = []
    while let file = walk?.nextObject() as? URL {
      if file.pathExtension == "swift" { paths.append(file.path) }
    }
    let files = try paths.sorted().map { path in
      SourceText(path: path, bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    }
    self.init(of: files, except: exceptions)
  }

  /// One Swift file.
  package struct SourceText: Sendable {
    let path: String
    let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// Looks for types of errors in texts.
  package init(of files: [SourceText], except exceptions: [String: String] = [:]) {
    var scan = ErrorScan()
    for (index, file) in files.enumerated() { scan.read(file.bytes, file: index) }
    let found = scan.unconverted
    var gaps = found.filter { exceptions[$0.type] == nil }.map { found in
      let bytes = files[found.file].bytes[..<found.offset]
      let line = bytes.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      return Gap(unconverted: found.type, file: files[found.file].path, line: line)
    }
    let types = Set(found.map(\.type))
    for (type, reason) in exceptions.sorted(by: { $0.key < $1.key }) {
      if !types.contains(type) {
        gaps.append(
          Gap(
            type: type, problem: "is an exception, and no error without a conversion",
            cure: "Take \(type) off the list of exceptions", file: nil, line: nil))
      } else if reason.allSatisfy(\.isWhitespace) {
        gaps.append(
          Gap(
            type: type, problem: "is an exception without a reason",
            cure: "Say why nobody needs to convert \(type)", file: nil, line: nil))
      }
    }
    self.init(gaps: gaps, count: scan.count)
  }
}
