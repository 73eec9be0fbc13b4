// SPDX-License-Identifier: Apache-2.0

/// How the connection stands, as `dot.mustache` draws it.
struct DotView: Sendable {
  let tint: String
  let icon: String
  let title: String
}
