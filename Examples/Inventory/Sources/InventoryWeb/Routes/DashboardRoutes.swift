// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import InventoryCore
import Logging
import Mainstay
import MainstayDashboard

/// The operations dashboard of the app, for whoever sits at this machine.
///
/// It is for looking only: what was given up belongs to an item, and is decided on the status page.
struct DashboardRoutes {
  let inventory: Inventory

  func add(to router: Router<VisitContext>) {
    var dashboard = Dashboard(logger: Logger(label: "inventory.dashboard"))
    dashboard.outboxes = ["inventory": inventory.outbox]
    dashboard.errors = inventory.monitor
    dashboard.levels = inventory.levels.controller
    dashboard.breakers = [inventory.client.catalogBreaker, inventory.client.twinBreaker]
    dashboard.pipelines = inventory.client.pipelines
    dashboard.isReadOnly = true
    dashboard.mount(on: router)
  }
}
