/** Dishonest issuers and hosts: about the issuer, the content and the age of an object. */
import type { ServerResponse } from 'node:http'
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import '../../lib/agent/compose.ts'
import { currentAgent } from '../../lib/agent/credo/current.ts'
import { webvhIssuer } from '../../lib/agent/dids/webvh-issuer.ts'
import { WebvhRegistry } from '../../lib/agent/formats/anoncreds/webvh-registry.ts'
import { readSettings, settings } from '../../lib/settings.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { definitionOf, listOf, registryOf, schemaOf } from '../support/anoncreds/objects.ts'
import { HostKey, WebvhHost } from '../support/anoncreds/webvh-host.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { useTable } from '../unit/store/use-table.ts'

const registry: AnonCredsRegistry = new WebvhRegistry()

/** Names of issuers, each new. */
let count = 0
const newIssuer = (more: Parameters<typeof host.issuer>[1] = {}) => host.issuer(`issuer-${++count}`, more)

const _table = await useTable({ memory: true, check: false })
const host = await stopAtEnd(WebvhHost.start())
const issuer = await newIssuer()
vi.stubGlobal('fetch', () => {
  throw new Error('fetch was called')
})
afterAll(async () => {
  vi.unstubAllGlobals()
})

const inTenant = <T>(act: (agent: Awaited<ReturnType<typeof currentAgent>>) => Promise<T>, tenant = 'acme') =>
  transaction(tenant, async () => act(await currentAgent()))

const getSchema = (id: string) => inTenant(({ context }) => registry.getSchema(context, id))
const getList = (id: string, at: number) => inTenant(({ context }) => registry.getRevocationStatusList(context, id, at))
const resolve = (did: string, tenant?: string) => inTenant((agent) => agent.dids.resolve(did), tenant)

const refuses = async (id: string, reason: RegExp, error = 'notFound'): Promise<void> => {
  const { schema, resolutionMetadata } = await getSchema(id)
  expect(schema).toBeUndefined()
  expect(resolutionMetadata).toMatchObject({ error, message: expect.stringMatching(reason) })
}

describe('a schema of an honest issuer', () => {
  test('is read, with one request for it and one for the log', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'honest'))
    host.asked.length = 0
    await expect(getSchema(id)).resolves.toMatchObject({ schema: schemaOf(issuer.did, 'honest'), schemaId: id })
    expect(host.asked).toHaveLength(2)
  })

  test('is cached, while the log is read again', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'kept'))
    await getSchema(id)
    host.asked.length = 0
    await expect(getSchema(id)).resolves.toHaveProperty('schema')
    expect(host.asked).toEqual([`/${issuer.name}/did.jsonl`])
  })

  test('has nothing but what a schema has', async () => {
    const id = issuer.publish({ ...schemaOf(issuer.did, 'more'), surplus: 1 })
    const { schema } = await getSchema(id)
    expect(schema).toEqual(schemaOf(issuer.did, 'more'))
  })

  test('of which several objects are read concurrently costs one request for the log', async () => {
    const ids = [1, 2, 3].map((number) => issuer.publish(schemaOf(issuer.did, `one of ${number}`)))
    host.asked.length = 0
    await inTenant(({ context }) => Promise.all(ids.map((id) => registry.getSchema(context, id))))
    expect(host.asked.filter((path) => path.endsWith('did.jsonl'))).toHaveLength(1)
  })
})

test('what a message names beyond 20 documents may exist, and is read when it is verified again', async () => {
  const ids = Array.from({ length: 20 }, (_, number) => issuer.publish(schemaOf(issuer.did, `one of 20: ${number}`)))
  const readAll = () => inTenant(({ context }) => Promise.all(ids.map((id) => registry.getSchema(context, id))))
  const read = await readAll()
  expect(read.flatMap(({ resolutionMetadata }) => resolutionMetadata.error ?? [])).toEqual(['unavailable'])
  expect((await readAll()).every(({ schema }) => schema !== undefined)).toBe(true)
})

