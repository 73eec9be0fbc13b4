// SPDX-License-Identifier: Apache-2.0

#if !Audit
  #error("MainstayAudit needs the trait Audit: add it to `traits:` of the dependency.")
#endif
