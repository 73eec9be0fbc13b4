// SPDX-License-Identifier: Apache-2.0

import Mainstay
import Testing

@Suite struct ATests {
  @Test func `the module can be imported`() { #expect(MemoryLayout<X>.size == 0) }
}