describe('a resource is rejected', () => {
  test('that is attested by a key of another DID', async () => {
    const other = await newIssuer()
    const content = schemaOf(issuer.did, 'other key')
    await refuses(issuer.publish(content, { key: other.key, verificationMethod: other.method }), /another DID/)
    const content2 = schemaOf(issuer.did, 'other key, own name')
    await refuses(issuer.publish(content2, { key: other.key }), /proof is not valid/)
  })

  test('that is attested by a key that the DID does not assert with', async () => {
    const weak = await newIssuer()
    const key = new HostKey()
    const content = schemaOf(weak.did, 'unknown key')
    await refuses(
      weak.publish(content, { key, verificationMethod: `${weak.did}#${key.multibase}` }),
      /Unable to locate/,
    )
    const authenticating = await newIssuer({ purpose: 'authentication' })
    await refuses(authenticating.publish(schemaOf(authenticating.did)), /Unable to locate/)
  })

  test('whose key the DID has replaced', async () => {
    const rotated = await newIssuer()
    const id = rotated.publish(schemaOf(rotated.did))
    await expect(getSchema(id)).resolves.toHaveProperty('schema')
    await rotated.rotate(new HostKey(), new Date(Date.now() - 30_000))
    await refuses(id, /Unable to locate/)
  })

  test.each([
    ['has revoked', 'revoked', -3_600_000],
    ['has let expire', 'expires', -1_000],
  ])('whose key the DID %s', async (_, name, at) => {
    const withdrawn = await newIssuer()
    const id = withdrawn.publish(schemaOf(withdrawn.did))
    const say = (time: number, ago: number) =>
      withdrawn.rotate(withdrawn.key, new Date(Date.now() - ago), { [name]: new Date(time).toISOString() })
    await say(Date.now() + 3_600_000, 30_000)
    await expect(getSchema(id)).resolves.toHaveProperty('schema')
    await say(Date.now() + at, 20_000)
    await refuses(id, /revoked or has expired/)
  })

  test('whose proof has expired', async () => {
    const inMs = (ms: number) => ({ expires: new Date(Date.now() + ms).toISOString() })
    const id = issuer.publish(schemaOf(issuer.did, 'not over'), inMs(60_000))
    await expect(getSchema(id)).resolves.toHaveProperty('schema')
    await refuses(issuer.publish(schemaOf(issuer.did, 'over'), inMs(-1_000)), /proof has expired/)
  })

  test('whose content was swapped', async () => {
    const content = schemaOf(issuer.did, 'original')
    await refuses(
      issuer.publish(content, { after: { content: schemaOf(issuer.did, 'swapped') } }),
      /content does not match/,
    )
  })

  test('whose content is another valid one of the issuer', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'wanted'))
    const other = issuer.publish(schemaOf(issuer.did, 'given'))
    const name = (one: string) => `resources/${one.split('/').at(-1)}`
    issuer.serveText(name(id), host.files.get(`/${issuer.name}/${name(other)}`) ?? '')
    await refuses(id, /another id/)
    const renamed = issuer.publish(schemaOf(issuer.did, 'renamed'), { id: `${issuer.did}/resources/zOther` })
    await refuses(renamed, /another id/)
  })

  test('whose content names another issuer', async () => {
    const other = await newIssuer()
    await refuses(issuer.publish(schemaOf(other.did, 'theirs')), /issuer is not the DID/)
  })

  test('that has no proof, or one of another kind', async () => {
    for (const proof of [undefined, {}, [], { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-jcs-2019' }])
      await refuses(
        issuer.publish(schemaOf(issuer.did, `proof ${JSON.stringify(proof)}`), { after: { proof } }),
        /not an attested/,
      )
  })

  test('that has members named after a prototype', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'prototype'))
    const path = `/${issuer.name}/resources/${id.split('/').at(-1)}`
    const text = String(host.files.get(path))
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      host.files.set(path, text.replace('"content":{', `"content":{"${name}":{"issuerId":"x"},`))
      await refuses(id, /not an attested/)
    }
  })

  test.each([
    ['no attributes', { attrNames: [] }],
    ['126 attributes', { attrNames: Array.from({ length: 126 }, (_, index) => `a${index}`) }],
    ['the same attribute twice', { attrNames: ['a', 'a'] }],
    ['an attribute that is not text', { attrNames: [{ toString: 'a' }] }],
    ['a long name', { name: 'x'.repeat(300) }],
    ['no version', { version: undefined }],
  ])('that is a schema with %s', async (what, change) => {
    const content = JSON.parse(JSON.stringify({ ...schemaOf(issuer.did, what), ...change }))
    await refuses(issuer.publish(content), /is not valid in AnonCreds/)
  })

  test('that is another object than was asked for', async () => {
    const id = issuer.publish(definitionOf(issuer.did, 'did:x/resources/y'))
    await refuses(id, /is not valid in AnonCreds/)
  })

  test('that is served with a redirect into the inside', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'redirected'))
    const location = 'http://169.254.169.254/latest/'
    issuer.serveText(`resources/${id.split('/').at(-1)}`, (response) => response.writeHead(302, { location }).end())
    await refuses(id, /address/)
  })

  test('that is too large', async () => {
    const id = issuer.publish(schemaOf(issuer.did, 'large'), { more: { surplus: 'x'.repeat(1_100_000) } })
    await refuses(id, /too large/, 'unavailable')
  })

  test('of an issuer whose log would take too long to verify: it may exist', async () => {
    const one = await newIssuer()
    const id = one.publish(schemaOf(one.did, 'long log'))
    one.serveText('did.jsonl', Array(201).fill('{}').join('\n'))
    await refuses(id, /too many entries/, 'unavailable')
  })

  test.each<[string, string | ((response: ServerResponse) => unknown), string]>([
    ['404', (response) => response.writeHead(404).end(), 'notFound'],
    ['410', (response) => response.writeHead(410).end(), 'notFound'],
    ['a page', '<html>', 'unavailable'],
    ['401', (response) => response.writeHead(401).end('{}'), 'unavailable'],
    ['403', (response) => response.writeHead(403).end('{}'), 'unavailable'],
    ['429', (response) => response.writeHead(429).end('{}'), 'unavailable'],
    ['500', (response) => response.writeHead(500).end('{}'), 'unavailable'],
    ['503', (response) => response.writeHead(503).end('{}'), 'unavailable'],
    ['204', (response) => response.writeHead(204).end(), 'unavailable'],
    ['a redirect to nowhere', (response) => response.writeHead(302).end(), 'unavailable'],
    ['no HTTP', (response) => response.socket?.end('hello'), 'unavailable'],
    ['nothing at all', (response) => response.destroy(), 'unavailable'],
    [
      'half of it',
      (response) => response.writeHead(200, { 'content-length': 9 }).write('{') && response.destroy(),
      'unavailable',
    ],
  ])(
    'whose host answers with %s, or does so for the log: it does not exist only after a 404 or 410',
    async (what, answer, error) => {
      const one = await newIssuer()
      const id = one.publish(schemaOf(one.did, what))
      one.serveText(`resources/${id.split('/').at(-1)}`, answer)
      expect(await getSchema(id)).toMatchObject({ resolutionMetadata: { error } })
      const other = await newIssuer()
      const ofOther = other.publish(schemaOf(other.did, what))
      other.serveText('did.jsonl', answer)
      expect(await getSchema(ofOther)).toMatchObject({ resolutionMetadata: { error } })
    },
  )

  test.each([
    'did:webvh:QmTooShort:localhost:a/resources/z1',
    'did:webvh:{did}/../../latest',
    '{did}/resources/..',
    '{did}/resources/z1?x=1',
    '{did}/resources/z1#x',
    '{did}',
    `{did}/resources/${'z'.repeat(5000)}`,
  ])('whose id is %s', async (id) => {
    host.asked.length = 0
    await refuses(id.replace('{did}', issuer.did), /not the id of a resource/)
    expect(host.asked).toEqual([])
  })
})

