// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

let clock = ManualClock()
clock.advance(by: .seconds(1))
print(clock.sleeperCount)
