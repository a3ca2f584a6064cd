/** Documents at addresses that a definition names in `schema`: read before the transaction, and trusted only for that request. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paginateScan, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { connectTenants, exchangesOf, settled, succeed } from '../support/tenants.ts'
import { askForProof, CREDENTIALS_V1, issue, present, submissionOf } from '../support/wallets/presentations.ts'

const CONTEXT = { '@context': { Degree: 'https://example.org/Degree', degree: 'https://example.org/degree' } }

/** Paths that were asked for. */
let asked: string[] = []

/** By path; without an entry there is no such document. */
const HOST: Record<string, RequestListener> = {}

const serve = (path: string, body: unknown, status = 200): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  HOST[path] = (_, response) => response.writeHead(status, { 'content-type': 'application/ld+json' }).end(text)
  return `${origin}${path}`
}

const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const answer = HOST[request.url ?? '']
  if (answer === undefined) response.writeHead(404).end('nothing here')
  else answer(request, response)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const stage = await useStage()
/** Number of the next transactions that fail. */
let conflicts = 0
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next, { commandName }) =>
    async (parameters) => {
      if (conflicts === 0 || commandName !== 'TransactWriteItemsCommand') return next(parameters)
      conflicts--
      const CancellationReasons = [{ Code: 'TransactionConflict' }]
      throw new TransactionCanceledException({ message: 'conflict', $metadata: {}, CancellationReasons })
    },
  { step: 'initialize' },
)
const wallet = await useWallet({ answerProofs: false })
const caller = await createTenant(stage)
beforeEach(() => {
  asked = []
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const definitionOf = (...uris: string[]): Json => ({
  id: 'degree',
  input_descriptors: [
    {
      id: 'degree',
      schema: uris.map((uri) => ({ uri })),
      constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] },
    },
  ],
})

const bodyOf = (uris: string[], contexts?: Json) => ({
  protocolVersion: 'v2',
  proofFormats: {
    presentationExchange: { presentationDefinition: definitionOf(...uris), ...(contexts && { options: { contexts } }) },
  },
})

const ask = (uris: string[], contexts?: Json): Promise<Reply> =>
  stage.call('createRequest', { caller, body: bodyOf(uris, contexts) })

/** The n-th URI of the only descriptor. */
const pathOf = (index: number) =>
  `proofFormats.presentationExchange.presentationDefinition.input_descriptors.0.schema.${index}.uri`

/** The outcome for a degree whose credential names the address. */
const presented = async (address: string, uris: string[], document: Json = CONTEXT): Promise<Json> => {
  const presentationDefinition = definitionOf(...uris)
  const { challenge, answer } = await askForProof(stage, caller, wallet, { presentationDefinition })
  const contexts = { [address]: document }
  const credential = await issue(
    wallet,
    {
      '@context': [CREDENTIALS_V1, address],
      type: ['VerifiableCredential', 'Degree'],
      credentialSubject: { id: wallet.did, degree: 'Bachelor' },
    },
    contexts,
  )
  const more = { presentation_submission: submissionOf(presentationDefinition) }
  return answer(await present(wallet, [credential], { challenge, contexts, more }))
}

