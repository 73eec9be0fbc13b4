// SPDX-License-Identifier: Apache-2.0

import InventoryDemo
import Testing

@Suite struct PlanTests {}
