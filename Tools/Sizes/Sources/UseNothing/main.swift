// SPDX-License-Identifier: Apache-2.0

import Foundation

print(URL(filePath: "/").path)
