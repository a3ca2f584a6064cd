/** AnonCreds objects of an agent's own did:webvh: published with the unit of work, read from it and from the table. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { WebVhDidResolver as CredosResolver, WebVhAnonCredsRegistry } from '@credo-ts/webvh'
import { afterAll, expect, test, vi } from 'vitest'
import '../../../../lib/agent/compose.ts'
import { currentAgent } from '../../../../lib/agent/credo/current.ts'
import { webvhIssuer } from '../../../../lib/agent/dids/webvh-issuer.ts'
import { WebvhRegistry } from '../../../../lib/agent/formats/anoncreds/webvh-registry.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { requireResource } from '../../../../lib/webvh/published.ts'
import { definitionOf, listOf, registryOf, schemaOf } from '../../../support/anoncreds/objects.ts'
import { useTable } from '../../store/use-table.ts'

const registry: AnonCredsRegistry = new WebvhRegistry()

const table = await useTable({ memory: true, check: false })
// What is the service's own is never asked for over HTTP.
vi.useFakeTimers({ toFake: ['Date'] })
const nextSecond = () => vi.setSystemTime(Date.now() + 1_000)

vi.stubGlobal('fetch', () => {
  throw new Error('fetch was called')
})
afterAll(async () => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

interface Acting {
  context: AgentContext
  did: string
}

const inTenant = <T>(act: (acting: Acting) => Promise<T>, tenant = 'acme'): Promise<T> =>
  transaction(tenant, async () => {
    const agent = await currentAgent()
    return act({ context: agent.context, did: await webvhIssuer(agent) })
  })

const published = async (id: string, tenant = 'acme') =>
  JSON.parse((await requireResource(tenant, id.split('/').at(-1) ?? '')).document)

/** Registers a schema, a definition and a registry. */
const registerAll = async ({ context, did }: Acting, name = 'degree') => {
  const { schemaState } = await registry.registerSchema(context, { schema: schemaOf(did, name), options: {} })
  const { schemaId = '' } = schemaState
  const { credentialDefinitionState } = await registry.registerCredentialDefinition(context, {
    credentialDefinition: definitionOf(did, schemaId),
    options: {},
  })
  const { credentialDefinitionId = '' } = credentialDefinitionState
  const { revocationRegistryDefinitionState } = await registry.registerRevocationRegistryDefinition(context, {
    revocationRegistryDefinition: registryOf(did, credentialDefinitionId),
    options: {},
  })
  const { revocationRegistryDefinitionId: registryId = '' } = revocationRegistryDefinitionState
  return { schemaId, credentialDefinitionId, registryId }
}

const addList = async ({ context, did }: Acting, registryId: string, revoked: number[] = []) => {
  const { revocationStatusListState: state } = await registry.registerRevocationStatusList(context, {
    revocationStatusList: listOf(did, registryId, revoked),
    options: {},
  })
  if (state.state !== 'finished') throw new Error(JSON.stringify(state))
  return state.revocationStatusList
}

test('what a unit of work publishes it reads itself, and everybody after the commit', async () => {
  const ids = await inTenant(async (acting) => {
    const made = await registerAll(acting)
    const { context, did } = acting
    await expect(registry.getSchema(context, made.schemaId)).resolves.toMatchObject({ schema: schemaOf(did) })
    return made
  })
  await inTenant(async ({ context, did }) => {
    await expect(registry.getSchema(context, ids.schemaId)).resolves.toMatchObject({ schema: schemaOf(did) })
    const credentialDefinition = definitionOf(did, ids.schemaId)
    const found = await registry.getCredentialDefinition(context, ids.credentialDefinitionId)
    expect(found).toMatchObject({ credentialDefinition })
    const revocationRegistryDefinition = registryOf(did, ids.credentialDefinitionId)
    const read = await registry.getRevocationRegistryDefinition(context, ids.registryId)
    expect(read).toMatchObject({ revocationRegistryDefinition })
  })
  // Another tenant reads it from the table too.
  await inTenant(async ({ context }) => {
    await expect(registry.getSchema(context, ids.schemaId)).resolves.toHaveProperty('schema.name', 'degree')
  }, 'globex')
})

// https://identity.foundation/did-attested-resources
test('an object is served with the contexts of attested resources, and with links only where some may be added', async () => {
  const { schemaId, registryId } = await inTenant((acting) => registerAll(acting, 'contexts'))
  const [schema, registryDefinition] = await Promise.all([schemaId, registryId].map((id) => published(id)))
  for (const resource of [schema, registryDefinition])
    expect(resource['@context']).toEqual([
      'https://identity.foundation/did-attested-resources/context/v0.1',
      'https://w3id.org/security/data-integrity/v2',
    ])
  expect(registryDefinition.links).toEqual([])
  expect(schema).not.toHaveProperty('links')
})

test('an object is not found by its name in another folder', async () => {
  const { schemaId } = await inTenant((acting) => registerAll(acting))
  const moved = schemaId.replace(/[^/]+(?=\/[^/]+$)/, 'elsewhere')
  await inTenant(async ({ context }) => {
    await expect(registry.getSchema(context, moved)).resolves.toMatchObject({
      resolutionMetadata: { error: 'notFound' },
    })
  })
})

test('the same object again has the same id', async () => {
  const ids = await Promise.all([1, 2].map(() => inTenant((acting) => registerAll(acting, 'again'))))
  expect(ids[0]).toEqual(ids[1])
})

