// SPDX-License-Identifier: Apache-2.0

#if !SQLite
  #error("MainstayOutboxTesting needs the trait SQLite: .package(url: …, traits: [\"SQLite\"])")
#endif
