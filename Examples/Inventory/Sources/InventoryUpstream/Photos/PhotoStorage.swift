// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The bytes of photos, in memory or in a folder.
struct PhotoStorage {
  private var memory: [String: Data] = [:]

  /// Where they are kept; nil for memory.
  private let folder: URL?

  init(in folder: URL?) throws(StartFailure) {
    self.folder = folder?.appending(path: "photos")
    guard let folder = self.folder else { return }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // mainstay:ignore MS205 -- a sentence is all that is printed
      throw StartFailure("The folder \(folder.path) cannot be made.")
    }
  }

  /// How many bytes of an upload are here.
  func received(_ upload: Upload) -> Int {
    min(bytes(Self.name(upload))?.count ?? 0, upload.total)
  }

  /// Begins an upload: whatever was here of another one goes.
  mutating func begin(_ upload: Upload) throws { try write(Data(), Self.name(upload)) }

  /// Puts bytes of an upload where they belong; what was behind them goes.
  mutating func add(_ part: some Collection<UInt8>, at offset: Int, to upload: Upload) throws {
    let name = Self.name(upload)
    guard let folder else {
      memory[name] = (memory[name] ?? Data()).prefix(offset) + Data(part)
      return
    }
    let file = try FileHandle(forUpdating: folder.appending(path: name))
    defer { try? file.close() }
    try file.truncate(atOffset: UInt64(offset))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(part))
  }

  /// All bytes of an upload.
  func whole(_ upload: Upload) -> Data { bytes(Self.name(upload)) ?? Data() }

  /// Makes an upload the photo; it can be read once the photo is in the journal.
  mutating func finish(_ upload: Upload, as photo: Photo) throws {
    try write(whole(upload), Self.name(photo))
    _ = try? remove(Self.name(upload))
  }

  func read(_ photo: Photo) -> Data? { bytes(Self.name(photo)) }

  /// Deletes a photo that was replaced, or whose twin was deleted.
  mutating func delete(_ photo: Photo) { _ = try? remove(Self.name(photo)) }

  /// Deletes what is here of an upload.
  mutating func delete(_ upload: Upload) { _ = try? remove(Self.name(upload)) }

  private static func name(_ upload: Upload) -> String { upload.twin + ".part" }

  private static func name(_ photo: Photo) -> String { photo.twin + "-" + photo.bodyHash.text }

  private func bytes(_ name: String) -> Data? {
    guard let folder else { return memory[name] }
    return try? Data(contentsOf: folder.appending(path: name))
  }

  private mutating func write(_ data: Data, _ name: String) throws {
    guard let folder else { return memory[name] = data }
    try data.write(to: folder.appending(path: name), options: .atomic)
  }

  private mutating func remove(_ name: String) throws {
    guard let folder else { return memory[name] = nil }
    try FileManager.default.removeItem(at: folder.appending(path: name))
  }
}
