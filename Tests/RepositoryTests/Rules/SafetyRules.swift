// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

/// Swift that can trap, or that the compiler was told not to look at.
enum SafetyRules {
  /// Where the compiler's checks may be switched off, and the proof that it is sound.
  static let unchecked = [
    Allowance(path: "Policies/ChildTask.swift", reason: "carries a non-escaping operation"),
    Allowance(path: "Policies/Locked.swift", reason: "is the lock"),
    Allowance(path: "Errors/CancellationTests.swift", reason: "a subclass of NSError restates it"),
    Allowance(path: "Errors/HostileErrorTests.swift", reason: "a subclass of NSError restates it"),
    Allowance(path: "Errors/ErrorMappingTests.swift", reason: "a subclass of NSError restates it"),
  ]

  static func forcedTries(_ files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      ["try", "as"].flatMap { word in
        file.places(of: [word, "!"]).filter { isJoined(file.tokens[$0], file.tokens[$0 + 1]) }.map {
          file.violation(
            at: $0, "`\(word)!` traps when it is wrong",
            cure: "Handle the other case, or let the function throw")
        }
      }
    }
  }

  static func uncheckedSendable(_ files: [SourceFile]) -> [Violation] {
    files.filter { !unchecked.spare($0) }.flatMap { file in
      [["@", "unchecked", "Sendable"], ["nonisolated", "(", "unsafe", ")"]].flatMap { pattern in
        file.places(of: pattern).map {
          file.violation(
            at: $0, "`\(pattern[1] == "(" ? pattern.joined() : "@unchecked Sendable")` is unproved",
            cure: "Hold the state in `Locked`, or pass it as a value")
        }
      }
    }
  }

  /// Thread sanitizer on Linux does not see into `Mutex`, so one file alone uses it.
  static func otherLocks(_ files: [SourceFile]) -> [Violation] {
    files.filter { !unchecked.spare($0) }.flatMap { file in
      ["Mutex", "NSLock", "NSRecursiveLock", "OSAllocatedUnfairLock"].flatMap { name in
        file.places(of: [name]).map {
          file.violation(
            at: $0, "`\(name)` is another lock", cure: "Hold the state in `Locked`")
        }
      }
    }
  }

  /// Streams whose `onTermination` takes no lock, so that nobody waits for it.
  static let yielding = [
    Allowance(path: "Ogmios/OgmiosWorld.swift", reason: "its streams have no `onTermination`")
  ]

  /// Whoever cancels a task holds the lock of that task while its handlers run; who wakes it under
  /// a lock that such a handler takes waits for ever.
  static func wakingUnderLock(_ files: [SourceFile]) -> [Violation] {
    files.filter { !yielding.spare($0) }.flatMap { file in
      [["withLock", "{"], ["withLock", "(", "{"]].flatMap { pattern in
        file.places(of: pattern).flatMap { place in
          wakes(in: file, from: place + pattern.count).map {
            file.violation(
              at: $0, "`\(file.tokens[$0].text)` under a lock may wait for ever",
              cure: "Take out what is told under the lock, and tell it afterwards")
          }
        }
      }
    }
  }

  /// Where streams are yielded to, continuations resumed or finished and tasks cancelled, up to the
  /// end of a closure.
  private static func wakes(in file: SourceFile, from start: Int) -> [Int] {
    var (depth, found) = (1, [Int]())
    for place in start..<file.tokens.count {
      let text = file.tokens[place].text
      if text == "{" { depth += 1 }
      if text == "}" { depth -= 1 }
      if depth == 0 { break }
      guard place > start + 1, file.tokens[place - 1].text == ".",
        place + 1 < file.tokens.count, file.tokens[place + 1].text == "("
      else { continue }
      let owner = file.tokens[place - 2].text.lowercased()
      let isContinuation = owner.hasSuffix("continuation") || owner == "waiter"
      let isWake =
        text == "yield" || (isContinuation && ["resume", "finish"].contains(text))
        || (owner.hasSuffix("task") && text == "cancel")
      if isWake { found.append(place) }
    }
    return found
  }

  /// Files whose bytes need not survive a loss of power, and the one that says how others do.
  static let plainForcing = [
    Allowance(path: "Files/WholeWrite.swift", reason: "is the way to force onto the disk"),
    Allowance(path: "Files/WholeBytes.swift", reason: "writes source files, without the core"),
    Allowance(path: "Storage/DiskReserve.swift", reason: "only takes up room"),
    Allowance(path: "ChildSupport/Journal.swift", reason: "outlives processes, and no power cut"),
  ]

  /// On Apple's systems `fsync` forces nothing out of the memory of the drive.
  static func incompleteForcing(_ files: [SourceFile]) -> [Violation] {
    files.filter { !plainForcing.spare($0) }.flatMap { file in
      file.places(of: ["fsync", "("]).map {
        file.violation(
          at: $0, "`fsync` does not force bytes onto the disk everywhere",
          cure: "Call `WholeWrite.failure(forcing:)`")
      }
    }
  }

  /// Whether nothing stands between two tokens, as in `as!` but not in `as !`.
  private static func isJoined(_ first: Token, _ second: Token) -> Bool {
    first.offset + first.text.utf8.count == second.offset
  }
}
