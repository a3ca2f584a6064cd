/** AnonCreds objects of Indy ledgers, read through a proxy that may be broken, slow or lie: the very object that was asked for, or none. */
import type { ServerResponse } from 'node:http'
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { IndyRegistry } from '../../../lib/agent/formats/anoncreds/indy-registry.ts'
import { readSettings, settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import {
  definitionRequest,
  entryRequest,
  ISSUER,
  REVOCABLE_KEYS,
  registryRequest,
  schemaRequest,
  TAILS,
} from '../../support/anoncreds/indy-objects.ts'
import { type IndyProxy, startIndyProxy } from '../../support/anoncreds/indy-proxy.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'

const DID = `did:indy:sovrin:staging:${ISSUER}`
const SCHEMA = `${ISSUER}:2:degree:1.0`
const DEFINITION = `${ISSUER}:3:CL:10:default`
const REGISTRY = `${ISSUER}:4:${DEFINITION}:CL_ACCUM:first`
const ON_DEMAND = `${ISSUER}:4:${ISSUER}:3:CL:10:demand:CL_ACCUM:first`

/** When the registry's entries were written, in seconds. */
const FIRST = 1_700_000_000
const SECOND = FIRST + 100

let proxy: IndyProxy
let other: IndyProxy
const registry: AnonCredsRegistry = new IndyRegistry()
const context = {} as AgentContext

const setProxies = (proxies: Record<string, string>): void => {
  Object.assign(settings(), readSettings({ ...process.env, INDY_PROXIES: JSON.stringify(proxies) }))
}

/** In a unit of work of its own. */
const inUnit = <T>(act: () => Promise<T>): Promise<T> => transaction('@base', act)
const getSchema = (id: string) => inUnit(() => registry.getSchema(context, id))
const getDefinition = (id: string) => inUnit(() => registry.getCredentialDefinition(context, id))
const getRegistry = (id: string) => inUnit(() => registry.getRevocationRegistryDefinition(context, id))
const getList = (id: string, time: number) => inUnit(() => registry.getRevocationStatusList(context, id, time))

beforeAll(async () => {
  proxy = await startIndyProxy()
  other = await startIndyProxy()
  const early = FIRST - 100
  proxy.write(schemaRequest(), early)
  proxy.write(definitionRequest(10), early)
  proxy.write(registryRequest(DEFINITION), early)
  proxy.write(entryRequest(REGISTRY, { accum: '21 AA' }), FIRST)
  proxy.write(entryRequest(REGISTRY, { accum: '21 BB', prevAccum: '21 AA', revoked: [3, 7] }), SECOND)
  proxy.write(schemaRequest('Degree of 100%/a?b#c'), early)
  proxy.write(definitionRequest(10, 'demand'), early)
  proxy.write(registryRequest(`${ISSUER}:3:CL:10:demand`, 4, 'ISSUANCE_ON_DEMAND'), early)
  proxy.write(entryRequest(ON_DEMAND, { accum: '21 AA', issued: [1, 2] }), FIRST)
  other.write(schemaRequest('elsewhere'), early)
})
afterAll(async () => {
  await proxy.stop()
  await other.stop()
})
beforeEach(() => {
  proxy.answerWith()
  proxy.asked.length = 0
  setProxies({ 'sovrin:staging': proxy.address })
})

describe.each([
  ['unqualified', ISSUER, SCHEMA, DEFINITION, REGISTRY],
  [
    'qualified',
    DID,
    `${DID}/anoncreds/v0/SCHEMA/degree/1.0`,
    `${DID}/anoncreds/v0/CLAIM_DEF/10/default`,
    `${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`,
  ],
])('by %s ids', (_, issuerId, schemaId, definitionId, registryId) => {
  test('a schema is read, with its number on the ledger', async () => {
    expect(await getSchema(schemaId)).toEqual({
      schemaId,
      schema: { issuerId, name: 'degree', version: '1.0', attrNames: ['degree', 'age'] },
      schemaMetadata: { didIndyNamespace: 'sovrin:staging', indyLedgerSeqNo: 10 },
      resolutionMetadata: {},
    })
  })

  test('a definition is read, with its schema’s id in the same spelling', async () => {
    expect(await getDefinition(definitionId)).toEqual({
      credentialDefinitionId: definitionId,
      credentialDefinition: { issuerId, schemaId, type: 'CL', tag: 'default', value: REVOCABLE_KEYS },
      credentialDefinitionMetadata: { didIndyNamespace: 'sovrin:staging' },
      resolutionMetadata: {},
    })
    expect(proxy.asked).toEqual([`GET /cred_def/${encodeURIComponent(DEFINITION)}`, 'GET /txn/DOMAIN/10'])
  })

  test('a revocation registry is read', async () => {
    expect(await getRegistry(registryId)).toEqual({
      revocationRegistryDefinitionId: registryId,
      revocationRegistryDefinition: {
        issuerId,
        revocDefType: 'CL_ACCUM',
        credDefId: definitionId,
        tag: 'first',
        value: { maxCredNum: 10, ...TAILS },
      },
      revocationRegistryDefinitionMetadata: {
        didIndyNamespace: 'sovrin:staging',
        issuanceType: 'ISSUANCE_BY_DEFAULT',
      },
      resolutionMetadata: {},
    })
  })

  test.each([
    ['at its first entry', FIRST, FIRST, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], '21 AA'],
    ['before the second one', SECOND - 1, FIRST, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], '21 AA'],
    ['at the second one', SECOND, SECOND, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0], '21 BB'],
    ['long after it', SECOND + 1_000_000, SECOND, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0], '21 BB'],
  ])('who is revoked is what was in force %s', async (__, time, timestamp, revocationList, currentAccumulator) => {
    expect(await getList(registryId, time)).toEqual({
      revocationStatusList: { issuerId, revRegDefId: registryId, revocationList, currentAccumulator, timestamp },
      revocationStatusListMetadata: { didIndyNamespace: 'sovrin:staging' },
      resolutionMetadata: {},
    })
  })

  test('no list is valid before the first entry', async () => {
    expect(await getList(registryId, FIRST - 1)).toEqual({
      revocationStatusListMetadata: {},
      resolutionMetadata: { error: 'notFound', message: 'the registry has no status of this time' },
    })
  })
})