describe('a context at an address of a schema', () => {
  test('is read once, and trusted in this request only', async () => {
    const address = serve('/trusted', CONTEXT)
    const proof = await presented(address, [address])
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    const [{ credentialSubject }] = proof.presentation.presentationExchange.verifiableCredential
    expect(credentialSubject).toMatchObject({ degree: 'Bachelor' })
    expect(asked).toEqual(['/trusted'])
    expect(await presented(address, [CREDENTIALS_V1])).toMatchObject({
      isVerified: false,
      errorMessage: expect.stringContaining(`not trusted: ${address}`),
    })
    expect(asked).toEqual(['/trusted'])
  })

  test('is used as it was read when the proof was requested', async () => {
    const address = serve('/changing', CONTEXT)
    const first = await presented(address, [address])
    serve('/changing', { '@context': { degree: 'https://example.org/honour' } })
    expect(first).toMatchObject({ isVerified: true })
    expect(await presented(address, [address])).toMatchObject({ isVerified: false })
  })

  test('defines types, whose IRIs need not be readable', async () => {
    const address = serve('/types', { '@context': { Degree: `${origin}/failing` } })
    serve('/failing', '', 500)
    expect((await ask([`${origin}/failing`, address])).status).toBe(200)
  })

  test('is read once, however often the transaction is repeated', async () => {
    const address = serve('/repeated', CONTEXT)
    conflicts = 2
    expect((await ask([address])).status).toBe(200)
    expect(conflicts).toBe(0)
    expect(asked).toEqual(['/repeated'])
  })

  test('that cannot be read any more does not change the answer of an Idempotency-Key', async () => {
    const address = serve('/once', CONTEXT)
    const headers = { 'idempotency-key': 'one' }
    const first = await stage.call('createRequest', { caller, headers, body: bodyOf([address]) })
    expect(first.status).toBe(200)
    serve('/once', '', 500)
    expect(await stage.call('createRequest', { caller, headers, body: bodyOf([address]) })).toMatchObject({
      status: 200,
      body: first.body,
    })
  })

  test.each<[string, object]>([
    ['a term of the credentials context', { proof: 'https://example.org/proof' }],
    ['a term of a context of the request', { degree: 'https://example.org/honour' }],
    ['a prefix of a context of the request', { ex: 'https://example.com/' }],
    ['a prefix as a name', { ex: { '@id': 'https://example.org/' } }],
    ['a prefix that a type of a context of the request relies on', { late: 'https://example.com/' }],
    [
      'a term within a type of its own',
      { Other: { '@id': 'https://e.org/O', '@context': { degree: 'https://e.org/d' } } },
    ],
    ['the base of relative ids', { '@base': 'https://example.com/' }],
    ['the language of all texts', { '@language': 'en' }],
    ['the direction of all texts', { '@direction': 'rtl' }],
    ['the vocabulary', { '@vocab': 'https://example.com/' }],
  ])('is refused where it redefines %s', async (_, context) => {
    const address = serve('/redefining', { '@context': context })
    const own = {
      '@vocab': 'https://example.org/',
      ex: 'https://example.org/',
      degree: 'https://example.org/degree',
      Scoped: { '@id': 'https://example.org/Scoped', '@context': { grade: { '@id': 'late:grade' } } },
    }
    const { status, body } = await ask([CREDENTIALS_V1, address], {
      'https://contexts.example/own/v1': { '@context': own },
    })
    expect({ status, ...body.details?.[0] }).toMatchObject({
      status: 422,
      message: expect.stringContaining('redefines'),
    })
    if (!('late' in context)) expect(body.details[0].path).toBe(pathOf(1))
  })
})

/** Addresses of the items of contexts. */
const storedContexts = async (): Promise<string[]> => {
  const pages = paginateScan({ client: stage.client }, { TableName: stage.table, ConsistentRead: true })
  const found: string[] = []
  for await (const { Items = [] } of pages)
    found.push(...Items.flatMap(({ pk, kind }) => (kind?.S === 'context' ? [String(pk?.S)] : [])))
  return found.sort()
}

describe('a document that is not a context makes the URI a type', () => {
  const list = Array.from({ length: 3_000 }, (_, one) => [`t${one}`, `t${one + 1}:x`])
  test.each<[string, unknown, number?]>([
    ['nothing there', '', 404],
    ['nothing there any more', '', 410],
    ['a page', '<html></html>'],
    ['a list', []],
    ['an object without a context', { name: 'Degree' }],
    ['the address of a context', { '@context': CREDENTIALS_V1 }],
    ['the address of a context beside terms', { '@context': [CONTEXT['@context'], 'https://contexts.example/v1'] }],
    ['a relative address of a context', { '@context': '/trusted' }],
    ['an import', { '@context': { '@version': 1.1, '@import': 'https://contexts.example/v1' } }],
    [
      'a type with the address of a context',
      { '@context': { T: { '@id': 'e:T', '@context': 'https://c.example/v1' } } },
    ],
    [
      'a type with the address of a context that the agent has read before',
      { '@context': { T: { '@id': 'e:T', '@context': CREDENTIALS_V1 } } },
    ],
    ['an invalid context', { '@context': { degree: { '@id': 7 } } }],
    ['no context', { '@context': null }],
    ['a context that exhausts the stack', { '@context': Object.fromEntries(list) }],
    ['a field that names a prototype', '{"@context": {"constructor": "https://example.org/c"}}'],
    [
      'contexts of terms that take seconds',
      { '@context': Object.fromEntries(list.map(([t]) => [t, { '@id': 'e:T', '@context': {} }])) },
    ],
  ])('%s', async (_, body, status) => {
    const address = serve('/type', body, status)
    const before = await storedContexts()
    const reply = await ask([address])
    expect(reply.status).toBe(200)
    expect(asked).toEqual(['/type'])
    expect(await storedContexts()).toEqual(before)
  })
})

