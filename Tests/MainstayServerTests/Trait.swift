// SPDX-License-Identifier: Apache-2.0

#if !Server
  #error("These tests need the trait Server: swift test --enable-all-traits")
#endif
