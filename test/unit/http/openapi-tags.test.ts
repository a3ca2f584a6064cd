/** Tags of the OpenAPI document: where a reader looks for an operation. */
import { expect, test } from 'vitest'
import { AREAS, areaOf } from '../../../lib/http/openapi-tags.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

test('every operation is in the area of its path: lib/http/openapi-tags.ts has one for it', () => {
  const lost = OPERATIONS.filter(({ path }) => !AREAS.some(({ paths }) => paths.test(path)))
  expect(lost.map(({ path }) => path)).toEqual([])
})

test('no area is empty', () => {
  const used = new Set(OPERATIONS.map(areaOf))
  expect(AREAS.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
})

test('through a tenant in the path an operation is where it is without', () => {
  const apart = OPERATIONS.filter(
    ({ tenantPath, path }) => tenantPath && areaOf({ path: tenantPath }) !== areaOf({ path }),
  )
  expect(apart).toEqual([])
})

test.each([
  ['/', 'Invitations'],
  ['/oob/{outOfBandId}', 'Invitations'],
  ['/url/{invitationId}', 'Invitations'],
  ['/multi-tenancy/basic-messages/{connectionId}/{tenantId}', 'Messages'],
  ['/multi-tenancy/form-data/{tenantId}/{proofRecordId}', 'Proofs'],
  ['/multi-tenancy/create-tenant', 'Tenants'],
  ['/anoncreds/tails/{hash}', 'Public documents'],
  ['/anoncreds/schemas', 'AnonCreds'],
  ['/webhooks/orgs/{orgId}', 'Webhooks'],
  ['/health', 'Service'],
])('%s is in %s', (path, area) => {
  expect(areaOf({ path })).toBe(area)
})
