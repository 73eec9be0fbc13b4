// SPDX-License-Identifier: Apache-2.0

import Mainstay

print("lean: built with Mainstay alone")
