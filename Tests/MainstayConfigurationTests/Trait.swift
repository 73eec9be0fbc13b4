// SPDX-License-Identifier: Apache-2.0

#if !Configuration
  #error("These tests need the trait Configuration: swift test --enable-all-traits")
#endif
