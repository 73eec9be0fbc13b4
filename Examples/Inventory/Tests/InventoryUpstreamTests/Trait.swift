// SPDX-License-Identifier: Apache-2.0

#if !Server
  #error("This needs the trait Server: build with --traits Server, or with --enable-all-traits")
#endif
