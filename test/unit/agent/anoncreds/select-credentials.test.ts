/** The credentials that are shown to a verifier, who writes the request: also its referents and intervals. */
import type { AgentContext } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { selectCredentials } from '../../../../lib/agent/formats/anoncreds/select-credentials.ts'

const credentialInfo = {
  ...{ credentialId: 'held', attributes: { degree: 'Bachelor' } },
  ...{ revocationRegistryId: null, credentialRevocationId: null },
}

/** The holder's service and the registries, whose list of each time is of that time. */
const contextOf = (...credentials: object[]): AgentContext => {
  const services = {
    findById: async () => null,
    getCredentialsForProofRequest: async () => credentials.map((info) => ({ credentialInfo: info })),
    getRegistryForIdentifier: () => ({
      getRevocationStatusList: async (_: AgentContext, __: string, timestamp: number) => ({
        revocationStatusList: { timestamp, revocationList: [0, 1] },
      }),
    }),
  }
  const resolve = () => services
  return { resolve, dependencyManager: { resolve } } as unknown as AgentContext
}
const agentContext = contextOf(credentialInfo)

const ask = (referent: string) => ({
  nonce: '1',
  requested_attributes: { [referent]: { name: 'degree' } },
  requested_predicates: {},
})

test.each(['degree', 'toString', 'hasOwnProperty'])('a credential is found for the referent %s', async (referent) => {
  const selected = await selectCredentials(agentContext, ask(referent), {}, 'proofFormats.anoncreds')
  expect(selected.attributes).toMatchObject({ [referent]: { credentialId: 'held', revealed: true } })
})

test('the interval of an attribute counts, and otherwise that of the request', async () => {
  const context = contextOf({ ...credentialInfo, revocationRegistryId: 'registry', credentialRevocationId: '0' })
  const requested_attributes = { own: { name: 'degree', non_revoked: { to: 20 } }, other: { name: 'degree' } }
  const request = { ...ask('own'), requested_attributes, non_revoked: { to: 10 } }
  const { attributes } = await selectCredentials(context, request, {}, 'proofFormats.anoncreds')
  expect(attributes).toMatchObject({ own: { timestamp: 20 }, other: { timestamp: 10 } })
})

test('a group of attributes is shown from a credential with all of them', async () => {
  const named = (credentialId: string, ...names: string[]) => ({
    ...{ ...credentialInfo, credentialId },
    attributes: Object.fromEntries(names.map((name) => [name, '1'])),
  })
  const requested_attributes = { one: { names: ['a', 'b'] }, other: { names: ['a', 'c'] } }
  const { attributes } = await selectCredentials(
    contextOf(named('first', 'a', 'c'), named('second', 'a', 'b')),
    { ...ask('one'), requested_attributes },
    {},
    'proofFormats.anoncreds',
  )
  expect(attributes).toMatchObject({ one: { credentialId: 'second' }, other: { credentialId: 'first' } })
})

test('a credential is found by names that differ from its own in spaces and case, which AnonCreds takes for the same', async () => {
  const context = contextOf({ ...credentialInfo, attributes: { 'First Name': 'Ada', age: '30' } })
  const request = {
    ...{ nonce: '1', requested_attributes: { name: { name: 'firstname' }, group: { names: ['FirstName', 'AGE'] } } },
    requested_predicates: { age: { name: 'A ge', p_type: '>=', p_value: 18 } as const },
  }
  const { attributes, predicates } = await selectCredentials(context, request, {}, 'proofFormats.anoncreds')
  const held = { credentialId: 'held' }
  expect({ ...attributes, ...predicates }).toMatchObject({ name: held, group: held, age: held })
  const tooOld = { age: { name: 'Age', p_type: '>=', p_value: 31 } as const }
  await expect(
    selectCredentials(context, { ...request, requested_predicates: tooOld }, {}, 'proofFormats.anoncreds'),
  ).rejects.toMatchObject({ details: [{ path: 'proofFormats.anoncreds' }] })
})

test('a revoked credential is passed over, unless the caller wants what was revoked too', async () => {
  const held = ['revoked', 'valid'].map((credentialId, index) => ({
    ...{ ...credentialInfo, credentialId, revocationRegistryId: 'registry', credentialRevocationId: `${1 - index}` },
  }))
  const select = async (more: object) => {
    const request = { ...ask('a'), non_revoked: { to: 10 } }
    return (await selectCredentials(contextOf(...held), request, more, 'proofFormats.anoncreds')).attributes
  }
  expect(await select({})).toMatchObject({ a: { credentialId: 'valid' } })
  expect(await select({ filterByNonRevocationRequirements: false })).toMatchObject({ a: { credentialId: 'revoked' } })
  await expect(select({ credentials: { a: ['revoked'] } })).rejects.toMatchObject({
    details: [{ path: 'proofFormats.anoncreds.credentials.a' }],
  })
})

