/** DIDs of an agent: created, listed, resolved by other agents, and connected to. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { inTenant } from '../support/anoncreds/world.ts'
import { createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { itemsOf, textsOf } from '../support/table/items.ts'
import { connectTenants } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

type Tenant = { tenantId: string }

let other: Tenant

const stage = await useStage()
const caller = await createTenant(stage)
other = await createTenant(stage)

const write = (body: object, as: Caller = caller) => stage.call('createDid', { caller: as, body })
const resolve = (did: string, as: Caller = caller) => stage.call('resolveDid', { caller: as, path: { did } })
const listed = async (as: Caller): Promise<Json[]> => (await stage.call('getDids', { caller: as })).body

/** 32 characters. */
const newSeed = () => randomBytes(16).toString('hex')

describe.each<[string, object, RegExp]>([
  ['key', {}, /^did:key:z6Mk/],
  ['key', { keyType: 'p256' }, /^did:key:zDn/],
  ['key', { keyType: 'k256' }, /^did:key:zQ3s/],
  ['jwk', {}, /^did:jwk:/],
  ['jwk', { keyType: 'p256' }, /^did:jwk:/],
  ['jwk', { keyType: 'k256' }, /^did:jwk:/],
  ['peer', {}, /^did:peer:2/],
  ['peer', { numAlgo: 4 }, /^did:peer:4z[^:]+:z/],
  ['web', {}, /^did:web:localhost%3A\d+:web:/],
  ['webvh', {}, /^did:webvh:Qm[^:]+:localhost%3A\d+:webvh:/],
])('did:%s with %j', (method, more, pattern) => {
  let tenant: Tenant
  let made: Json

  beforeAll(async () => {
    tenant = await createTenant(stage)
    const reply = await write({ method, ...more }, tenant)
    expect(reply).toMatchObject({ status: 200 })
    made = reply.body
  })

  test('has the DID and its document', () => {
    expect(made.did).toMatch(pattern)
    expect(made.didDocument.id).toBe(made.did)
  })

  test('is in the list of its agent, and of no other', async () => {
    expect(await listed(tenant)).toMatchObject([
      { did: made.did, role: 'created', _tags: { did: made.did, public: true } },
    ])
    expect(await listed(other)).not.toContainEqual(expect.objectContaining({ did: made.did }))
  })

  test('resolves to the same document, for every caller', async () => {
    for (const as of [tenant, other, {}]) {
      const { status, body } = await resolve(made.did, as)
      expect({ status, didDocument: body.didDocument }).toEqual({ status: 200, didDocument: made.didDocument })
      expect(body).toMatchObject({ didDocumentMetadata: {}, didResolutionMetadata: {} })
      // They would reveal which DIDs others have resolved.
      for (const ofCache of ['servedFromCache', 'resolutionTime'])
        expect(body.didResolutionMetadata).not.toHaveProperty(ofCache)
    }
  })

  test('has a key that signs', async () => {
    const verified = await inTenant(tenant.tenantId, async ({ context, dids }) => {
      const { Kms, getPublicJwkFromVerificationMethod } = await import('@credo-ts/core')
      const { didDocument, keys } = await dids.resolveCreatedDidDocumentWithKeys(made.did)
      const [key] = keys ?? []
      if (key === undefined) throw new Error('the DID has no key')
      const publicJwk = getPublicJwkFromVerificationMethod(
        didDocument.dereferenceKey(`${made.did}${key.didDocumentRelativeKeyId}`),
      )
      const [algorithm] = publicJwk.supportedSignatureAlgorithms
      if (algorithm === undefined) throw new Error('the key does not sign')
      const kms = context.resolve(Kms.KeyManagementApi)
      const data = Buffer.from('signed')
      const { signature } = await kms.sign({ keyId: key.kmsKeyId, algorithm, data })
      return (await kms.verify({ key: { publicJwk: publicJwk.toJson() }, algorithm, data, signature })).verified
    })
    expect(verified).toBe(true)
  })
})

