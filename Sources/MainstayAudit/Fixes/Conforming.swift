// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension TypeDeclaration {
  /// An edit that makes it a `LocalizedError`, in the place of a plain `Error` where that stands
  /// here.
  var localizedErrorEdit: Edit {
    let protocolName = "LocalizedError"
    guard let inheritance, let last = inheritance.inheritedTypes.last else {
      let end = genericParameters?.bytes.upperBound ?? nameSyntax.bytes.upperBound
      return Edit(end..<end, ": " + protocolName)
    }
    let plain = inheritance.inheritedTypes.first {
      ["Error", "Swift.Error"].contains($0.type.trimmedDescription)
    }
    if let plain { return Edit(plain.type.bytes, protocolName) }
    let end = last.type.bytes.upperBound
    return Edit(end..<end, ", " + protocolName)
  }

  private var genericParameters: GenericParameterClauseSyntax? {
    node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
  }
}

extension IndexedType {
  /// What a fix adds that makes it a `LocalizedError`, which it can be but once.
  var localizedErrorKey: String { "LocalizedError of \(qualifiedName)" }
}

extension AuditedFile {
  /// An edit that imports Foundation, where no import here brings it.
  func makeFoundationImport() -> Edit? {
    if !wholeImports.isDisjoint(with: foundationModules) { return nil }
    if let first = tree.statements.first(where: { $0.item.is(ImportDeclSyntax.self) }) {
      let start = first.bytes.lowerBound
      return Edit(start..<start, "import Foundation\n")
    }
    // Behind the lines of a header, and before the documentation of the first declaration; a mark
    // of the encoding stays where the file starts.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = bytes.starts(with: mark) ? mark.count : 0
    var line = 1
    while line < lines.lineCount {
      let bytes = lines.bytes(ofLine: line)
      let text = text(max(start, bytes.lowerBound)..<bytes.upperBound)
      guard text.hasPrefix("#!") || text.hasPrefix("//") && !text.hasPrefix("///") else { break }
      line += 1
    }
    let next = lines.bytes(ofLine: line)
    let place = max(start, next.lowerBound)
    let isFollowedByGap = text(place..<max(place, next.upperBound)).allSatisfy(\.isWhitespace)
    return Edit(
      place..<place,
      (line > 1 ? "\n" : "") + "import Foundation\n" + (isFollowedByGap ? "" : "\n"))
  }
}

/// Modules that bring Foundation with them.
let foundationModules: Set<String> = [
  "Foundation", "FoundationEssentials", "UIKit", "AppKit", "SwiftUI", "WatchKit", "Cocoa",
  "CoreData", "SwiftData", "StoreKit", "CloudKit", "MapKit", "CoreLocation",
  "AVFoundation", "Mainstay",
]
