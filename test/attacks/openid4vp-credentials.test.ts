/** Hostile presentations at a verifier of OpenID4VP: each ends its session with the name of the check that it fails, and is never verified. */
import { describe, expect, test } from 'vitest'
import { digest, seconds } from '../support/openid/jwts.ts'
import {
  type CredentialOptions,
  failed,
  queryOf,
  startPresenting,
  type TokenOf,
  VERIFIED,
} from '../support/openid/presenting.ts'
import {
  bindTo,
  newAuthority,
  newHolder,
  QUERY,
  type ReadRequest,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const verifier = await useVerifier(await useStage({ delivers: false }))
const [authority, another] = [await newAuthority('A'), await newAuthority('B')]
const OTHER = 'https://credentials.example/other'
const trust = (body: object) => verifier.done('createTrustedIssuer', { body })
await trust({ certificates: [authority.root], vcts: [VCT] })
await trust({ certificates: [another.root], vcts: [OTHER] })
const { holder, credential, present, one } = startPresenting(verifier, authority)

describe('a key binding', () => {
  test.each<[string, (one: ReadRequest) => Json, string]>([
    ['for a foreign nonce', () => ({ nonce: 'other' }), 'nonce'],
    ['for another verifier', () => ({ aud: 'x509_hash:other' }), 'audience'],
    ['for a list of verifiers', (request) => ({ aud: [request.payload.client_id] }), 'audience'],
    ['that is old', () => ({ iat: seconds() - 400 }), 'key_binding'],
    ['from the future', () => ({ iat: seconds() + 120 }), 'key_binding'],
    ['for other disclosures', () => ({ sd_hash: digest('other') }), 'key_binding'],
    [
      'for transaction data that were not asked for',
      () => ({ transaction_data_hashes: [digest('a')] }),
      'transaction_data',
    ],
  ])('%s', async (_, bindingOf, check) => expect(await one({}, {}, bindingOf)).toMatchObject(failed(check)))

  test('by another holder, left out, or for another request', async () => {
    expect(await one({}, {}, undefined, newHolder())).toMatchObject(failed('key_binding'))
    expect(await one({ payload: { cnf: undefined } })).toMatchObject(failed('key_binding'))
    expect(await present({}, async () => ({ identity: [await credential()] }))).toMatchObject(failed('key_binding'))
    const other = await verifier.request()
    const token = { identity: [bindTo(holder, await credential(), other)] }
    expect(await present({}, () => token)).toMatchObject(failed('nonce'))
  })

  test('that was not needed may be there, and is verified then', async () => {
    const options = queryOf({ require_cryptographic_holder_binding: false })
    const without = await present(options, async () => ({ identity: [await credential()] }))
    expect(without).toMatchObject(VERIFIED)
    expect(without.checks.map(({ name }: Json) => name)).not.toContain('key_binding')
    const checks = expect.arrayContaining([{ name: 'key_binding', passed: true }])
    expect(await one({}, options)).toMatchObject({ ...VERIFIED, checks })
    expect(await one({}, options, () => ({ nonce: 'other' }))).toMatchObject(failed('nonce'))
  })
})

const pay = (...credential_ids: string[]) => ({ type: 'pay', credential_ids, to: credential_ids.join() })

describe('transaction data', () => {
  const data = { transactionData: [pay('identity'), { ...pay('identity'), amount: 5 }] }
  const presentData = (bindingOf: (hashes: string[]) => Json) =>
    present(data, async (request) => {
      const hashes = request.payload.transaction_data.map(digest)
      return { identity: [bindTo(holder, await credential(), request, bindingOf(hashes))] }
    })

  test.each<[string, (hashes: string[]) => object, object]>([
    ['in order', (transaction_data_hashes) => ({ transaction_data_hashes }), VERIFIED],
    ['absent', () => ({}), failed('transaction_data')],
    ["another request's", () => ({ transaction_data_hashes: [digest('a')] }), failed('transaction_data')],
    ['one of two', ([first]) => ({ transaction_data_hashes: [first] }), failed('transaction_data')],
    ['reversed', (all) => ({ transaction_data_hashes: all.toReversed() }), failed('transaction_data')],
    [
      'by sha-1',
      (all) => ({ transaction_data_hashes: all, transaction_data_hashes_alg: 'sha-1' }),
      failed('transaction_data'),
    ],
  ])('%s', async (_, bindingOf, outcome) => expect(await presentData(bindingOf)).toMatchObject(outcome))

  test.each<[string, string[], string[], object]>([
    ['is bound by one of two credentials', ['one', 'two'], ['two'], VERIFIED],
    ['is bound by none of them', ['one', 'two'], [], failed('transaction_data')],
    ['is bound by one that it does not name', ['one'], ['two'], failed('transaction_data')],
  ])('%s', async (_, named, binding, outcome) => {
    const options = { ...queryOf({ id: 'one' }, { id: 'two' }), transactionData: [pay(...named)] }
    const session = await present(options, async (request) => {
      const hashes = { transaction_data_hashes: request.payload.transaction_data.map(digest) }
      const of = async (id: string) => [bindTo(holder, await credential(), request, binding.includes(id) ? hashes : {})]
      return { one: await of('one'), two: await of('two') }
    })
    expect(session).toMatchObject(outcome)
  })

  test('of a credential that is left out is not authorized', async () => {
    const { dcql } = queryOf({ id: 'one' }, { id: 'two' })
    const query = { ...dcql.query, credential_sets: [{ options: [['one'], ['two']] }] }
    const options = { dcql: { query }, transactionData: [pay('two')] }
    const tokenOf: TokenOf = async (request) => ({ one: [bindTo(holder, await credential(), request)] })
    expect(await present(options, tokenOf)).toMatchObject(failed('transaction_data'))
    expect(await present({ dcql: { query } }, tokenOf)).toMatchObject(VERIFIED)
  })
})

describe('a query', () => {
  const presentAs = (ids: string[], options: object, made: CredentialOptions = {}) =>
    present(options, async (request) => {
      const presentation = bindTo(holder, await credential(made), request)
      return Object.fromEntries(ids.map((id) => [id, [presentation]]))
    })
  const unasked = { credential_sets: [{ options: [['identity']], required: false }] }

  test.each<[string, string[], object, CredentialOptions?]>([
    ['another type', ['identity'], {}, { claims: { vct: OTHER }, by: another }],
    ['an unknown id', ['identity', 'other'], {}],
    ['an id that is a member of Object', ['identity', 'toString'], {}],
    ['nothing', [], {}],
    ['nothing, where nothing is required', [], { dcql: { query: { ...QUERY, ...unasked } } }],
    ['one of two', ['one'], queryOf({ id: 'one' }, { id: 'two' })],
    ['no claim that was asked for', ['identity'], queryOf({ claims: [{ path: ['nothing'] }] })],
    ['a claim of Object', ['identity'], queryOf({ claims: [{ path: ['toString'] }] })],
    ['another value', ['identity'], queryOf({ claims: [{ path: ['age'], values: [41, '42'] }] })],
    [
      'no set of claims',
      ['identity'],
      queryOf({
        claims: ['given_name', 'phone', 'email'].map((id) => ({ id, path: [id] })),
        claim_sets: [['given_name', 'phone'], ['email']],
      }),
    ],
    [
      'claims that the library cannot merge',
      ['identity'],
      queryOf({ claims: [{ path: ['address', 'constructor', 'name'] }] }),
      { claims: { address: { constructor: { name: 'a' }, toString: {} } } },
    ],
  ])('is not answered by %s', async (_, ids, options, made) =>
    expect(await presentAs(ids, options, made)).toMatchObject(failed('query')),
  )

  test('is answered by values, elements of lists, and whole claims named as members of Object', async () => {
    const claims = [{ path: ['age'], values: [42] }, { path: ['list', null, 'name'], values: ['b'] }, { path: ['odd'] }]
    const made = { list: [{ name: 'a' }, { name: 'b' }], odd: { constructor: { toString: {} } } }
    expect(await one({ claims: made }, queryOf({ claims }))).toMatchObject(VERIFIED)
  })

  test('is answered by two credentials only where several were asked for', async () => {
    const twice: TokenOf = async (request) => ({
      identity: [bindTo(holder, await credential(), request), bindTo(holder, await credential(), request)],
    })
    expect(await present({}, twice)).toMatchObject(failed('query'))
    expect(await present(queryOf({ multiple: true }), twice)).toMatchObject(VERIFIED)
  })
})