describe.each([{ method: 'peer' }, { method: 'peer', numAlgo: 4 }, { method: 'web' }])('%j', (body) => {
  test('names the endpoint of the agent, and can be the DID of an invitation', async () => {
    const { did, didDocument } = (await write(body)).body
    expect(didDocument.service).toMatchObject([
      { type: 'did-communication', serviceEndpoint: `${stage.publicUrl}/didcomm/${caller.tenantId}` },
    ])
    const request = await stage.call('createRequest', { caller, body: { ...requestBody, invitationDid: did } })
    expect(request).toMatchObject({ status: 200, body: { invitationDid: did, invitation: { services: [did] } } })
  })
})

/** The connection of an invitation, when it is completed. */
const completed = (as: Tenant, outOfBandId: string): Promise<Json> =>
  waitFor('the connection to be completed', async () => {
    const [found] = (await stage.call('getConnections', { caller: as, query: { outOfBandId } })).body
    return found?.state === 'completed' && found
  })

describe.each([{ method: 'peer' }, { method: 'peer', numAlgo: 4 }, { method: 'web' }])('with %j', (body) => {
  let inviter: Tenant
  let invitee: Tenant
  let did: string
  let inviterConnection: Json
  let inviteeConnection: Json

  beforeAll(async () => {
    ;[inviter, invitee] = [await createTenant(stage), await createTenant(stage)]
    did = (await write(body, inviter)).body.did
    const { body: made } = await stage.call('createInvitation', { caller: inviter, body: { invitationDid: did } })
    const { invitationUrl } = made
    const taken = await stage.call('receiveInvitationUrl', { caller: invitee, body: { invitationUrl } })
    expect(taken.status).toBe(200)
    inviterConnection = await completed(inviter, made.outOfBandRecord.id)
    inviteeConnection = await completed(invitee, taken.body.outOfBandRecord.id)
  })

  test('another agent connects, and messages go both ways', async () => {
    for (const [as, { id: connectionId }, to] of [
      [inviter, inviterConnection, invitee],
      [invitee, inviteeConnection, inviter],
    ] as const) {
      const content = randomBytes(8).toString('hex')
      const path = { connectionId }
      expect((await stage.call('sendMessage', { caller: as, path, body: { content } })).status).toBe(200)
      const other = { ...to, connectionId: to === inviter ? inviterConnection.id : inviteeConnection.id }
      await waitFor('the message', async () => {
        const { body: messages } = await stage.call('tenantGetBasicMessages', { path: other })
        return messages.some((message: Json) => message.content === content)
      })
    }
  })

  test('the connection has the DID of the invitation', () => {
    expect(inviteeConnection.invitationDid).toBe(did)
  })
})

test('a connection of a did:peer:4 is found by the short form too, on either side', async () => {
  const [inviter, invitee] = [await createTenant(stage), await createTenant(stage)]
  const { did: ourDid } = (await write({ method: 'peer', numAlgo: 4 }, invitee)).body
  const { inviters, invitees } = await connectTenants(stage, inviter, invitee, { receipt: { ourDid } })
  const [shortForm] = /^did:peer:4[^:]+/.exec(ourDid) ?? []
  expect(ourDid.length).toBeGreaterThan(`${shortForm}`.length)
  const found = async (caller: Tenant, query: Record<string, string>) =>
    (await stage.call('getConnections', { caller, query })).body.map(({ id }: Json) => id)
  for (const did of [ourDid, `${shortForm}`]) {
    expect(await found(inviter, { theirDid: did, state: 'completed' })).toEqual([inviters.id])
    expect(await found(invitee, { myDid: did })).toEqual([invitees.id])
    expect(await found(invitee, { theirDid: did })).toEqual([])
    expect(await found(caller, { theirDid: did })).toEqual([])
  }
  for (const spelling of [`${shortForm}:z6MkOther`, `${ourDid}:`, `${shortForm}:`, `${ourDid}#key-1`])
    expect(
      (await stage.call('getConnections', { caller: invitee, query: { myDid: spelling } })).body,
    ).not.toMatchObject([{ id: invitees.id }])
})

