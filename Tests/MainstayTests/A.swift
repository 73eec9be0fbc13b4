// SPDX-License-Identifier: Apache-2.0

// Keeps the target from being empty until the first tests are here.
import Mainstay
