// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Mainstay
import NIOCore

/// The files that pages load: style, script and icons.
struct PublicFiles: Sendable {
  private struct File: Sendable {
    let type: String
    let tag: String
    let bytes: ByteBuffer

    init(_ type: String, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = ByteBuffer(bytes: bytes)
      tag = "\"\(Fingerprint(bytes).text)\""
    }
  }

  private let files = [
    "style.css": File("text/css; charset=utf-8", PackageResources.style_css),
    "app.js": File("text/javascript; charset=utf-8", PackageResources.app_js),
    "icons.svg": File("image/svg+xml", PackageResources.icons_svg),
    "icon.svg": File("image/svg+xml", PackageResources.icon_svg),
  ]

  func add(to table: RouteTable) { table.add("public/:name", [.get: read]) }

  @Sendable func read(_ request: Request, _ context: VisitContext) async throws -> Response {
    guard let name = context.parameters.get("name"), let file = files[name] else {
      throw AppError.unknownAddress
    }
    var headers: HTTPFields = [
      .contentType: file.type, .eTag: file.tag, .xContentTypeOptions: "nosniff",
      // A page must never be drawn with the style of an older program.
      .cacheControl: "no-cache",
    ]
    let known = request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    if known.contains("*") || known.contains(where: { $0.hasSuffix(file.tag) }) {
      headers[.contentType] = nil
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
  }
}
