// SPDX-License-Identifier: Apache-2.0

import Elsewhere
import Testing

@Suite struct ServiceTests {
  @Test func `it wants a service that is not there`() { Issue.record("nobody answers") }
}
