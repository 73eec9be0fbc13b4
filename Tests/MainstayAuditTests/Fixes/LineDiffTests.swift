// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import MainstayAudit
import Testing

@Suite struct LineDiffTests {
  private func unified(_ old: String, _ new: String) -> String {
    LineDiff(from: Array(old.utf8), to: Array(new.utf8)).unified(path: "/a.swift")
  }

  @Test func `a change is shown with three lines around`() {
    let old = (1...12).map { "line \($0)\n" }.joined()
    let new = old.replacing("line 6\n", with: "line six\nline more\n")
    #expect(
      unified(old, new) == """
        --- a/a.swift
        +++ b/a.swift
        @@ -3,7 +3,8 @@
         line 3
         line 4
         line 5
        -line 6
        +line six
        +line more
         line 7
         line 8
         line 9

        """)
  }

  @Test func `changes that are near share a block`() {
    let old = (1...30).map { "\($0)\n" }.joined()
    let near = old.replacing("\n5\n", with: "\nfive\n").replacing("\n12\n", with: "\n")
    #expect(unified(old, near).split(separator: "\n").count { $0.hasPrefix("@@") } == 1)
    let far = near.replacing("\n25\n", with: "\n25\nmore\n")
    #expect(unified(old, far).split(separator: "\n").count { $0.hasPrefix("@@") } == 2)
  }

  @Test(.timeLimit(.minutes(5)))
  func `many small changes are found one by one, each in the time for itself`() {
    let old = (0..<60_000).map { "line \($0)\n" }
    let new = old.enumerated().map { $0 % 5 == 2 ? "first \($0)\nsecond \($0)\n" : $1 }
    let hunks = LineDiff(from: Array(old.joined().utf8), to: Array(new.joined().utf8)).hunks
    #expect(hunks.count == 12_000)
    let starts = (0..<12_000).map { (old: $0 * 5 + 2, new: $0 * 6 + 2) }
    #expect(hunks.map(\.old) == starts.map { $0.old..<($0.old + 1) })
    #expect(hunks.map(\.new) == starts.map { $0.new..<($0.new + 2) })
  }

  @Test func `a text that has become another one is compared in full`() {
    let old = (1...100).map { "old \($0)\n" }.joined()
    let new = (1...100).map { "new \($0)\n" }.joined()
    let ends = ("start\n", "same\nsame\nsame\nend\n")
    let hunks = LineDiff(
      from: Array((ends.0 + old + ends.1 + old).utf8), to: Array((ends.0 + new + ends.1).utf8)
    ).hunks
    #expect(hunks.map(\.old) == [1..<101, 105..<205])
    #expect(hunks.map(\.new) == [1..<101, 105..<105])
  }

  @Test func `ends without a line end and empty files are shown`() {
    #expect(unified("a", "a") == "")
    #expect(unified("", "a\n") == "--- a/a.swift\n+++ b/a.swift\n@@ -0,0 +1 @@\n+a\n")
    #expect(unified("a\n", "") == "--- a/a.swift\n+++ b/a.swift\n@@ -1 +0,0 @@\n-a\n")
    #expect(
      unified("a", "a\n") == """
        --- a/a.swift
        +++ b/a.swift
        @@ -1 +1 @@
        -a
        \\ No newline at end of file
        +a

        """)
  }

  @Test func `odd names are written as git writes them`() {
    func name(_ path: String) -> Substring? {
      LineDiff(from: [], to: [0x0A]).unified(path: path).split(separator: "\n").first
    }
    #expect(name("with space.swift") == "--- a/with space.swift\t")
    #expect(name("a\n\"b\".swift") == #"--- "a/a\012\042b\042.swift""#)
    #expect(name("é\t.swift") == #"--- "a/\303\251\011.swift""#)
  }

  @Test func `changed lines move with the lines before them`() {
    let diff = Array("+++ b/a\n@@ -1,0 +2,2 @@\n+x\n+y\n@@ -9 +11 @@\n-u\n+v\n".utf8)
    let lines = ChangedLines(diff: diff)[path: "a"]
    let old = Array((1...12).map { "\($0)\n" }.joined().utf8)
    let new = Array(
      (["0\n"] + (1...12).map { $0 == 11 ? "eleven\nmore\n" : "\($0)\n" }).joined().utf8)
    let moved = lines?.after(LineDiff(from: old, to: new).hunks)
    #expect((1...16).filter { lines?.contains($0) ?? false } == [2, 3, 11])
    #expect((1...16).filter { moved?.contains($0) ?? false } == [1, 3, 4, 12, 13])
  }
}

