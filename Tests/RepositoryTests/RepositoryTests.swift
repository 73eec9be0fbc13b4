// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite struct RepositoryTests {
  @Test(.requirement("E33")) func `runs`() {}
}
