// SPDX-License-Identifier: Apache-2.0

#if !CLI
  #error("The program mainstay needs the trait CLI: build with --traits CLI.")
#endif