describe('on AWS', () => {
  test('nothing of this machine is read', async () => {
    const current = settings()
    const before = { ...current }
    Object.assign(current, readSettings({ ...process.env, LOCAL_STAGE: 'false' }))
    host.asked.length = 0
    await refuses(issuer.publish(schemaOf(issuer.did, 'local')), /address/)
    Object.assign(current, before)
    expect(host.asked).toEqual([])
  })
})

describe('a log is rejected', () => {
  const refusesLog = async (did: string, reason: RegExp) => {
    const { didDocument, didResolutionMetadata } = await resolve(did)
    expect(didDocument).toBeNull()
    expect(didResolutionMetadata.message).toMatch(reason)
  }

  test('that is of another DID', async () => {
    const [one, other] = [await newIssuer(), await newIssuer()]
    one.serve(other.log)
    await refusesLog(one.did, /SCID|another DID/)
  })

  test('that another host serves as its own', async () => {
    const [one, other] = [await newIssuer(), await newIssuer()]
    const [scid = '', own = ''] = [one, other].map(({ did }) => did.split(':')[2])
    other.serve(one.log)
    await refusesLog(other.did.replace(own, scid), /another DID/)
  })

  test('but not one of another host at the path that a tenant has here', async () => {
    await inTenant(webvhIssuer, 'umbrella')
    const one = await host.issuer('webvh:umbrella', { paths: ['webvh', 'umbrella'] })
    host.files.set('/webvh/umbrella/did.jsonl', one.log.map((entry) => JSON.stringify(entry)).join('\n'))
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument.id', one.did)
  })

  test('that is older than the one last seen, also by another process', async () => {
    const one = await newIssuer()
    const before = one.log
    await one.rotate(new HostKey(), new Date(Date.now() - 30_000))
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument.id', one.did)
    one.serve(before)
    await refusesLog(one.did, /older/)
    one.serve()
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument.id', one.did)
  })

  test('but not one that many see concurrently for the first time', async () => {
    const one = await newIssuer()
    const seen = await Promise.all([1, 2, 3, 4].map(() => resolve(one.did, 'crowd')))
    for (const { didDocument } of seen) expect(didDocument?.id).toBe(one.did)
  })

  test('that differs from the version last seen', async () => {
    const one = await newIssuer()
    const before = one.log
    await one.rotate(new HostKey(), new Date(Date.now() - 30_000))
    await resolve(one.did)
    one.log = before
    await one.rotate(new HostKey(), new Date(Date.now() - 20_000))
    await refusesLog(one.did, /older/)
    // Who has not seen the first one cannot know.
    await expect(resolve(one.did, 'globex')).resolves.toHaveProperty('didDocument.id', one.did)
  })

  test('with an entry that is not signed', async () => {
    const one = await newIssuer()
    const thief = new HostKey()
    await one.rotate(thief, new Date(Date.now() - 30_000))
    for (const proof of [[], undefined, {}, [{}]]) {
      one.serve([one.log[0], { ...one.log[1], proof }])
      await refusesLog(one.did, /proof/)
    }
  })

  test('with an entry that another key has signed', async () => {
    const one = await newIssuer()
    const thief = await newIssuer()
    await one.rotate(new HostKey(), new Date(Date.now() - 30_000))
    const [first, second] = one.log
    const { proofValue } = thief.log[0].proof[0]
    one.serve([first, { ...second, proof: [{ ...second.proof[0], proofValue }] }])
    await refusesLog(one.did, /verification/)
    // Nor is it a version that was seen.
    one.serve([first])
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument.id', one.did)
  })

  test('with members named after a prototype, which hashes and signatures leave out', async () => {
    const one = await newIssuer()
    const thief = new HostKey()
    const id = `${one.did}#${thief.multibase}`
    const theirs = {
      assertionMethod: [id],
      verificationMethod: [{ id, type: 'Multikey', publicKeyMultibase: thief.multibase }],
    }
    const text = JSON.stringify(one.log[0]).replace('"state":{', `"state":{"__proto__":${JSON.stringify(theirs)},`)
    one.serveText('did.jsonl', text)
    await refusesLog(one.did, /nested too deeply/)
  })

  test.each<[string, (log: Json[]) => string, RegExp]>([
    ['too many entries', () => Array(201).fill('{}').join('\n'), /too many entries/],
    ['more than 256 KiB', (log) => `${JSON.stringify(log[0])}\n${'x'.repeat(256 * 1024)}`, /too large/],
    [
      'more than 256 KiB, the rest of which are empty lines',
      (log) => `${JSON.stringify(log[0])}${'\n'.repeat(256 * 1024)}`,
      /too large/,
    ],
    ['nothing', () => '', /JSON/],
    ['no JSON', () => 'log', /JSON/],
    [
      'deep nesting',
      ([entry]) => JSON.stringify(entry).replace('"state":{', `"state":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)},`),
      /nested too deeply/,
    ],
    [
      'an older method',
      ([entry]) => JSON.stringify({ ...entry, parameters: { ...entry.parameters, method: 'did:webvh:0.5' } }),
      /not of/,
    ],
    [
      'five proofs of an entry',
      ([entry]) => JSON.stringify({ ...entry, proof: Array(5).fill(entry.proof[0]) }),
      /proof/,
    ],
    [
      'a long text',
      ([entry]) => JSON.stringify({ ...entry, parameters: { ...entry.parameters, updateKeys: ['z'.repeat(5_000)] } }),
      /nested too deeply/,
    ],
  ])('with %s', async (_, textOf, reason) => {
    const one = await newIssuer()
    one.serveText('did.jsonl', textOf(one.log))
    await refusesLog(one.did, reason)
  })

  test('of a DID that is deactivated', async () => {
    const one = await newIssuer()
    const { deactivateDID } = await import('didwebvh-ts')
    const { log } = await deactivateDID({
      log: one.log,
      signer: one.key.signer,
      verifier: { verify: async () => true },
    })
    one.serve(log)
    await refusesLog(one.did, /deactivated/)
  })

  test.each([
    'did:webvh:QmZ:localhost',
    'did:webvh:{scid}:127.0.0.1%3A1',
    'did:webvh:{scid}:localhost%3A1:..',
    'did:webvh:{scid}:a%2Fb',
  ])('of %s, which is no identifier of the method', async (did) => {
    await refusesLog(did.replace('{scid}', issuer.did.split(':')[2] ?? ''), /not a did:webvh|undefined/)
  })

  test('of a tenant that has no DID, and nothing is asked for over HTTP', async () => {
    const scid = issuer.did.split(':')[2]
    await refusesLog(`did:webvh:${scid}:localhost%3A3000:webvh:nobody`, /does not exist/)
  })
})