describe('a document that cannot be read', () => {
  const silent: RequestListener = () => {}
  const slowly: RequestListener = (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  }
  const to =
    (location: string): RequestListener =>
    (_, response) =>
      response.writeHead(302, { location }).end()

  test.each<[string, RequestListener]>([
    ['an error of the host', (_, response) => response.writeHead(500).end()],
    ['a document for others', (_, response) => response.writeHead(403).end()],
    ['a host that never answers', silent],
    ['a host that never ends', slowly],
    [
      'a document that is too large',
      (_, response) => response.end(JSON.stringify({ '@context': {}, x: 'x'.repeat(128 * 1024) })),
    ],
    ['a redirect to another scheme than https', (_, response) => to(`${origin}/trusted`)(_, response)],
    ['a redirect into the network', to('https://169.254.169.254/latest')],
    ['a redirect to nowhere', to('https://')],
    ['a broken answer', (_, response) => response.socket?.destroy()],
  ])('is named: %s', async (_, answer) => {
    serve('/trusted', CONTEXT)
    HOST['/unreadable'] = answer
    const { status, body } = await ask([CREDENTIALS_V1, `${origin}/unreadable`])
    expect({ status, details: body.details }).toEqual({
      status: 422,
      details: [{ path: pathOf(1), message: expect.stringContaining(`${origin}/unreadable`) }],
    })
    expect(body.details[0].message).toContain('options.contexts')
    expect(asked).toEqual(['/unreadable'])
  })

  test('is named: an address that the guard refuses', async () => {
    const { status, body } = await ask(['http://169.254.169.254/latest'])
    expect(status).toBe(422)
    expect(body.details[0]).toMatchObject({ path: pathOf(0), message: expect.stringContaining('169.254.169.254') })
  })

  test('is named: more than five, and more than 128 KiB of all', async () => {
    const many = Array.from({ length: 6 }, (_, one) => serve(`/many/${one}`, CONTEXT))
    expect((await ask(many)).body.details?.[0].path).toBe(pathOf(5))
    expect(asked).toHaveLength(5)
    const large = { ...CONTEXT, filler: 'x'.repeat(70 * 1024) }
    const [one, two] = [serve('/large/1', large), serve('/large/2', large)]
    expect((await ask([one])).status).toBe(200)
    expect((await ask([one, two])).body.details?.[0].path).toBe(pathOf(1))
  })

  test('is named: all after one that never answers, which takes the time of all', async () => {
    HOST['/unreadable'] = silent
    const { status, body } = await ask([`${origin}/unreadable`, serve('/after', CONTEXT)])
    expect({ status, path: body.details?.[0].path }).toEqual({ status: 422, path: pathOf(0) })
    expect(asked).toEqual(['/unreadable'])
  })

  test('can be given with the request, or be defined by a context of it', async () => {
    const address = serve('/unreadable', '', 500)
    expect((await ask([address], { [address]: CONTEXT })).status).toBe(200)
    const types = { 'https://contexts.example/types/v1': { '@context': { Degree: address } } }
    expect((await ask([address], types)).status).toBe(200)
    expect(asked).toEqual([])
  })
})

