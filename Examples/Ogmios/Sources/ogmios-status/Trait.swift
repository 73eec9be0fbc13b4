// SPDX-License-Identifier: Apache-2.0

#if !Server
  #error("ogmios-status needs the trait Server: build with --traits Server.")
#endif
