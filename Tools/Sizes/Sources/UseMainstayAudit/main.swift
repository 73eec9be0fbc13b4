// SPDX-License-Identifier: Apache-2.0

import MainstayAudit

print(await Audit().run(paths: ["Sources"]).findings)
