/** What operations refuse alike, as tests: unauthenticated callers, invalid ids, bodies that cannot be read. */
import { expect, test } from 'vitest'
import { type Contract, mayBeEmpty } from '../../../lib/interface/contract.ts'
import { parametersOf, writePath } from '../calls/request-line.ts'
import type { MakeHeader } from './bad-tokens.ts'
import { api, expectError, expectInvalid, expectMalformed, tokens, world } from './scene.ts'

/** The path of an operation as sent; without a value, with an id that does not exist. */
export const pathOf = (contract: Contract, values: Record<string, string> = {}): string =>
  writePath(contract, { tenantId: 'nothing', ...values }, (value) => decodeURIComponent(value))

/** With a token that is valid for every operation, where it takes one. */
const tokenFor = ({ security }: Contract) => (security === 'none' ? undefined : tokens.rootWithTenants)

const askAs = (contract: Contract, authorization: string | undefined) =>
  api.ask(contract.method, pathOf(contract), {
    ...(contract.body && { body: {} }),
    ...(authorization !== undefined && { headers: { authorization } }),
  })

/** A caller without a valid token is rejected without a reason. Where a token is optional, a request without one is not. */
export const rejectsUnauthenticatedCallers = (contract: Contract, makers: MakeHeader[]): void => {
  test('an unauthenticated caller is rejected with 401 and nothing else', async () => {
    for (const makeHeader of makers) expectError(await askAs(contract, await makeHeader(world)), 401)
  })
}

const askFor = (contract: Contract, values: Record<string, string>) =>
  api.ask(contract.method, pathOf(contract, values), {
    token: tokenFor(contract),
    ...(contract.body && { body: {} }),
  })

/** A parameter that takes the rest of the path is an id of another system, which may have most characters. */
export const rejectsMalformedIds = (contract: Contract): void => {
  test.each(parametersOf(contract))('an invalid $name is a 400 that names it', async ({ name, greedy }) => {
    const none = ['a%00b', 'a%0Ab', 'a'.repeat(5000), ...(greedy ? [] : ['a%7Cb', '%40base', 'a%2Fb'])]
    for (const id of none) expectMalformed(await askFor(contract, { [name]: id }), 'path', [name])
    for (const id of ['%zz', '%ff%fe']) expect((await askFor(contract, { [name]: id })).status).toBe(400)
  })
}

/** Its fields are the tenant's own. */
const ANY_FIELDS = 'UpdateIssuanceSession'

const LIMIT = 256 * 1024

const postTo =
  (contract: Contract) =>
  (sent: string | Buffer, contentType: string | undefined = 'application/json') => {
    const token = tokenFor(contract)
    return api.send({
      method: contract.method,
      path: pathOf(contract),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(contentType !== '' && { 'content-type': contentType }),
      },
      body: sent,
    })
  }

/** And an unknown field, except in envelopes, which other agents define. */
export const rejectsInvalidBodies = (contract: Contract): void => {
  const post = postTo(contract)

  test('a body that cannot be read is refused: 400, 413, 415, 422', async () => {
    if (!mayBeEmpty(contract)) expectError(await post(''), 400, { message: 'The body is missing' })
    expectError(await post('{'), 400, { message: 'The body is not JSON' })
    expectError(await post('{}', 'text/plain'), 415, { message: 'The content type is not JSON in UTF-8' })
    expectError(await post('x'.repeat(LIMIT + 1)), 413, { message: `The body is over ${LIMIT} bytes` })
    for (const none of ['[]', 'null', '"{}"']) expectInvalid(await post(none), [''])
  })

  if (contract.security === 'none' || contract.operationId === ANY_FIELDS) return
  test('an unknown field is a 422 that names it', async () => {
    const { status, body } = await post('{"noSuchField":1,"nor this":{}}')
    expect(status).toBe(422)
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['noSuchField', 'nor this']),
    )
  })
}
