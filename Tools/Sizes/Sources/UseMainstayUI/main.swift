// SPDX-License-Identifier: Apache-2.0

import MainstayUI

let items = TaskModel<[Int]>()
await items.run("Load items") { [1] }
print(items.state)
