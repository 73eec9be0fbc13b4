// SPDX-License-Identifier: Apache-2.0

#if !Server
  #error("The example app needs the trait Server: build with --traits Server.")
#endif
