// SPDX-License-Identifier: Apache-2.0

/// What `problem.mustache` reads: why there is no page.
struct ProblemPage: Sendable {
  let failure: FailureView
}