test.each([{ method: 'peer', numAlgo: 2 }, { method: 'peer', numAlgo: 4 }, { method: 'web' }])(
  'an agent that knows the DID of %j requests a connection without an invitation, and waits for it to be accepted',
  async (body) => {
    const [asked, asking] = [await createTenant(stage), await createTenant(stage)]
    const { did } = (await write(body, asked)).body
    const { status, body: taken } = await stage.call('receiveImplicitInvitation', { caller: asking, body: { did } })
    expect(status).toBe(200)
    const { id: connectionId } = await waitFor('the request', async () => {
      const { body: found } = await stage.call('getConnections', {
        caller: asked,
        query: { state: 'request-received' },
      })
      return found[0]
    })
    expect((await stage.call('acceptConnectionRequest', { caller: asked, path: { connectionId } })).status).toBe(200)
    await completed(asking, taken.outOfBandRecord.id)
  },
)

test.each(['key', 'web'])('a did:%s issues a credential', async (method) => {
  const [issuer, holder] = [await createTenant(stage), await createTenant(stage)]
  const { did } = (await write({ method }, issuer)).body
  const { connectionId } = await connectTenants(stage, issuer, holder)
  const offer = offerBody(connectionId, 'did:example:holder')
  const { credential } = offer.credentialFormats.jsonld
  Object.assign(credential, { issuer: did })
  expect((await stage.call('createOffer', { caller: issuer, body: offer })).status).toBe(200)
  const { id: credentialRecordId } = await waitFor('the offer', async () => {
    const [found] = (await stage.call('getCredentials', { caller: holder, query: {} })).body
    return found
  })
  const accepted = { credentialRecordId, autoAcceptCredential: 'always' }
  expect((await stage.call('acceptCredentialOffer', { caller: holder, body: accepted })).status).toBe(200)
  await waitFor('the credential', async () => {
    const { body: exchange } = await stage.call('getCredentialById', { caller: holder, path: { credentialRecordId } })
    return exchange.state === 'done'
  })
})