test('in a registry with issuance on demand everybody is revoked whom no entry issues', async () => {
  const { revocationStatusList } = await getList(ON_DEMAND, SECOND)
  expect(revocationStatusList?.revocationList).toEqual([1, 0, 0, 1])
})

test('a definition of 125 attributes is read, with the ledger’s proof of it', async () => {
  const names = Array.from({ length: 125 }, (_, index) => `attribute_${index}`.padEnd(40, 'x'))
  const number = '9'.repeat(620)
  const r = Object.fromEntries([...names, 'master_secret'].map((name) => [name, number]))
  const keys = { primary: { ...REVOCABLE_KEYS.primary, n: number, s: number, r, rctxt: number, z: number } }
  const { seqNo } = proxy.write(schemaRequest('largest', names))
  proxy.write(definitionRequest(seqNo, 'large', keys))
  proxy.answerWith((_, honest) => {
    const reply = honest() as { result: Json }
    // The nodes of the trie: the value itself, in base64, and the way to it.
    const nodes = Buffer.from(`${'x'.repeat(4096)}${JSON.stringify(reply.result.data)}`).toString('base64')
    reply.result.state_proof.proof_nodes = nodes
    return reply
  })
  const { credentialDefinition } = await getDefinition(`${ISSUER}:3:CL:${seqNo}:large`)
  expect(credentialDefinition?.value).toEqual(keys)
})

