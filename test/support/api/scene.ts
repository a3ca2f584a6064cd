/** Shared by the files of the api layer: their world, and a client of it. */
// They run side by side, so globex is only read: tests write in acme, in the base agent, or in their own tenant.
import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import { type Answer, ApiClient } from './client.ts'
import { type Claims, sign } from './tokens.ts'

export const world = inject('world')
export const { base, acme, globex, tokens } = world
export const api = await ApiClient.of(world.baseUrl)

/** A token of the world's issuer. */
export const tokenWith = (claims: Claims): Promise<string> => sign(world.issuers.eddsa, claims)

/** A token of a tenant with roles in an organization. */
export const tokenIn = (orgId: string, roles: string[], tenantId = acme.tenantId, more: Claims = {}): Promise<string> =>
  tokenWith({ role: 'RestTenantAgent', tenantId, resource_access: { [orgId]: { roles } }, ...more })

/** An organization that exists: it has a tenant. */
export const newOrganization = async (orgId = `org-${randomUUID()}`): Promise<string> => {
  const body = { config: { label: orgId }, orgId }
  const answer = await api.post('/multi-tenancy/create-tenant', { token: tokens.rootWithTenants, body })
  expect(answer.status).toBe(201)
  return orgId
}

/** The reason phrases of RFC 9110, section 15, as the error table has them. */
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
}

/** Expects an error with exactly this body. `more` is its `message` and `details`, as far as it has them. */
export const expectError = ({ status, body }: Answer, expected: number, more: object = {}): void => {
  expect({ status, body }).toEqual({
    status: expected,
    body: { statusCode: expected, error: REASONS[expected], ...more },
  })
}

/** Expects a 422 whose details name exactly these fields, in whatever order; more than one thing may be wrong with a field. */
export const expectInvalid = (answer: Answer, fields: string[]): void => {
  const { details, ...body } = answer.body ?? {}
  expectError({ ...answer, body }, 422, { message: 'The body is not valid' })
  expect(new Set(details.map(({ path }: { path: string }) => path))).toEqual(new Set(fields))
  for (const { message } of details) expect(message).toMatch(/^\S.{2,200}$/)
}

/** Expects a 400 for parameters; its details name exactly these. */
export const expectMalformed = (answer: Answer, where: 'path' | 'query', fields: string[]): void => {
  const { details, ...body } = answer.body ?? {}
  expectError({ ...answer, body }, 400, { message: `The ${where} is not valid` })
  expect(details.map(({ path }: { path: string }) => path)).toEqual(fields)
}