test.each([
  ['a type', 'https://www.w3.org/2018/credentials#VerifiableCredential'],
  ['an address with a fragment', `${origin}/page#Degree`],
  ['a type that the agent knows', 'http://schema.org/Person'],
  ['a context that the agent has', 'https://w3id.org/citizenship/v1'],
  ['a URN', 'urn:example:Degree'],
  ['a DID URL', 'did:web:contexts.example'],
])('%s is never read', async (_, uri) => {
  expect((await ask([uri])).status).toBe(200)
  expect(asked).toEqual([])
})

test("an address in a prover's proposal is never read, and one that the verifier names instead is", async () => {
  const prover = await createTenant(stage, 'Prover')
  stage.line.run()
  const { inviters, invitees } = await connectTenants(stage, caller, prover)
  const address = serve('/proposed', CONTEXT)
  const proposed = await succeed(stage, 'proposeProof', prover, {
    body: { connectionId: invitees.id, ...bodyOf([address]) },
  })
  await settled(stage)
  const [{ id }] = await exchangesOf(caller, 'ProofRecord', proposed.threadId)
  expect(inviters.id).toBeDefined()
  await succeed(stage, 'acceptProofProposal', caller, { path: { proofRecordId: id }, body: {} })
  expect(asked).toEqual([])
  const again = await succeed(stage, 'proposeProof', prover, {
    body: { connectionId: invitees.id, ...bodyOf([address]) },
  })
  await settled(stage)
  const [other] = await exchangesOf(caller, 'ProofRecord', again.threadId)
  const acceptWith = (schema: string) =>
    stage.call('acceptProofProposal', {
      caller,
      path: { proofRecordId: other.id },
      body: { proofFormats: bodyOf([schema]).proofFormats },
    })
  expect((await acceptWith(serve('/broken', '', 500))).status).toBe(422)
  expect((await acceptWith(address)).status).toBe(200)
  expect(asked).toEqual(['/broken', '/proposed'])
})

test('two addresses may have the same document', async () => {
  const contexts = { 'https://contexts.example/a/v1': CONTEXT, 'https://contexts.example/b/v1': CONTEXT }
  expect((await ask([CREDENTIALS_V1], contexts)).status).toBe(200)
  const unknown = { '@context': { same: 'https://example.org/same' } }
  expect((await ask([serve('/same/1', unknown), serve('/same/2', unknown)])).status).toBe(200)
})

test('an import is refused: its document may be another one in another request', async () => {
  const contexts = (degree: string) => ({
    'https://contexts.example/importing/v1': {
      '@context': { '@version': 1.1, '@import': 'https://contexts.example/terms/v1' },
    },
    'https://contexts.example/terms/v1': { '@context': { degree } },
  })
  const { status, body } = await ask([CREDENTIALS_V1], contexts('https://example.org/degree'))
  expect({ status, path: body.details?.[0].path }).toMatchObject({
    status: 422,
    path: expect.stringContaining('contexts'),
  })
})

test.each([
  [true, 'its own schema', 'urn:example:schema'],
  [true, 'a type by its IRI', 'https://example.org/Degree'],
  [true, 'the context of its type', 'https://contexts.example/degrees/v1'],
  [false, 'another schema', 'urn:example:other'],
])('%s: a credential is of the schema that is requested, which is %s', async (isVerified, _, uri) => {
  const contexts = { 'https://contexts.example/degrees/v1': CONTEXT }
  const presentationDefinition = definitionOf(uri)
  const request = { presentationDefinition, options: { contexts } }
  const { challenge, answer } = await askForProof(stage, caller, wallet, request)
  const credential = {
    '@context': [CREDENTIALS_V1, 'https://contexts.example/degrees/v1'],
    type: ['VerifiableCredential', 'Degree'],
    credentialSchema: { id: 'urn:example:schema', type: 'JsonSchemaValidator2018' },
    credentialSubject: { id: wallet.did, degree: 'Bachelor' },
  }
  const more = { presentation_submission: submissionOf(presentationDefinition) }
  const signed = await issue(wallet, credential, contexts)
  expect(await answer(await present(wallet, [signed], { challenge, contexts, more }))).toMatchObject({ isVerified })
})
