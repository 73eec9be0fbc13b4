// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import MainstayServer

let router = Router()
router.addHealth(Health([]))
router.addMiddleware { ProblemMiddleware() }
try await Application(router: router).run()