test('an id with a percent sign, a slash, spaces and a question mark is one part of the path', async () => {
  const { schema } = await getSchema(`${ISSUER}:2:Degree of 100%/a?b#c:1.0`)
  expect(schema?.name).toBe('Degree of 100%/a?b#c')
  expect(proxy.asked[0]).toMatch(/^GET \/schema\/[^/?# ]+$/)
})

test.each([
  ['a schema', () => getSchema(`${ISSUER}:2:unknown:1.0`)],
  ['a definition', () => getDefinition(`${ISSUER}:3:CL:10:unknown`)],
  ['a definition of no schema', () => getDefinition(`${ISSUER}:3:CL:4711:default`)],
  ['a registry', () => getRegistry(`${REGISTRY}x`)],
  ['a list', () => getList(`${REGISTRY}x`, SECOND)],
])('%s that no ledger has is not found', async (_, get) => {
  expect(await get()).toMatchObject({
    resolutionMetadata: { error: 'notFound', message: expect.stringMatching(/ledger/) },
  })
})

test.each(['', SCHEMA, `${DID}/anoncreds/v0/CLAIM_DEF/../../submit`, `${ISSUER}:3:CL:1e1:default`, `${DEFINITION}:x`])(
  'an invalid id of a definition is not requested: %s',
  async (id) => {
    expect(await getDefinition(id)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
    expect(proxy.asked).toEqual([])
  },
)

test('which ids are of this registry is seen at their beginning', () => {
  for (const id of [ISSUER, DID, SCHEMA, DEFINITION, REGISTRY, `${DID}/anoncreds/v0/SCHEMA/a/1`])
    expect(registry.supportedIdentifier.test(id), id).toBe(true)
  for (const id of ['did:web:example.org', 'did:webvh:Q:example.org', `${ISSUER}x`, `${ISSUER}:5:x`, `x${DID}`])
    expect(registry.supportedIdentifier.test(id), id).toBe(false)
})

describe('with several ledgers', () => {
  test('an unqualified id is of the first one that has it', async () => {
    setProxies({ indicio: other.address, 'sovrin:staging': proxy.address })
    expect(await getSchema(SCHEMA)).toMatchObject({ schemaMetadata: { didIndyNamespace: 'sovrin:staging' } })
    const { schemaMetadata } = await getSchema(`${ISSUER}:2:elsewhere:1.0`)
    expect(schemaMetadata.didIndyNamespace).toBe('indicio')
  })

  test('the next one is not asked where one does not answer', async () => {
    setProxies({ indicio: 'http://127.0.0.1:9', 'sovrin:staging': proxy.address })
    expect(await getSchema(SCHEMA)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
    expect(proxy.asked).toEqual([])
  })

  test('a revocation registry is of the ledger of its definition: on another one a third party may have its issuer’s DID', async () => {
    const definition = `${ISSUER}:3:CL:10:shared`
    const elsewhere = `${ISSUER}:4:${definition}:CL_ACCUM:first`
    for (const ledger of [proxy, other]) ledger.write(definitionRequest(10, 'shared'), FIRST)
    other.write(registryRequest(definition), FIRST)
    other.write(entryRequest(elsewhere, { accum: '21 AA' }), FIRST)
    setProxies({ indicio: other.address, 'sovrin:staging': proxy.address })
    expect(await getList(elsewhere, FIRST)).toMatchObject({ resolutionMetadata: {} })
    setProxies({ 'sovrin:staging': proxy.address, indicio: other.address })
    expect(await getRegistry(elsewhere)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
    expect(await getList(elsewhere, FIRST)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
  })

  test('a qualified id is of the ledger that it names, and of no other', async () => {
    setProxies({ indicio: other.address, 'sovrin:staging': proxy.address })
    const id = `did:indy:indicio:${ISSUER}/anoncreds/v0/SCHEMA/degree/1.0`
    expect(await getSchema(id)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
    expect(proxy.asked).toEqual([])
    expect(await getSchema(id.replace('indicio', 'idunion'))).toMatchObject({
      resolutionMetadata: { error: 'notFound' },
    })
  })

  test('a revocation registry by its qualified id is read without its definition', async () => {
    await getRegistry(`${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`)
    expect(proxy.asked).toEqual([`GET /rev_reg_def/${encodeURIComponent(REGISTRY)}`])
  })
})

describe('a unit of work', () => {
  test('gets an object once, however often it is asked for it', async () => {
    await inUnit(async () => {
      await Promise.all([registry.getSchema(context, SCHEMA), registry.getSchema(context, SCHEMA)])
      await registry.getRevocationStatusList(context, REGISTRY, FIRST)
      await registry.getRevocationStatusList(context, REGISTRY, SECOND)
    })
    const routes = ['schema', 'cred_def', 'txn', 'rev_reg_def', 'submit', 'submit']
    expect(proxy.asked.map((line) => line.split('/')[1])).toEqual(routes)
  })

  test('asks no more than the budget of all web documents allows', async () => {
    const found = await inUnit(async () => {
      for (let index = 0; index < 20; index++) await registry.getSchema(context, `${ISSUER}:2:unknown:1.${index}`)
      return registry.getSchema(context, SCHEMA)
    })
    expect(found.resolutionMetadata).toEqual({
      error: 'unavailable',
      message: 'the proxy of the ledger does not respond',
    })
    expect(proxy.asked).toHaveLength(20)
  })
})

/** Changes the reply of the proxy wherever it is asked for one of these routes. */
const replying = (route: string, change: (result: Json) => void): void =>
  proxy.answerWith((path, honest) => {
    const reply = honest() as { result: Json }
    if (path.startsWith(`/${route}`)) change(reply.result)
    return reply
  })

describe('a reply to another request does not mean that the object is missing', () => {
  type Change = (result: Json) => void
  const SPOILT: [string, () => Promise<{ resolutionMetadata: object }>, Record<string, Change>][] = [
    [
      'schema',
      () => getSchema(SCHEMA),
      {
        'another schema': (result) => (result.data.name = 'other'),
        'another version': (result) => (result.data.version = '1.1'),
        'another issuer’s schema': (result) => (result.dest = 'Th7MpTaRZVRYnPiabds81Y'),
        'a reply of another type': (result) => (result.type = '108'),
        'a schema without attributes': (result) => (result.data.attr_names = []),
        'a schema with an attribute twice': (result) => (result.data.attr_names = ['age', 'age']),
        'a schema with 126 attributes': (result) =>
          (result.data.attr_names = Array.from({ length: 126 }, (_, index) => `a${index}`)),
      },
    ],
    [
      'cred_def',
      () => getDefinition(DEFINITION),
      {
        'a reply of another type than definitions have': (result) => (result.type = '107'),
        'another issuer’s definition': (result) => (result.origin = 'Th7MpTaRZVRYnPiabds81Y'),
        'another tag': (result) => (result.tag = 'other'),
        'another schema’s definition': (result) => (result.ref = 11),
        'another signature': (result) => (result.signature_type = 'BBS'),
        'keys that are no numbers': (result) => (result.data.primary.n = '0x7'),
        'no keys': (result) => (result.data = {}),
      },
    ],
    [
      'txn',
      () => getDefinition(DEFINITION),
      {
        'a reply of another type than transactions have': (result) => (result.type = '4'),
        'another transaction': (result) => (result.data.txnMetadata.seqNo = 11),
        'a reply of another transaction': (result) => (result.seqNo = 11),
        'a transaction that is no schema': (result) => (result.data.txn.type = '1'),
        'a schema of nobody': (result) => (result.data.txn.metadata.from = 'a/b:2'),
        'no transaction': (result) => (result.data = null),
      },
    ],
    [
      'rev_reg_def',
      () => getRegistry(REGISTRY),
      {
        'a reply of another type than registries have': (result) => (result.type = '117'),
        'another registry': (result) => (result.data.id += 'x'),
        'a reply of another registry': (result) => (result.id += 'x'),
        'a registry of another definition': (result) => (result.data.credDefId = `${ISSUER}:3:CL:10:demand`),
        'a tails file without a hash': (result) => (result.data.value.tailsHash = '../../etc'),
      },
    ],
    [
      'submit',
      () => getList(REGISTRY, SECOND),
      {
        'a reply of another type than accumulators have': (result) => (result.type = '116'),
        'a status of another registry': (result) => (result.data.value.accum_to.revocRegDefId = ON_DEMAND),
        'changes of another registry': (result) => (result.data.revocRegDefId = ON_DEMAND),
        'a reply on another registry': (result) => (result.revocRegDefId = ON_DEMAND),
        'a reply on another time': (result) => (result.to += 1),
        'a status of later': (result) => {
          result.txnTime = SECOND + 1
          result.data.value.accum_to.txnTime = SECOND + 1
        },
        'a status of two times': (result) => (result.txnTime = FIRST),
        'an index that the registry does not have': (result) => (result.data.value.revoked = [11]),
        'an index below 0': (result) => (result.data.value.revoked = [-1]),
        'an index that is no whole number': (result) => (result.data.value.revoked = [1.5]),
        'an index that is issued and revoked': (result) => (result.data.value.issued = [3]),
        'an accumulator that is none': (result) => (result.data.value.accum_to.value.accum = { toString: 'x' }),
      },
    ],
    [
      'rev_reg_def',
      () => getList(REGISTRY, SECOND),
      {
        'a registry of more credentials than there may be': (result) => (result.data.value.maxCredNum = 1e12),
      },
    ],
  ]

  test.each(
    SPOILT.flatMap(([route, get, changes]) =>
      Object.entries(changes).map(([name, change]) => [name, route, change, get] as const),
    ),
  )('%s', async (_, route, change, get) => {
    expect((await get()).resolutionMetadata).toEqual({})
    replying(route, change)
    settings().LOG_LEVEL = 'warn'
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    expect(await get()).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
    expect(String(lines.mock.calls)).toContain('ledger.unreadable')
    lines.mockRestore()
  })

  test('an object without a number is not on the ledger', async () => {
    replying('schema', (result) => (result.seqNo = null))
    expect(await getSchema(SCHEMA)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
  })

  test('a status without content does not exist', async () => {
    replying('submit', (result) => (result.data = null))
    expect(await getList(REGISTRY, SECOND)).toMatchObject({ resolutionMetadata: { error: 'notFound' } })
  })

  test.each([
    ['no JSON', '{'],
    ['no reply', '{"result":7}'],
    ['a list', '[]'],
    ['nothing', ''],
    ['a page', '<html></html>'],
    [
      'values that are nested deeply',
      `{"result":{"type":"107","seqNo":10,"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    ],
  ])('%s', async (_, reply) => {
    proxy.answerWith(() => reply)
    expect(await getSchema(SCHEMA)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
  })

  test('an answer with fields that name a prototype', async () => {
    proxy.answerWith((_, honest) =>
      JSON.stringify(honest()).replace('"degree":"104"', '"degree":"104","__proto__":{"polluted":"1"}'),
    )
    expect(await getDefinition(DEFINITION)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})

describe('a proxy that does not answer is unavailable', () => {
  const answering = async (answer: (response: ServerResponse) => unknown) => {
    proxy.answerWith((_, __, response) => void answer(response))
    return getSchema(SCHEMA)
  }

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['an error', (response) => response.writeHead(500).end('{}')],
    ['a pool that times out', (response) => response.writeHead(504).end('Pool timeout')],
    ['an answer of 300 KB', (response) => response.writeHead(200).end(`{"result":"${'x'.repeat(300 * 1024)}"}`)],
    ['a connection that breaks', (response) => response.destroy()],
    ['no HTTP', (response) => response.socket?.end('hello')],
  ])('%s', async (_, answer) => {
    expect(await answering(answer)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
  })

  test('a redirect is not followed', async () => {
    const location = `${proxy.address}/schema/${encodeURIComponent(SCHEMA)}`
    expect(await answering((response) => response.writeHead(302, { location }).end())).toMatchObject({
      resolutionMetadata: { error: 'unavailable' },
    })
    expect(proxy.asked).toHaveLength(1)
  })

  test('an answer that never ends is given up within the budget', async () => {
    expect(await answering((response) => response.writeHead(200).write('{'))).toMatchObject({
      resolutionMetadata: { error: 'unavailable' },
    })
  })

  test('on AWS a proxy on the own host or network is not asked', async () => {
    settings().LOCAL_STAGE = false
    expect(await getSchema(SCHEMA)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
    expect(await getList(REGISTRY, SECOND)).toMatchObject({ resolutionMetadata: { error: 'unavailable' } })
    settings().LOCAL_STAGE = true
    expect(proxy.asked).toEqual([])
  })
})
