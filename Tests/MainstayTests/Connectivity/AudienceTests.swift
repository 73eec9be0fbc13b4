// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct AudienceTests {
  /// A value that changes once while somebody reads it, as another task may change it then.
  private final class Source: Sendable {
    let audience = Audience<Int>()
    private let state = Locked((value: 1, changesNext: true))

    @Sendable func read() -> (value: Int, number: UInt64) {
      let (found, changes) = state.withLock { state in
        defer { state.changesNext = false }
        return (state.value, state.changesNext)
      }
      if changes {
        state.withLock { $0.value = 2 }
        audience.tell(read)
      }
      return (found, UInt64(found))
    }
  }

  @Test func `a value that comes while another one is read is told as well`() async {
    let source = Source()
    var values: [Int] = []
    for await value in source.audience.listen(first: source.read) {
      values.append(value)
      if value == 2 { break }
    }
    #expect(values.last == 2)
  }

  @Test func `who has the newest value is not told it again`() async {
    let audience = Audience<Int>()
    let stream = audience.listen(first: { (7, 1) })
    audience.tell { (7, 1) }
    audience.tell { (8, 2) }
    audience.finish()
    var values: [Int] = []
    for await value in stream { values.append(value) }
    // The newest takes the place of one that nobody has read.
    #expect(values == [8])
  }
}
