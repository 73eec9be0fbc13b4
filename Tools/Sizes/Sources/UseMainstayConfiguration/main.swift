// SPDX-License-Identifier: Apache-2.0

import Configuration
import MainstayConfiguration

try await LiveSettings(ConfigReader(provider: EnvironmentVariablesProvider())).run()
