// SPDX-License-Identifier: Apache-2.0

#if !Audit
  #error("The program mainstay-audit needs the trait Audit: build with --traits Audit.")
#endif
