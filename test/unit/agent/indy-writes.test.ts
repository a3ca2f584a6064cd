/** What an operator is to write to an Indy ledger for an issuer: `action` with the transaction, `finished` when the ledger has exactly it. */

import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { IndyRegistry } from '../../../lib/agent/formats/anoncreds/indy-registry.ts'
import { onLedger } from '../../../lib/agent/formats/anoncreds/indy-writes.ts'
import { LedgerTransaction } from '../../../lib/indy/transactions.ts'
import { readSettings, settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { WriteRequest } from '../../support/anoncreds/indy-ledger.ts'
import {
  ISSUER,
  KEYS,
  REVOCABLE_KEYS,
  registryRequest,
  schemaRequest,
  TAILS,
} from '../../support/anoncreds/indy-objects.ts'
import { type IndyProxy, startIndyProxy } from '../../support/anoncreds/indy-proxy.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'

const NAMESPACE = 'bcovrin:test'
const DID = `did:indy:${NAMESPACE}:${ISSUER}`

let proxy: IndyProxy
const registry: AnonCredsRegistry = new IndyRegistry()
const context = {} as AgentContext

const setProxies = (proxies: Record<string, string>): void => {
  Object.assign(settings(), readSettings({ ...process.env, INDY_PROXIES: JSON.stringify(proxies) }))
}

beforeEach(async () => {
  proxy = await startIndyProxy()
  setProxies({ [NAMESPACE]: proxy.address })
})
afterEach(() => proxy.stop())

const inUnit = <T>(act: () => Promise<T>): Promise<T> => transaction('@base', act)

const schemaOf = (issuerId: string, attrNames = ['degree', 'age']) => ({
  issuerId,
  name: 'degree',
  version: '1.0',
  attrNames,
})
const definitionOf = (issuerId: string, schemaId: string, value: Json = REVOCABLE_KEYS) => ({
  ...{ issuerId, schemaId, type: 'CL' as const, tag: 'default', value },
})
const registryOf = (issuerId: string, credDefId: string) => ({
  ...{ issuerId, credDefId, revocDefType: 'CL_ACCUM' as const, tag: 'first', value: { maxCredNum: 5, ...TAILS } },
})
const listOf = (issuerId: string, revRegDefId: string, revocationList: number[], currentAccumulator: string) => ({
  ...{ issuerId, revRegDefId, revocationList, currentAccumulator },
})

const registerSchema = (schema: ReturnType<typeof schemaOf>): Promise<Json> =>
  inUnit(() => registry.registerSchema(context, { schema, options: {} }))
const registerDefinition = (credentialDefinition: ReturnType<typeof definitionOf>): Promise<Json> =>
  inUnit(() => registry.registerCredentialDefinition(context, { credentialDefinition, options: {} }))
const registerRegistry = (revocationRegistryDefinition: ReturnType<typeof registryOf>): Promise<Json> =>
  inUnit(() => registry.registerRevocationRegistryDefinition(context, { revocationRegistryDefinition, options: {} }))
const registerList = (revocationStatusList: ReturnType<typeof listOf>): Promise<Json> =>
  inUnit(() => registry.registerRevocationStatusList(context, { revocationStatusList, options: {} }))

/** What a job stores: JSON, which is read back by the schema. */
const transactionOf = ({ registrationMetadata }: Json): LedgerTransaction =>
  v.parse(LedgerTransaction, JSON.parse(JSON.stringify(registrationMetadata.transaction)))

/** The operator writes what the answer holds. */
const write = (answer: Json): void => {
  proxy.write(transactionOf(answer).request as unknown as WriteRequest)
}
const isOnLedger = (answer: Json) => inUnit(() => onLedger(transactionOf(answer)))

describe.each([
  ['qualified', DID, `${DID}/anoncreds/v0`],
  ['unqualified', ISSUER, ''],
])('for an issuer whose DID is %s', (_, issuer, base) => {
  const qualified = base !== ''
  const schemaId = qualified ? `${base}/SCHEMA/degree/1.0` : `${ISSUER}:2:degree:1.0`
  const definitionId = qualified ? `${base}/CLAIM_DEF/10/default` : `${ISSUER}:3:CL:10:default`
  const registryId = qualified
    ? `${base}/REV_REG_DEF/10/default/first`
    : `${ISSUER}:4:${ISSUER}:3:CL:10:default:CL_ACCUM:first`

  test('schema, definition, registry and lists are written by the operator one after the other', async () => {
    const schema = await registerSchema(schemaOf(issuer))
    expect(schema).toEqual({
      schemaState: { state: 'action', action: 'writeToLedger', schema: schemaOf(issuer), schemaId },
      schemaMetadata: {},
      registrationMetadata: {
        didIndyNamespace: NAMESPACE,
        transaction: {
          namespace: NAMESPACE,
          request: {
            identifier: ISSUER,
            protocolVersion: 2,
            operation: { type: '101', data: { name: 'degree', version: '1.0', attr_names: ['degree', 'age'] } },
          },
        },
      },
    })
    expect(await isOnLedger(schema)).toEqual({ state: 'absent' })
    write(schema)
    expect(await isOnLedger(schema)).toEqual({ state: 'same', timestamp: expect.any(Number) })

    const definition = await registerDefinition(definitionOf(issuer, schemaId))
    expect(definition.credentialDefinitionState).toMatchObject({
      ...{ state: 'action', credentialDefinitionId: definitionId },
    })
    expect(transactionOf(definition).request.operation).toEqual({
      ...{ type: '102', ref: 10, signature_type: 'CL', tag: 'default', data: REVOCABLE_KEYS },
    })
    expect(await isOnLedger(definition)).toEqual({ state: 'absent' })
    write(definition)
    expect(await isOnLedger(definition)).toMatchObject({ state: 'same' })

    const revocation = await registerRegistry(registryOf(issuer, definitionId))
    expect(revocation.revocationRegistryDefinitionState).toMatchObject({
      ...{ state: 'action', revocationRegistryDefinitionId: registryId },
    })
    expect(await isOnLedger(revocation)).toEqual({ state: 'absent' })
    write(revocation)
    expect(await isOnLedger(revocation)).toMatchObject({ state: 'same' })

    const first = await registerList(listOf(issuer, registryId, [0, 0, 0, 0, 0], '21 AA'))
    expect(first.revocationStatusListState).toMatchObject({ state: 'action' })
    expect(transactionOf(first).request.operation).toMatchObject({ type: '114', value: { accum: '21 AA' } })
    expect(await isOnLedger(first)).toEqual({ state: 'absent' })
    write(first)
    expect(await isOnLedger(first)).toMatchObject({ state: 'same' })

    const second = await registerList(listOf(issuer, registryId, [0, 1, 0, 1, 0], '21 BB'))
    expect(transactionOf(second).request.operation).toMatchObject({
      value: { accum: '21 BB', prevAccum: '21 AA', revoked: [1, 3] },
    })
    write(second)
    const third = await registerList(listOf(issuer, registryId, [0, 0, 1, 1, 0], '21 CC'))
    expect(transactionOf(third).request.operation).toMatchObject({
      value: { accum: '21 CC', prevAccum: '21 BB', issued: [1], revoked: [2] },
    })
    write(third)
    const read = await inUnit(() =>
      registry.getRevocationStatusList(context, registryId, Math.floor(Date.now() / 1000)),
    )
    expect(read.revocationStatusList).toMatchObject({ revocationList: [0, 0, 1, 1, 0], currentAccumulator: '21 CC' })

    expect(await registerSchema(schemaOf(issuer))).toMatchObject({ schemaState: { state: 'finished', schemaId } })
    expect(await registerDefinition(definitionOf(issuer, schemaId))).toMatchObject({
      credentialDefinitionState: { state: 'finished', credentialDefinitionId: definitionId },
    })
    expect(await registerList(listOf(issuer, registryId, [0, 0, 1, 1, 0], '21 CC'))).toMatchObject({
      revocationStatusListState: {
        state: 'finished',
        revocationStatusList: { timestamp: read.revocationStatusList?.timestamp },
      },
    })
  })
})

test('a proxy that does not answer is not the ledger’s rejection', async () => {
  const registry = registryOf(DID, `${DID}/anoncreds/v0/CLAIM_DEF/10/default`)
  const list = listOf(DID, `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`, [0, 0, 0, 0, 0], '21 AA')
  proxy.answerWith((_, __, response) => void response.writeHead(500).end())
  for (const register of [
    () => registerSchema(schemaOf(DID)),
    () => registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`)),
    () => registerRegistry(registry),
    () => registerList(list),
  ])
    await expect(register()).rejects.toMatchObject({ code: 'registry.unavailable' })
})

test('a schema is the same in whatever order the ledger has its attributes', async () => {
  proxy.write(schemaRequest('degree', ['age', 'degree']))
  expect(await registerSchema(schemaOf(DID))).toMatchObject({ schemaState: { state: 'finished' } })
})

describe('what the ledger has in its place is not it', () => {
  test.each([
    ['fewer', ['degree']],
    ['more', ['degree', 'age', 'name']],
    ['other', ['degree', 'name']],
  ])('a schema with %s attributes', async (_, attributes) => {
    const answer = await registerSchema(schemaOf(DID))
    proxy.write(schemaRequest('degree', attributes))
    expect(await isOnLedger(answer)).toEqual({ state: 'other' })
    expect(await registerSchema(schemaOf(DID))).toMatchObject({
      schemaState: { state: 'failed', reason: 'the ledger already has a different object' },
    })
  })

  test.each<[string, Json]>([
    ['another key', { ...REVOCABLE_KEYS, primary: { ...REVOCABLE_KEYS.primary, n: '999' } }],
    [
      'a key for an attribute more',
      { ...REVOCABLE_KEYS, primary: { ...KEYS.primary, r: { ...KEYS.primary.r, name: '1' } } },
    ],
    ['no revocation', KEYS],
  ])('a definition with %s', async (_, value) => {
    proxy.write(schemaRequest())
    const answer = await registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`))
    const { request } = transactionOf(answer)
    proxy.write({ ...request, operation: { ...request.operation, data: value } })
    expect(await isOnLedger(answer)).toEqual({ state: 'other' })
  })

  test.each<[string, Json]>([
    ['other tails', { tailsHash: 'Wdj3rrMCZ1R1M78H4xK5jxikmdUUGW2kbfJQ1HoEpK7' }],
    ['tails elsewhere', { tailsLocation: 'https://other.example.org' }],
    ['another size', { maxCredNum: 6 }],
    ['issuance on demand', { issuanceType: 'ISSUANCE_ON_DEMAND' }],
  ])('a registry with %s', async (_, change) => {
    proxy.write(schemaRequest())
    write(await registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`)))
    const answer = await registerRegistry(registryOf(DID, `${DID}/anoncreds/v0/CLAIM_DEF/10/default`))
    const { request } = transactionOf(answer)
    const operation = request.operation as Json
    proxy.write({ ...request, operation: { ...operation, value: { ...operation.value, ...change } } })
    expect(await isOnLedger(answer)).toEqual({ state: 'other' })
  })

  test('an entry that came before it', async () => {
    const registryId = `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`
    proxy.write(schemaRequest())
    write(await registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`)))
    write(await registerRegistry(registryOf(DID, `${DID}/anoncreds/v0/CLAIM_DEF/10/default`)))
    write(await registerList(listOf(DID, registryId, [0, 0, 0, 0, 0], '21 AA')))
    const answer = await registerList(listOf(DID, registryId, [0, 1, 0, 0, 0], '21 BB'))
    write(await registerList(listOf(DID, registryId, [0, 0, 1, 0, 0], '21 CC')))
    expect(await isOnLedger(answer)).toEqual({ state: 'other' })
  })
})

