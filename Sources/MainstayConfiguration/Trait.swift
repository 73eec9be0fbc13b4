// SPDX-License-Identifier: Apache-2.0

#if !Configuration
  #error("MainstayConfiguration needs the trait Configuration: traits: [\"Configuration\"]")
#endif
