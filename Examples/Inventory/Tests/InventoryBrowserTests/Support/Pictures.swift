// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// Where tests leave pictures of pages, for people to look at.
enum Pictures {
  /// `.build/screenshots` of the repository.
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build/screenshots")

  /// Those that the documentation shows, which are written only where this asks so: they differ a
  /// little from machine to machine.
  private static let documentation =
    ProcessInfo.processInfo.environment["MAINSTAY_WRITE_PICTURES"] == nil
    ? nil
    : folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Documentation/Pictures")

  static func keep(_ picture: Data, named name: String) throws {
    try write(picture, named: name, to: folder)
  }

  /// Keeps a picture that the documentation shows, which has one for dark screens, too.
  static func publish(_ picture: Data, named name: String, _ scheme: ColorScheme) throws {
    let name = scheme == .dark ? "\(name)-dark" : name
    try keep(picture, named: name)
    if let documentation { try write(picture, named: name, to: documentation) }
  }

  private static func write(_ picture: Data, named name: String, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try picture.write(to: folder.appending(path: "\(name).png"))
  }
}

extension Browser {
  /// Keeps a picture of the window where one can be had: it must not hide why a test fails.
  func keepPicture(named name: String) async {
    guard let picture = try? await picture() else { return }
    try? Pictures.keep(picture, named: name)
  }

  /// How bright a picture is, from 0 for black to 1 for white, by the mean of its pixels.
  ///
  /// The page decodes it, so an image has to be allowed by its policy.
  func brightness(of picture: Data) async throws -> Double {
    let value = try await send(
      .post, "/execute/async",
      [
        "script": """
        const done = arguments[1];
        const image = new Image();
        image.onerror = () => done("not an image");
        image.onload = () => {
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = 64;
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0, 64, 64);
          const data = context.getImageData(0, 0, 64, 64).data;
          let sum = 0;
          for (let i = 0; i < data.length; i += 4) {
            sum += 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
          }
          done(sum / (64 * 64 * 255));
        };
        image.src = "data:image/png;base64," + arguments[0];
        """,
        "args": [.string(picture.base64EncodedString())],
      ])
    guard let number = value.number else { throw Unreadable(what: "how bright a picture is") }
    return number
  }
}
