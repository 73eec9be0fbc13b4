// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct PipelineTests {
  @Test func `runs an operation through no stage at all`() async throws {
    let pipeline = Pipeline("empty") {}
    #expect(try await pipeline.run { 42 } == 42)
  }
}
