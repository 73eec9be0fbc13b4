// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// The body of a request where a session takes it from.
enum BodyInFile: Sendable {
  /// Parts that came from elsewhere.
  case copied(TemporaryBody)
  /// A file of the app's, which would need as much room again.
  case itself(FileParts, URL)

  /// A body in parts; whatever fails here, nothing was sent.
  init(of stream: HTTPByteStream) async throws {
    do {
      if let file = stream.file, let url = try file.place() {
        self = .itself(file, url)
      } else {
        self = .copied(try await TemporaryBody(of: stream))
      }
    } catch {
      if error.isCancellation { throw error }
      // Where the parts come from is the app's: by its mapping, and not by that of the session.
      throw ErrorMapping.current.map(error).adding(metadata: ["http.sent": "no"])
    }
  }

  var url: URL {
    switch self {
    case .copied(let body): body.url
    case .itself(_, let url): url
    }
  }

  /// Throws where what has gone may be something else than what it was when the request began.
  func check(afterSending count: Int64) throws {
    guard case .itself(let file, _) = self else { return }
    do {
      try file.check(afterSending: count)
    } catch {
      throw ErrorMapping.current.map(error).adding(metadata: ["http.sent": "maybe"])
    }
  }

  /// What a request ends with that has failed: the reason is the file where that has changed, and
  /// not where it is gone.
  func reason(for failure: any Error) -> any Error {
    guard case .itself(let file, _) = self, file.hasChanged else { return failure }
    return HTTPMessageBody.changed.adding(metadata: ["http.sent": "maybe"])
  }
}

/// The body of a request in a file, which goes with it.
final class TemporaryBody: Sendable {
  let url: URL

  /// Writes what comes.
  init(of stream: HTTPByteStream) async throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("mainstay-body-\(UUID().uuidString)")
    let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: mode) else {
      throw AppError.wire(
        .exhausted, wasSent: false, details: "No temporary file for the body could be made",
        cause: CocoaError(.fileWriteUnknown))
    }
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    var count = 0
    for try await part in stream {
      count += part.count
      if let length = stream.length, count > length { break }
      try file.write(contentsOf: part)
    }
    // The session would announce what there is, and a part would pass for the whole.
    if let length = stream.length, count != length {
      throw AppError.wire(
        .defect, wasSent: false,
        details: "The body has \(count) bytes or more, and \(length) were announced",
        cause: URLError(.requestBodyStreamExhausted))
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