describe('nothing is to be written', () => {
  const SCHEMA = `${DID}/anoncreds/v0/SCHEMA/degree/1.0`
  const LIST = `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`
  const OTHERS = `did:indy:${NAMESPACE}:Th7MpTaRZVRYnPiabds81Y/anoncreds/v0/CLAIM_DEF/10/default`

  test.each<[string, () => Promise<Json>, RegExp]>([
    ['for an issuer of another method', () => registerSchema(schemaOf('did:web:a.example.org')), /not a DID/],
    [
      'for a ledger that no proxy is of',
      () => registerSchema(schemaOf(`did:indy:sovrin:${ISSUER}`)),
      /no proxy of this/,
    ],
    ['with a name with a colon', () => registerSchema({ ...schemaOf(DID), name: 'a:b' }), /not supported by Indy/],
    ['with a name with a slash', () => registerSchema({ ...schemaOf(DID), name: 'a/b' }), /not supported by Indy/],
    ['with a version of letters', () => registerSchema({ ...schemaOf(DID), version: 'v1' }), /not supported by Indy/],
    ['without attributes', () => registerSchema(schemaOf(DID, [])), /attrNames is not valid in AnonCreds/],
    ['before the schema is there', () => registerDefinition(definitionOf(DID, SCHEMA)), /the schema is not on the/],
    [
      'of a schema on another ledger',
      () => registerDefinition(definitionOf(DID, SCHEMA.replace(NAMESPACE, 'sovrin'))),
      /not on the issuer's ledger/,
    ],
    ['of a definition of another issuer', () => registerRegistry(registryOf(DID, OTHERS)), /another issuer/],
    ['of a registry of another issuer', () => registerList(listOf(ISSUER, LIST, [0], '21 AA')), /another issuer/],
    [
      'before the registry is there',
      () => registerList(listOf(DID, LIST, [0, 0, 0, 0, 0], '21 AA')),
      /not on the ledger/,
    ],
  ])('%s', async (_, register, reason) => {
    // One state, of what was to be registered.
    const states = Object.entries(await register()).filter(([name]) => name.endsWith('State'))
    expect(states).toEqual([
      [expect.any(String), expect.objectContaining({ state: 'failed', reason: expect.stringMatching(reason) })],
    ])
  })

  test('for an issuer without a ledger, where there are several', async () => {
    setProxies({ [NAMESPACE]: proxy.address, sovrin: proxy.address })
    expect(await registerSchema(schemaOf(ISSUER))).toMatchObject({
      schemaState: { state: 'failed', reason: expect.stringMatching(/did:indy:<namespace>:<did>/) },
    })
  })

  test('for a registry whose credentials are revoked until they are issued: no registry of this agent is', async () => {
    proxy.write(schemaRequest())
    write(await registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`)))
    proxy.write(registryRequest(`${ISSUER}:3:CL:10:default`, 5, 'ISSUANCE_ON_DEMAND'))
    const registryId = `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`
    expect(await registerList(listOf(DID, registryId, [0, 0, 0, 0, 0], '21 AA'))).toMatchObject({
      revocationStatusListState: { state: 'failed', reason: 'the registry is not one of this agent' },
    })
  })

  test('that makes a list of another length, or an accumulator that is not of its list', async () => {
    const registryId = `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`
    proxy.write(schemaRequest())
    write(await registerDefinition(definitionOf(DID, `${DID}/anoncreds/v0/SCHEMA/degree/1.0`)))
    write(await registerRegistry(registryOf(DID, `${DID}/anoncreds/v0/CLAIM_DEF/10/default`)))
    write(await registerList(listOf(DID, registryId, [0, 0, 0, 0, 0], '21 AA')))
    for (const [list, accumulator, reason] of [
      [[0, 0, 0, 0], '21 BB', /length of its registry/],
      [[0, 0, 0, 0, 0], '21 BB', /does not match the list/],
      [[0, 1, 0, 0, 0], '21 AA', /does not match the list/],
    ] as const)
      expect(await registerList(listOf(DID, registryId, [...list], accumulator))).toMatchObject({
        revocationStatusListState: { state: 'failed', reason: expect.stringMatching(reason) },
      })
  })
})

test('a ledger that can’t be asked is no answer: it throws', async () => {
  const answer = await registerSchema(schemaOf(DID))
  proxy.answerWith((_, __, response) => void response.writeHead(503).end())
  await expect(isOnLedger(answer)).rejects.toMatchObject({ code: 'registry.unavailable' })
  setProxies({})
  await expect(isOnLedger(answer)).rejects.toThrow(/no proxy of bcovrin:test/)
})