describe('witnesses', () => {
  test('a log that needs them is rejected without their proofs, which the guarded client reads', async () => {
    const witness = new HostKey()
    const one = await newIssuer({ witness: { threshold: 1, witnesses: [{ id: `did:key:${witness.multibase}` }] } })
    host.asked.length = 0
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument', null)
    expect(host.asked).toContain(`/${one.name}/did-witness.json`)
    const { signWitnessProofEntry } = await import('didwebvh-ts')
    const proofs = await signWitnessProofEntry({
      versionId: one.log[0].versionId,
      witnesses: [{ id: `did:key:${witness.multibase}` }],
      witnessSignersByDid: { [`did:key:${witness.multibase}`]: witness.signer },
    })
    const warn = vi.spyOn(console, 'warn')
    const forged = proofs.proof.map((proof: object) => ({ ...proof, created: '2020-01-01T00:00:00Z' }))
    one.serveText('did-witness.json', JSON.stringify([{ ...proofs, proof: forged }]))
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument', null)
    expect(warn).not.toHaveBeenCalled()
    const malformed = proofs.proof.map((proof: object) => ({ ...proof, verificationMethod: 'did:key:z0#z0' }))
    one.serveText('did-witness.json', JSON.stringify([{ ...proofs, proof: malformed }]))
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument', null)
    one.serveText('did-witness.json', JSON.stringify([{ ...proofs, proof: [...malformed, ...proofs.proof] }]))
    await expect(resolve(one.did)).resolves.toHaveProperty('didDocument.id', one.did)
  })
})