@Suite struct ChangedLinesTests {
  /// The pairs of neighbouring lines between which something was removed.
  private func seams(_ lines: ChangedLines.Lines?) -> [Int] {
    (1...20).filter { line in
      guard let lines else { return false }
      return lines.touch(line...line + 1) && !lines.contains(line) && !lines.contains(line + 1)
    }
  }

  @Test func `lines that were removed leave a place, which moves with the lines before it`() {
    let diff = """
      --- a/a
      +++ b/a
      @@ -1 +0,0 @@
      -gone
      @@ -5,2 +3,0 @@
      -gone
      -gone
      @@ -9 +5 @@
      -old
      +new
      @@ -15 +10,0 @@
      -gone

      """
    let lines = ChangedLines(diff: Array(diff.utf8))[path: "a"]
    #expect(seams(lines) == [3, 10])
    #expect((1...20).filter { lines?.contains($0) ?? false } == [5])
    #expect(lines?.touch(1...2) == false && lines?.touch(1...9) == true)
    #expect(lines?.touch(6...10) == false && lines?.touch(6...11) == true)
    let old = (1...12).map { "\($0)\n" }
    func moved(_ new: [String]) -> [Int] {
      seams(
        lines?.after(
          LineDiff(from: Array(old.joined().utf8), to: Array(new.joined().utf8)).hunks))
    }
    #expect(moved(["0\n"] + old) == [4, 11])
    #expect(moved(Array(old[..<9]) + ["ten and eleven\n"] + Array(old[11...])) == [3])
  }

  @Test func `lines of files that look like headings are none`() {
    let diff = """
      diff --git a/a.swift b/a.swift
      index 1..2 100644
      --- a/a.swift
      +++ b/a.swift
      @@ -2,1 +2,2 @@ func f() {
      --- a/x.swift
      +++ b/x.swift
      +@@ -1 +1 @@
      @@ -10 +11,0 @@
      -gone
      \\ No newline at end of file
      diff --git "a/odd \\"n\\303\\251.swift" "b/odd \\"n\\303\\251.swift"
      --- "a/odd \\"n\\303\\251.swift"
      +++ "b/odd \\"n\\303\\251.swift"
      @@ -0,0 +1,3 @@
      +a
      +b
      +c
      diff --git a/with space.swift b/with space.swift
      --- a/with space.swift\t
      +++ b/with space.swift\t
      @@ -1 +1 @@
      -a
      +b
      diff --git a/gone.swift b/gone.swift
      --- a/gone.swift
      +++ /dev/null
      @@ -1 +0,0 @@
      -a

      """
    let lines = ChangedLines(diff: Array(diff.utf8))
    #expect(lines.paths == ["a.swift", "odd \"né.swift", "with space.swift"])
    #expect((1...20).filter { lines[path: "a.swift"]?.contains($0) ?? false } == [2, 3])
    #expect((0...20).filter { lines[path: "odd \"né.swift"]?.contains($0) ?? false } == [1, 2, 3])
  }

  @Test func `lines around a change are no changed lines, and hide no file`() {
    let diff = """
      --- a/a.swift
      +++ b/a.swift
      @@ -3,5 +3,5 @@
      -old
      +new
       same
       same

      -old
      +new
      --- a/b.swift
      +++ b/b.swift
      @@ -1 +1 @@
      -a
      +b

      """
    let lines = ChangedLines(diff: Array(diff.utf8))
    #expect(lines.paths == ["a.swift", "b.swift"])
    #expect((1...20).filter { lines[path: "a.swift"]?.contains($0) ?? false } == [3, 7])
    #expect((1...20).filter { lines[path: "b.swift"]?.contains($0) ?? false } == [1])
  }
}
