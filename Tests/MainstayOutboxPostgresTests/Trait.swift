// SPDX-License-Identifier: Apache-2.0

#if !Postgres
  #error("These tests need the trait Postgres: swift test --enable-all-traits")
#endif
