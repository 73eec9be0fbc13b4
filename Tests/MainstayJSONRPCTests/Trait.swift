// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error("The tests of the HTTP targets need the trait HTTPClient: --enable-all-traits.")
#endif
