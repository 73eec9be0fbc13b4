// SPDX-License-Identifier: Apache-2.0

#if !Postgres
  #error(
    "MainstayOutboxPostgres needs the trait Postgres: .package(url: …, traits: [\"Postgres\"])")
#endif