test('the service of a did:peer:4 has a relative id', async () => {
  const { didDocument } = (await write({ method: 'peer', numAlgo: 4 })).body
  expect(didDocument.service[0].id).toMatch(/^#/)
})

test("the list does not show the purpose of an invitation's DID", async () => {
  const tenant = await createTenant(stage)
  const { invitationDid } = (await stage.call('createRequest', { caller: tenant, body: requestBody })).body
  expect(await listed(tenant)).not.toContainEqual(expect.objectContaining({ did: invitationDid }))
})

describe('hosted here', () => {
  test('a did:web is served at the URL that it names, without a token', async () => {
    const { did, didDocument } = (await write({ method: 'web' })).body
    const [, , , ...path] = did.split(':')
    const answer = await fetch(`${stage.publicUrl}/${path.join('/')}/did.json`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual(didDocument)
    expect(didDocument['@context']).toEqual([
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/suites/ed25519-2018/v1',
      'https://w3id.org/security/suites/x25519-2019/v1',
    ])
  })

  test.each(['web', 'webvh'])('an agent has one did:%s, which is returned again unchanged', async (method) => {
    const tenant = await createTenant(stage)
    const first = await write({ method }, tenant)
    expect((await write({ method }, tenant)).body).toEqual(first.body)
    expect(await listed(tenant)).toHaveLength(1)
  })

  test('two concurrent requests make one', async () => {
    const tenant = await createTenant(stage)
    const replies = await Promise.all([write({ method: 'web' }, tenant), write({ method: 'web' }, tenant)])
    expect(replies[0]?.body).toEqual(replies[1]?.body)
    expect(await listed(tenant)).toHaveLength(1)
  })

  test('nothing is served for an agent that has none', async () => {
    const tenant = await createTenant(stage)
    const { did } = (await write({ method: 'web' })).body
    expect((await stage.call('getWebDidDocument', { path: tenant })).status).toBe(404)
    expect((await resolve(did.replace(caller.tenantId, tenant.tenantId))).status).toBe(404)
  })

  test('the base agent has one too', async () => {
    const { status, body } = await write({ method: 'web' }, {})
    expect({ status, did: body.did }).toEqual({ status: 200, did: expect.stringMatching(/:web:base$/) })
    expect((await stage.call('getWebDidDocument', { path: { tenantId: 'base' } })).body).toEqual(body.didDocument)
  })
})

describe('hosted by the caller', () => {
  test('a did:web has the domain, and is not served here', async () => {
    const tenant = await createTenant(stage)
    const { did, didDocument } = (await write({ method: 'web', domain: 'example.org%3A8443:agents:one' }, tenant)).body
    expect(did).toBe('did:web:example.org%3A8443:agents:one')
    expect(didDocument.id).toBe(did)
    expect((await stage.call('getWebDidDocument', { path: tenant })).status).toBe(404)
    expect((await write({ method: 'web', domain: 'example.org%3A8443:agents:one' }, tenant)).body.didDocument).toEqual(
      didDocument,
    )
  })

  test('a did:web does not resolve for other agents before its domain serves it, even at a path like ours', async () => {
    const tenant = await createTenant(stage)
    const { did } = (await write({ method: 'web', domain: `bank.example:web:${tenant.tenantId}` }, tenant)).body
    expect((await resolve(did, tenant)).status).toBe(200)
    // What its domain serves is unknown.
    expect((await resolve(did, other)).status).toBe(503)
  })

  test('a did:webvh comes with its log', async () => {
    const { did, didDocument, didLog } = (await write({ method: 'webvh', domain: 'example.org:agents' })).body
    expect(did).toMatch(/^did:webvh:Qm[^:]+:example\.org:agents$/)
    expect(
      didLog
        .trimEnd()
        .split('\n')
        .map((line: string) => JSON.parse(line).state),
    ).toEqual([didDocument])
  })

  test.each(['web', 'webvh'])(
    'a did:%s has host and port in one spelling, also in the ids of its keys',
    async (method) => {
      const { did, didDocument } = (await write({ method, domain: 'Example.ORG%3a8443:Agents' })).body
      expect(did).toMatch(/:example\.org%3A8443:Agents$/)
      expect(didDocument.assertionMethod).toEqual([expect.stringMatching(new RegExp(`^${did}#`))])
    },
  )

  test.each(['web', 'webvh'])('a did:%s of this service is not', async (method) => {
    const { host } = new URL(stage.publicUrl.replace('127.0.0.1', 'localhost'))
    const domain = `${encodeURIComponent(host)}:${method}:${other.tenantId}`
    const { status, body } = await write({ method, domain })
    expect({ status, paths: body.details?.map(({ path }: Json) => path) }).toEqual({ status: 422, paths: ['domain'] })
  })
})

describe('of a seed', () => {
  test.each([{ method: 'key' }, { method: 'jwk' }, { method: 'peer' }, { method: 'peer', numAlgo: 4 }])(
    '%j is the same each time',
    async (body) => {
      const seed = newSeed()
      const [first, again, elsewhere] = [
        await write({ ...body, seed }),
        await write({ ...body, seed }),
        await write({ ...body, seed }, other),
      ]
      expect(first).toMatchObject({ status: 200 })
      expect(again.body).toEqual(first.body)
      // A did:peer names the endpoint.
      if (body.method !== 'peer') expect(elsewhere.body).toEqual(first.body)
      else expect(elsewhere.body.did).not.toBe(first.body.did)
    },
  )

  test('other implementations derive the same key: this one is in the guides of Hyperledger Indy', async () => {
    const tenant = await createTenant(stage)
    await write({ method: 'key', seed: '000000000000000000000000Trustee1' }, tenant)
    const [{ keys }] = await listed(tenant)
    expect(keys[0].kmsKeyId).toBe('GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL')
  })

  test('two concurrent requests make one', async () => {
    const seed = newSeed()
    const replies = await Promise.all([1, 2, 3].map(() => write({ method: 'key', seed })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    const [{ body } = { body: undefined }] = replies
    expect((await listed(caller)).filter(({ did }) => did === body.did)).toHaveLength(1)
  })

  test('another DID with the same recipient key is rejected, because an envelope names only the key', async () => {
    const seed = newSeed()
    expect((await write({ method: 'peer', seed })).status).toBe(200)
    for (const body of [
      { method: 'peer', numAlgo: 4 },
      { method: 'web', domain: 'seed.example' },
    ]) {
      const reply = await write({ ...body, seed })
      expect(reply).toMatchObject({ status: 422, body: { details: [{ path: 'seed' }] } })
    }
    expect((await write({ method: 'key', seed })).status).toBe(200)
  })

  test('an existing did:web with another key is not replaced', async () => {
    const tenant = await createTenant(stage)
    const seed = newSeed()
    const first = await write({ method: 'web', seed }, tenant)
    expect((await write({ method: 'web', seed }, tenant)).body).toEqual(first.body)
    expect((await write({ method: 'web', seed: newSeed() }, tenant)).status).toBe(409)
    expect((await write({ method: 'web' }, tenant)).body).toEqual(first.body)
  })

  test('the seed is stored nowhere', async () => {
    const seed = newSeed()
    const headers = { 'idempotency-key': 'a-seed' }
    const { status, body } = await stage.call('createDid', { caller, headers, body: { method: 'key', seed } })
    expect(status).toBe(200)
    const stored = (await itemsOf(stage, '')).flatMap(textsOf).join('\n')
    expect(stored).toContain(body.did)
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
      expect(stored).not.toContain(Buffer.from(seed).toString(encoding).replace(/=*$/, ''))
  })
})

describe('rejected requests', () => {
  test.each<[object, string[]]>([
    [{}, ['method']],
    [{ method: 'indy', network: 'bcovrin:testnet', role: 'endorser' }, ['method', 'network', 'role']],
    [{ method: 'polygon', privatekey: 'a'.repeat(64), endpoint: 'x' }, ['method', 'privatekey', 'endpoint']],
    [{ method: 'key', did: 'did:key:z1', endorserDid: 'did:key:z1' }, ['did', 'endorserDid']],
    [{ method: 'key', keyType: 'bls12381g2' }, ['keyType']],
    [{ method: 'key', seed: 'short' }, ['seed']],
    [{ method: 'key', seed: 'ä'.repeat(32) }, ['seed']],
    [{ method: 'key', keyType: 'p256', seed: 'a'.repeat(32) }, ['seed']],
    [{ method: 'webvh', seed: 'a'.repeat(32) }, ['seed']],
    [{ method: 'key', domain: 'example.org' }, ['domain']],
    [{ method: 'peer', domain: 'example.org' }, ['domain']],
    [{ method: 'key', numAlgo: 2 }, ['numAlgo']],
    [{ method: 'peer', numAlgo: 1 }, ['numAlgo']],
    [{ method: 'peer', keyType: 'p256' }, ['keyType']],
    [{ method: 'web', domain: 'https://example.org' }, ['domain']],
    [{ method: 'web', domain: 'example.org/path' }, ['domain']],
    [{ method: 'web', domain: 'example.org:8443' }, ['domain']],
    [{ method: 'webvh', domain: 'example.org:443:path' }, ['domain']],
    [{ method: 'web', domain: 'example.org:..' }, ['domain']],
    [{ method: 'webvh', domain: 'example.org:..' }, ['domain']],
    // A DID has no tilde (DID Core, section 3.1).
    [{ method: 'web', domain: 'example.org:~me' }, ['domain']],
    [{ method: 'webvh', domain: 'example.org:~me' }, ['domain']],
    [{ method: 'web', domain: '127.0.0.1' }, ['domain']],
    [{ method: 'webvh', domain: '127.0.0.1' }, ['domain']],
    [{ method: 'key', didDocument: {} }, ['didDocument']],
  ])('%j', async (body, paths) => {
    const reply = await write(body)
    expect({ status: reply.status, paths: reply.body.details.map(({ path }: Json) => path) }).toEqual({
      status: 422,
      paths,
    })
  })

  test('a port that would be a folder is a 422 that says how to write it', async () => {
    const { details } = (await write({ method: 'web', domain: 'example.org:8443' })).body
    expect(details).toEqual([{ path: 'domain', message: expect.stringContaining('%3A') }])
  })

  test('empty strings count as absent: CREDEBL sends them', async () => {
    const empty = {
      seed: '',
      network: '',
      domain: '',
      role: '',
      privatekey: '',
      did: '',
      endorserDid: '',
      endpoint: '',
    }
    expect((await write({ method: 'key', keyType: 'ed25519', ...empty })).status).toBe(200)
  })
})

describe('a DID that does not resolve', () => {
  test.each([
    ['did:web:127.0.0.1%3A1', 404, 'notFound'],
    ['did:web:10.0.0.1', 404, 'notFound'],
    [`did:webvh:Qm${'1'.repeat(44)}:localhost%3A1`, 404, 'notFound'],
    ['did:key:z', 404, 'notFound'],
    ['did:key:z6Mkx', 404, 'notFound'],
    ['did:jwk:e30', 404, 'notFound'],
    ['did:jwk:x', 404, 'notFound'],
    ['did:peer:2.Vz6Mk', 422, 'invalidDid'],
    ['did:peer:4zQm:z', 422, 'invalidDid'],
    ['did:peer:9', 422, 'invalidDid'],
    ['did:example:1', 422, 'unsupportedDidMethod'],
    ['did:sov:WgWxqztrNooG92RXvxSTWv', 422, 'unsupportedDidMethod'],
  ])('%s', async (did, status, error) => {
    const reply = await resolve(did)
    expect({ did, status: reply.status, details: reply.body.details }).toEqual({
      did,
      status,
      details: [
        { path: 'didResolutionMetadata.error', message: error },
        ...(error === 'invalidDid'
          ? []
          : [{ path: 'didResolutionMetadata.message', message: expect.stringMatching(/^.{10,300}$/s) }]),
      ],
    })
  })

  test.each(['did:web:localhost', `did:webvh:Qm${'1'.repeat(44)}:localhost`])(
    '%s, whose host cannot be reached, can be requested again',
    async (did) => {
      const { status, headers, body } = await resolve(did)
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: expect.any(String) })
      expect(body.message).toBe('a document of localhost could not be read')
    },
  )

  test.each(['x', 'did:key', `did:key:${'z'.repeat(5000)}`, 'did:key:z6Mk/path'])('%s is malformed', async (did) => {
    expect((await resolve(did)).status).toBe(400)
  })
})

test('resolving a DID imports nothing', async () => {
  const tenant = await createTenant(stage)
  const { did } = (await write({ method: 'peer', numAlgo: 4 })).body
  expect((await resolve(did, tenant)).status).toBe(200)
  expect(await itemsOf(stage, tenant.tenantId)).toEqual([])
})

test('the short form of a did:peer:4 is known to the agent that created it, and to no other', async () => {
  const { did } = (await write({ method: 'peer', numAlgo: 4 })).body
  const short = did.slice(0, did.lastIndexOf(':'))
  expect((await resolve(short)).status).toBe(200)
  expect((await resolve(short, other)).status).toBe(404)
})

test('the list is in pages', async () => {
  const tenant = await createTenant(stage)
  const made: string[] = []
  for (const method of ['key', 'jwk', 'peer']) made.push((await write({ method }, tenant)).body.did)
  const first = await stage.call('getDids', { caller: tenant, query: { limit: '2' } })
  expect(first.body.map(({ did }: Json) => did)).toEqual(made.slice(0, 2))
  const next = new URL(first.headers.link?.match(/<(.*)>/)?.[1] ?? '').searchParams
  const rest = await stage.call('getDids', { caller: tenant, query: Object.fromEntries(next) })
  expect(rest.body.map(({ did }: Json) => did)).toEqual(made.slice(2))
})