test('an object of another issuer, or an invalid one, is not published', async () => {
  const { did: other } = await inTenant(async (acting) => acting, 'globex')
  await inTenant(async ({ context, did }) => {
    const foreign = await registry.registerSchema(context, { schema: schemaOf(other, 'theirs'), options: {} })
    expect(foreign.schemaState).toMatchObject({ state: 'failed' })
    const schema = { ...schemaOf(did), attrNames: [] }
    const empty = await registry.registerSchema(context, { schema, options: {} })
    expect(empty.schemaState).toMatchObject({ state: 'failed', reason: expect.stringContaining('attrNames') })
  })
})

test('an error of this service does not mark the object as failed', async () => {
  await inTenant(async ({ context, did }) => {
    const schema = Object.defineProperty(schemaOf(did), 'name', {
      get: () => {
        throw new TypeError('secret')
      },
    })
    await expect(registry.registerSchema(context, { schema, options: {} })).rejects.toThrow(TypeError)
  })
})

test('a status list in force is the last one of the time or before', async () => {
  const { registryId } = await inTenant((acting) => registerAll(acting, 'lists'))
  const first = await inTenant((acting) => addList(acting, registryId))
  nextSecond()
  const second = await inTenant((acting) => addList(acting, registryId, [3]))
  expect(second.timestamp).toBeGreaterThan(first.timestamp)
  await inTenant(async ({ context }) => {
    const at = async (timestamp: number) =>
      (await registry.getRevocationStatusList(context, registryId, timestamp)).revocationStatusList
    await expect(at(first.timestamp - 1)).resolves.toBeUndefined()
    await expect(at(first.timestamp)).resolves.toEqual(first)
    await expect(at(second.timestamp)).resolves.toEqual(second)
    await expect(at(second.timestamp + 1_000)).resolves.toEqual(second)
  })
})

test('lists of one unit of work are all linked, and none is of a time to come: a second has one list', async () => {
  const { registryId } = await inTenant((acting) => registerAll(acting, 'several'))
  const lists = await inTenant(async (acting) => {
    const first = await addList(acting, registryId)
    await expect(addList(acting, registryId, [1])).rejects.toThrow('current time')
    nextSecond()
    return [first, await addList(acting, registryId, [1, 2])]
  })
  const { links } = await published(registryId)
  expect(links.map(({ timestamp }: { timestamp: number }) => timestamp)).toEqual(
    lists.map(({ timestamp }) => timestamp),
  )
  expect(lists[1]?.timestamp).toBe(Math.floor(Date.now() / 1000))
})

test('of lists that are published in the same second one is linked, and the others fail', async () => {
  const { registryId } = await inTenant((acting) => registerAll(acting, 'concurrent'))
  const adding = [1, 2, 3].map((index) => inTenant((acting) => addList(acting, registryId, [index])))
  const added = (await Promise.allSettled(adding)).filter(({ status }) => status === 'fulfilled')
  expect(added).toHaveLength(1)
  expect((await published(registryId)).links).toHaveLength(1)
})

test('a list without its link, or a link without its list, is never there', async () => {
  const { registryId } = await inTenant((acting) => registerAll(acting, 'atomic'))
  const before = await table.items('acme|webvh|')
  const failed = inTenant(async (acting) => {
    await addList(acting, registryId)
    throw new Error('on purpose')
  })
  await expect(failed).rejects.toThrow('on purpose')
  await expect(table.items('acme|webvh|')).resolves.toHaveLength(before.length)
  await expect(published(registryId)).resolves.toHaveProperty('links', [])
})

test.each([
  ['of another length', { revocationList: [0] }, 'not of this registry'],
  ['of another issuer', { issuerId: 'did:webvh:other' }, 'not of this registry'],
  ['with a value that is no bit', { revocationList: [2, 0, 0, 0, 0, 0, 0, 0] }, 'revocationList.0 is not valid'],
])('a list %s is not published', async (_, change, reason) => {
  const { registryId } = await inTenant((acting) => registerAll(acting, 'wrong lists'))
  await inTenant(async ({ context, did }) => {
    const revocationStatusList = { ...listOf(did, registryId), ...change }
    const made = await registry.registerRevocationStatusList(context, { revocationStatusList, options: {} })
    expect(made.revocationStatusListState).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason) })
  })
  await expect(published(registryId)).resolves.toHaveProperty('links', [])
})

test("Credo's own registry reads what is published, and verifies it", async () => {
  const ids = await inTenant((acting) => registerAll(acting, 'read by Credo'))
  const list = await inTenant((acting) => addList(acting, ids.registryId, [5]))
  await inTenant(async ({ context, did }) => {
    // Its resolver fetches: it is given what the operations serve.
    class Served extends CredosResolver {
      override async resolveResource(_: AgentContext, id: string) {
        return { content: await published(id), contentMetadata: {}, dereferencingMetadata: {} } as never
      }
    }
    context.dependencyManager.registerInstance(CredosResolver, new Served())
    const credos = new WebVhAnonCredsRegistry()
    await expect(credos.getSchema(context, ids.schemaId)).resolves.toMatchObject({
      schema: schemaOf(did, 'read by Credo'),
    })
    await expect(credos.getCredentialDefinition(context, ids.credentialDefinitionId)).resolves.toMatchObject({
      credentialDefinition: definitionOf(did, ids.schemaId),
    })
    const found = await credos.getRevocationStatusList(context, ids.registryId, list.timestamp + 1)
    expect(found.revocationStatusList).toEqual(list)
  })
})
