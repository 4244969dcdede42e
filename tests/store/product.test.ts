import { expect, it } from 'vitest'
import { toProfile } from '../../src/store/postgres/product.ts'

it.each([
  ['PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit', false, 'postgres'],
  ['PostgreSQL 16.4 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit', true, 'citus'],
  ['PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang, 64-bit', false, 'yugabytedb'],
  ['PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang, 64-bit', false, 'yugabytedb'],
  ['CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/09, go1.22.8)', false, 'cockroachdb'],
])('the product of %j is recognized (Citus: %j)', (version, hasCitus, profile) => {
  expect(toProfile(version, hasCitus)).toBe(profile)
})
