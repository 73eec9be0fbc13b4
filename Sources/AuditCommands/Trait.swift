// SPDX-License-Identifier: Apache-2.0

#if !Audit
  #error("AuditCommands needs the trait Audit: build with --traits Audit.")
#endif
