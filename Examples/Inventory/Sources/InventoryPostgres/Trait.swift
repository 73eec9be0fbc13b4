// SPDX-License-Identifier: Apache-2.0

#if !Server || !Postgres
  #error("This needs the traits Server and Postgres: build with --enable-all-traits.")
#endif
