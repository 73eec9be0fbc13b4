// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct SafetyRulesTests {
  @Test func `finds forced tries and casts`() {
    let text = "let a = try! b()\n// try! \nlet c = \"as!\"\nlet d = e as! F\nlet g = try? h as? I"
    #expect(SafetyRules.forcedTries([planted(text)]).lines == [1, 4])
  }

  @Test func `finds locks other than the one of the package`() {
    let text = "// Mutex\nlet a = Mutex(1)\nlet b = NSLock()\nlet c = Locked(1)"
    let found = SafetyRules.otherLocks([planted("Sources/Mainstay/A.swift", text)])
    #expect(found.lines == [2, 3])
  }

  @Test func `finds what wakes a task under a lock`() {
    let text = """
      state.withLock { state in
        for one in state.all { one.yield(1) }
        if let task { task.cancel() }
      }
      let all = state.withLock({ $0.continuation.finish() })
      for one in state.withLock(\\.all) { one.yield(1) }
      state.withLock { $0.queue.resume() }
      """
    let found = SafetyRules.wakingUnderLock([planted("Sources/Mainstay/A.swift", text)])
    #expect(found.lines == [2, 3, 5])
  }

  @Test func `finds bytes that are forced onto the disk half-way`() {
    let text = "// fsync(1)\nlet isThere = fsync(descriptor) == 0"
    #expect(SafetyRules.incompleteForcing([planted("Sources/Mainstay/A.swift", text)]).lines == [2])
    let way = "Sources/Mainstay/Monitoring/Files/WholeWrite.swift"
    #expect(SafetyRules.incompleteForcing([planted(way, text)]).isEmpty)
  }

  @Test func `finds unchecked concurrency outside the two files that prove theirs`() {
    let text = "final class A: @unchecked Sendable {}\nnonisolated(unsafe) var b = 1"
    #expect(SafetyRules.uncheckedSendable([planted(text)]).lines == [1, 2])
    for path in ["Sources/Mainstay/Policies/Locked.swift", "Policies/ChildTask.swift"] {
      #expect(SafetyRules.uncheckedSendable([planted(path, text)]).isEmpty)
    }
    #expect(SafetyRules.uncheckedSendable([planted("MyPolicies/Locked.swift", text)]).count == 2)
  }
}
