// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

@Suite(.requirement("C21")) struct InstallationMarkTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "installation")
  }

  @Test func `a mark stays what it is`() throws {
    let mark = try InstallationMark(at: url)
    #expect(try InstallationMark(at: url) == mark)
    #expect(UUID(uuidString: mark.text) != nil)
  }

  @Test func `a copy is another installation`() throws {
    let mark = try InstallationMark(at: url)
    let copy = folder.url.appending(path: "copy")
    try FileManager.default.copyItem(at: url, to: copy)
    #expect(try InstallationMark(at: copy) != mark)
    // And stays that one.
    #expect(try InstallationMark(at: copy) == InstallationMark(at: copy))
    #expect(try InstallationMark(at: url) == mark)
  }

  @Test func `a file that was moved is the same installation`() throws {
    let mark = try InstallationMark(at: url)
    let moved = folder.url.appending(path: "moved")
    try FileManager.default.moveItem(at: url, to: moved)
    #expect(try InstallationMark(at: moved) == mark)
  }

  @Test(arguments: [("", 1), ("x", 1), ("x\n0 ", 1), ("\n", 1_000_000)])
  func `a damaged one is made anew`(part: String, count: Int) throws {
    let text = String(repeating: part, count: count)
    let mark = try InstallationMark(at: url)
    try Data(text.utf8).write(to: url)
    let other = try InstallationMark(at: url)
    #expect(other != mark)
    #expect(try InstallationMark(at: url) == other)
  }

  @Test func `where nothing can be written there is an error`() {
    let nowhere = folder.url.appending(path: "nowhere/installation")
    #expect(throws: (any Error).self) { try InstallationMark(at: nowhere) }
  }
}
