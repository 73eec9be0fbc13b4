// SPDX-License-Identifier: Apache-2.0

import Testing

/// Everything that is seen through a browser, one test after the other: two browsers at a time
/// would be slower than one on a small machine.
@Suite(.serialized) enum BrowserTests {}