describe('a status list', async () => {
  const registryWith = (linksOf: (registryId: string) => object[], name = `list-${++count}`) => {
    const content = { ...registryOf(issuer.did, `${issuer.did}/resources/z1`), tag: name }
    return issuer.publish(content, { links: linksOf(issuer.idOf(content)) })
  }
  const linkTo = (id: string, timestamp: number) => ({ id, type: 'anonCredsStatusList', timestamp })
  const published = (registryId: string, timestamp: number, change: object = {}) =>
    linkTo(issuer.publish({ ...listOf(issuer.did, registryId, [timestamp % 8]), timestamp, ...change }), timestamp)

  test('in force is the last one of the time or before, in whatever order links are', async () => {
    const id = registryWith((registryId) => [200, 100, 300].map((timestamp) => published(registryId, timestamp)))
    for (const [at, expected] of [
      [99, undefined],
      [100, 100],
      [250, 200],
      [1_000, 300],
    ] as const)
      expect((await getList(id, at)).revocationStatusList?.timestamp).toBe(expected)
  })

  test('is looked for in the registry in its current version', async () => {
    const name = `growing-${++count}`
    const id = registryWith((registryId) => [published(registryId, 100)], name)
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(100)
    registryWith((registryId) => [400, 100].map((timestamp) => published(registryId, timestamp)), name)
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(400)
  })

  test('is rejected where its registry is older than the one last seen, or another', async () => {
    const name = `older-${++count}`
    const links = (times: number[]) => (registryId: string) =>
      times.map((timestamp) => published(registryId, timestamp))
    const id = registryWith(links([100, 400]), name)
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(400)
    for (const times of [[100], [], [100, 450], [100, 300, 450]]) {
      registryWith(links(times), name)
      await refusesList(id, /older than the version last seen/)
    }
    registryWith(links([100, 400, 450]), name)
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(450)
  })

  test('costs one request for its registry, whose definition is asked for as well', async () => {
    const id = registryWith((registryId) => [published(registryId, 100)])
    host.asked.length = 0
    await inTenant(async ({ context }) => {
      await expect(registry.getRevocationRegistryDefinition(context, id)).resolves.toHaveProperty(
        'revocationRegistryDefinition.value.maxCredNum',
        8,
      )
      const { revocationStatusList } = await registry.getRevocationStatusList(context, id, 200)
      expect(revocationStatusList?.timestamp).toBe(100)
    })
    expect(host.asked).toHaveLength(3)
  })

  test('of a registry that was asked for as if it never changed is the current one of the registry', async () => {
    const name = `as a schema ${++count}`
    const id = registryWith((registryId) => [published(registryId, 100)], name)
    // A schema may come from memory: this one is not a schema, but cached anyway.
    await getSchema(id)
    registryWith((registryId) => [published(registryId, 100), published(registryId, 400)], name)
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(400)
    await inTenant(async ({ context }) => {
      await registry.getSchema(context, id)
      const { revocationStatusList } = await registry.getRevocationStatusList(context, id, 500)
      expect(revocationStatusList?.timestamp).toBe(400)
    })
  })

  const refusesList = async (id: string, reason: RegExp) => {
    const { revocationStatusList, resolutionMetadata } = await getList(id, 500)
    expect(revocationStatusList).toBeUndefined()
    expect(resolutionMetadata.message).toMatch(reason)
  }

  const thief = await newIssuer()

  test.each<[string, (registryId: string) => object, RegExp]>([
    ['another registry', (id) => published(id, 100, { revRegDefId: registryWith(() => []) }), /another registry/],
    [
      'another issuer',
      (id) => linkTo(thief.publish({ ...listOf(thief.did, id), timestamp: 100 }), 100),
      /not of the registry's issuer/,
    ],
    ['another time than its link', (id) => ({ ...published(id, 100), timestamp: 400 }), /does not have the time/],
    [
      'another length than its registry',
      (id) => published(id, 100, { revocationList: [0, 0] }),
      /length of its registry/,
    ],
  ])('of %s is rejected', async (_, linkOf, reason) => {
    await refusesList(
      registryWith((registryId) => [linkOf(registryId)]),
      reason,
    )
  })

  test('beside another of the same time is rejected, as long as there is no later one', async () => {
    const atOneTime = (registryId: string) => [
      published(registryId, 100),
      published(registryId, 100, { currentAccumulator: '1 0C' }),
    ]
    await refusesList(registryWith(atOneTime), /two status lists/)
    const id = registryWith((registryId) => [...atOneTime(registryId), published(registryId, 400)])
    expect((await getList(id, 500)).revocationStatusList?.timestamp).toBe(400)
    expect((await getList(id, 399)).revocationStatusList).toBeUndefined()
    const twice = registryWith((registryId) => [published(registryId, 100), published(registryId, 100)])
    expect((await getList(twice, 500)).revocationStatusList?.timestamp).toBe(100)
  })

  test('whose link was added after the proof is rejected', async () => {
    const name = `added-${++count}`
    const content = { ...registryOf(issuer.did, `${issuer.did}/resources/z1`), tag: name }
    const id = issuer.publish(content, { links: [], after: { links: [published(issuer.idOf(content), 100)] } })
    await refusesList(id, /proof is not valid/)
  })
})

test('a message reads 20 documents, and no more', async () => {
  const ids = Array.from({ length: 21 }, (_, index) => issuer.publish(schemaOf(issuer.did, `many ${index}`)))
  host.asked.length = 0
  const results = await inTenant(async ({ context }) => {
    const found = []
    for (const id of ids) found.push(await registry.getSchema(context, id))
    return found
  })
  expect(host.asked).toHaveLength(20)
  expect(results.filter(({ schema }) => schema === undefined)).toHaveLength(2)
})
afterEach(() => {
  host.asked.length = 0
})
