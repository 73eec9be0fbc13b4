// SPDX-License-Identifier: Apache-2.0

import MainstayUI

let toasts = Toasts()
toasts.show(.success, "mainactor: built with the main actor as the default")
print(toasts.visible.map(\.text).joined())
