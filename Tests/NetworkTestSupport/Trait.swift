// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error("The tests of faults on the network need the trait HTTPClient: --enable-all-traits.")
#endif
