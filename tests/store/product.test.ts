import { expect, it } from 'vitest'
import { findOtherProduct } from '../../src/store/postgres/product.ts'

it.each([
  ['PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit', false, undefined],
  ['PostgreSQL 16.4 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit', true, 'PostgreSQL with Citus'],
  ['PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang, 64-bit', false, 'YugabyteDB'],
  ['PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang, 64-bit', false, 'YugabyteDB'],
  ['CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/09, go1.22.8)', false, 'CockroachDB'],
])('the product of %j is recognized (Citus: %j)', (version, hasCitus, product) => {
  expect(findOtherProduct(version, hasCitus)).toBe(product)
})
