// SPDX-License-Identifier: Apache-2.0

import Testing

<<<<<<< HEAD
/// Everything that is seen through a browser, one test after the other.
///
/// Two browsers at a time would be slower than one on a small machine.
=======
/// Everything that is seen through a browser, one test after the other: two browsers at a time
/// would be slower than one on a small machine.
>>>>>>> 95a2c73af89e3cb168143991864193ac7985593f
@Suite(.serialized) enum BrowserTests {}
