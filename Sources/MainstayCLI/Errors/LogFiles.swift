// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation
import Mainstay

/// The files behind the paths that were typed, each of them once.
struct LogFiles {
  /// The files.
  private(set) var paths: [String] = []
  /// How many bytes they hold; a pipe does not say.
  private(set) var bytes = 0
  /// What waits in folders of report stores.
  private(set) var stores: [StoreSnapshot] = []
  /// How many files of folders are named like a log in bytes that are no text.
  private(set) var unnamed = 0
  private var known: Set<FileFacts.Identity> = []

  /// Finds them.
  ///
  /// - Parameter typed: Files such as `errors.jsonl`, whose older parts `errors.jsonl.1` and so on
  ///   belong to them, folders of such files or of report stores, pipes, or `-` for standard input.
  /// - Throws: Where a path leads nowhere, or to a folder with nothing to read.
  init(at typed: [String]) throws(CommandFailure) {
    for path in typed {
      do throws(POSIXError) {
        let facts = try FileFacts(of: path)
        guard facts.isFolder else {
          add(path, facts)
          if facts.isFile { addFiles(try Self.olderParts(of: path)) }
          continue
        }
        let found = try Self.names(in: path)
        unnamed += found.unnamed
        let count = addFiles(found.names.filter(Self.isLog).map { Self.place($0, in: path) })
        if addStore(path, facts) || count > 0 { continue }
      } catch { throw Self.failure(path, error) }
      throw CommandFailure(
        status: .couldNotRun,
        message: "\(Self.name(of: path)) holds no logs: no file is named like errors.jsonl, and it "
          + "is not the folder of a report store."
          + (unnamed > 0 ? " What is named so is named in bytes that are no text." : ""))
    }
  }

  /// That a path cannot be read.
  static func failure(_ path: String, _ error: POSIXError) -> CommandFailure {
    let words = error.code == .ENOENT ? "does not exist" : "cannot be read: \(error.words)"
    return CommandFailure(status: .couldNotRun, message: "\(name(of: path)) \(words).")
  }

  /// A path as it is safe to print.
  static func name(of path: String) -> String {
    path == "-" ? "Standard input" : Terminal.safe(path)
  }

  /// Adds what a store keeps in a folder.
  ///
  /// - Returns: Whether it is the folder of a store.
  private mutating func addStore(_ path: String, _ facts: FileFacts) -> Bool {
    guard !known.contains(facts.identity) else { return true }
    guard let snapshot = StoreSnapshot(at: path) else { return false }
    known.insert(facts.identity)
    stores.append(snapshot)
    return true
  }

  /// Adds what are files; folders, pipes and links that lead nowhere may have any name.
  ///
  /// - Returns: How many are files.
  @discardableResult private mutating func addFiles(_ paths: [String]) -> Int {
    paths.count { path in
      guard let facts = try? FileFacts(of: path), facts.isFile else { return false }
      add(path, facts)
      return true
    }
  }

  private mutating func add(_ path: String, _ facts: FileFacts) {
    guard known.insert(facts.identity).inserted else { return }
    paths.append(path)
    bytes = bytes.boundedSum(facts.bytes)
  }

  private static func olderParts(of path: String) throws(POSIXError) -> [String] {
    let folder = (path as NSString).deletingLastPathComponent
    let name = (path as NSString).lastPathComponent
    do throws(POSIXError) {
      let parts = try names(in: folder.isEmpty ? "." : folder).names.filter { part in
        part.hasPrefix(name + ".") && isNumber(part.dropFirst(name.count + 1))
      }
      return parts.map { folder.isEmpty ? $0 : place($0, in: folder) }
    } catch {
      // A folder may let those in who know a name, and tell nobody its names.
      guard error.code == .EACCES else { throw error }
      let parts = (1...).lazy.map { "\(path).\($0)" }
      return Array(parts.prefix { (try? FileFacts(of: $0)) != nil })
    }
  }

  /// Names of everything in a folder, in order, and how many logs have a name that is no text.
  ///
  /// Foundation leaves such names out without a word.
  static func names(
    in folder: String
  ) throws(POSIXError) -> (names: [String], unnamed: Int) {
    guard let opened = opendir(folder) else { throw POSIXError.latest }
    defer { closedir(opened) }
    guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { throw POSIXError(.ENOSYS) }
    var (names, unnamed): ([String], Int) = ([], 0)
    while true {
      errno = 0
      guard let entry = readdir(opened) else { break }
      // Only its address: nothing need be mapped behind the end of a name.
      let name = UnsafeRawPointer(entry).advanced(by: start)
        .assumingMemoryBound(to: CChar.self)
      if let text = String(validatingCString: name) {
        names.append(text)
      } else if isLog(String(cString: name)) {
        unnamed += 1
      }
    }
    guard errno == 0 else { throw POSIXError.latest }
    return (names.sorted(), unnamed)
  }

  private static func place(_ name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// Whether a file is named like a log, or like an older part of one.
  private static func isLog(_ name: String) -> Bool {
    if name.hasSuffix(".jsonl") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 2 && parts.dropLast().last == "jsonl" && isNumber(parts[parts.count - 1])
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

/// What the system knows of a file.
struct FileFacts {
  /// Which one it is, by whatever name.
  struct Identity: Hashable {
    let device: UInt64
    let number: UInt64
  }

  let identity: Identity
  /// How long it is.
  let bytes: Int
  private let kind: mode_t

  /// Asks for them; `-` is standard input.
  init(of path: String) throws(POSIXError) {
    var information = stat()
    let code = path == "-" ? fstat(0, &information) : stat(path, &information)
    guard code == 0 else { throw POSIXError.latest }
    identity = Identity(
      device: UInt64(truncatingIfNeeded: information.st_dev),
      number: UInt64(truncatingIfNeeded: information.st_ino))
    bytes = max(0, Int(information.st_size))
    kind = information.st_mode & S_IFMT
  }

  var isFile: Bool { kind == S_IFREG }
  var isFolder: Bool { kind == S_IFDIR }
}