test.each([{}, { non_revoked: { to: 10 } }])('one that cannot be revoked is preferred (%j)', async (interval) => {
  const revocable = { ...credentialInfo, revocationRegistryId: 'registry', credentialRevocationId: '0' }
  const context = contextOf({ ...revocable, credentialId: 'revocable' }, credentialInfo, revocable)
  const { attributes } = await selectCredentials(context, { ...ask('a'), ...interval }, {}, 'proofFormats.anoncreds')
  expect(attributes).toEqual({ a: { credentialId: 'held', credentialInfo, revealed: true } })
})

test.each([
  [
    'of a group',
    { group: { names: ['degree'] } },
    { selfAttestedAttributes: { group: 'x' } },
    '.selfAttestedAttributes.group',
  ],
  ['that is not requested', {}, { selfAttestedAttributes: { b: 'x' } }, '.selfAttestedAttributes.b'],
  ['that alone is requested', { b: { name: 'degree' } }, { selfAttestedAttributes: { b: 'x' } }, ''],
  ['that is not requested, by a credential', {}, { credentials: { b: ['held'] as [string] } }, '.credentials.b'],
])('nothing is attested %s', async (_, requested_attributes, choice, path) => {
  const request = { ...ask('a'), requested_attributes }
  await expect(selectCredentials(agentContext, request, choice, 'proofFormats.anoncreds')).rejects.toMatchObject({
    details: [{ path: `proofFormats.anoncreds${path}` }],
  })
})

test.each([
  ['with a restriction', { restrictions: [{ issuer_id: 'university' }] }, {}],
  ['for which a credential is named', {}, { credentials: { a: ['held'] as [string] } }],
])('an attribute %s is not self-attested', async (_, more, named) => {
  const requested_attributes = { a: { name: 'degree', ...more } }
  const choice = { selfAttestedAttributes: { a: 'Doctor' }, ...named }
  await expect(
    selectCredentials(agentContext, { ...ask('a'), requested_attributes }, choice, 'proofFormats.anoncreds'),
  ).rejects.toMatchObject({ details: [{ path: 'proofFormats.anoncreds.selfAttestedAttributes.a' }] })
})

const MANY = Array<object>(1_000).fill(credentialInfo)

test('many attributes of one credential are selected, however many like it there are', async () => {
  const names = Array.from({ length: 10 }, (_, number) => `name ${number}`)
  const requested_attributes = Object.fromEntries(names.map((name) => [name, { name }]))
  const attributes = Object.fromEntries(names.map((name) => [name, '1']))
  const context = contextOf(...MANY.map(() => ({ ...credentialInfo, attributes })))
  const selected = await selectCredentials(context, { ...ask('a'), requested_attributes }, {}, 'proofFormats.anoncreds')
  expect(Object.keys(selected.attributes)).toEqual(names)
})

test('2,000 credentials are looked at for all restrictions together, and no more', async () => {
  const select = (...schemas: string[]) => {
    const requested_attributes = Object.fromEntries(
      schemas.map((schema) => [schema, { name: 'degree', restrictions: [{ schema_id: schema }] }]),
    )
    const request = { ...ask('a'), requested_attributes }
    return selectCredentials(contextOf(...MANY), request, {}, 'proofFormats.anoncreds')
  }
  expect(await select('a', 'b')).toHaveProperty('attributes.b')
  await expect(select('a', 'b', 'c')).rejects.toThrow('too many credentials')
})

test('a credential without one attribute of a group is not for it', async () => {
  const requested_attributes = { group: { names: ['degree', 'date'] } }
  const request = { ...ask('a'), requested_attributes }
  const select = (...held: object[]) => selectCredentials(contextOf(...held), request, {}, 'proofFormats.anoncreds')
  await expect(select(credentialInfo)).rejects.toMatchObject({ code: 'request.invalid' })
  const whole = { ...credentialInfo, credentialId: 'whole', attributes: { degree: 'Bachelor', date: '2026' } }
  expect((await select(credentialInfo, whole)).attributes).toMatchObject({ group: { credentialId: 'whole' } })
})

test.each([
  ['>=', '18', true],
  ['>=', '17', false],
  ['>', '18', false],
  ['>', '19', true],
  ['<=', '18', true],
  ['<=', '19', false],
  ['<', '18', false],
  ['<', '17', true],
  ['>', '2147483647', true],
  ['>', '2147483648', false],
  ['>=', '18.5', false],
  ['<', '', false],
] as const)('a predicate %s 18 is for a credential with %j: %s', async (p_type, age, isFor) => {
  const context = contextOf({ ...credentialInfo, attributes: { age } })
  const request = {
    nonce: '1',
    requested_attributes: {},
    requested_predicates: { p: { name: 'age', p_type, p_value: 18 } },
  }
  const selected = selectCredentials(context, request, {}, 'proofFormats.anoncreds').then(() => true)
  expect(await selected.catch(({ details }) => details === undefined)).toBe(isFor)
})
