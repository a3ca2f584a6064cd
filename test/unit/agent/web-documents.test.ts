/** Documents that unknown senders name: contexts and DID documents, from public addresses only. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type AgentContext, CredoError, type ParsedDid } from '@credo-ts/core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { w3cCredentials } from '../../../lib/agent/formats/json-ld/document-loader.ts'
import { readText, UnreadableDocumentError, unreadDocument } from '../../../lib/agent/web/documents.ts'
import { GuardedWebDidResolver } from '../../../lib/agent/web/web-did-resolver.ts'
import { AgentError } from '../../../lib/errors.ts'
import { toErrorBody } from '../../../lib/http/error-body.ts'
import { readSettings, settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'

const CONTEXT = { '@context': { degree: 'https://example.org/degree' } }

/** How much later it is than it would be, in ms. */
let passed = 0
let server: Server
let address: string
/** Paths that were asked for. */
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const path = request.url?.split('?')[0]
    const to = {
      ...{ '/moved': '/context', '/around': '/around' },
      ...{ '/to-metadata': 'http://169.254.169.254/latest/', '/to-no-address': 'http://[' },
    }
    const hops = path === '/hops' ? Number(request.url?.split('?')[1]) : 0
    const location = hops > 0 ? `/hops?${hops - 1}` : to[path as keyof typeof to]
    if (location !== undefined) return response.writeHead(302, { location }).end()
    if (path === '/status') return response.writeHead(Number(request.url?.split('?')[1])).end()
    if (path === '/broken') return response.writeHead(200, { 'content-length': 9 }).end('{', () => response.destroy())
    if (path === '/late') passed += 2_000
    if (path === '/large') return response.writeHead(200).end(JSON.stringify({ text: 'x'.repeat(300 * 1024) }))
    if (path === '/cut') {
      response.writeHead(200, { 'content-length': 1000 })
      return response.write(JSON.stringify(CONTEXT), () => response.destroy())
    }
    if (path === '/coded') return response.writeHead(200, { 'content-encoding': 'exi' }).end()
    if (path === '/gzip')
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`\uFEFF${JSON.stringify(CONTEXT)}`))
    if (path === '/list') return response.writeHead(200).end('[]')
    if (path === '/quarter') return response.writeHead(200).end(JSON.stringify({ text: 'x'.repeat(255 * 1024) }))
    response.writeHead(200, { 'content-type': 'application/ld+json' }).end(JSON.stringify(CONTEXT))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

// The context is only asked for what is not fetched.
const loader = w3cCredentials().config.documentLoader({
  dependencyManager: { resolve: () => ({}) },
} as unknown as AgentContext)

/** Documents are counted for each unit of work. */
const load = (...urls: string[]): Promise<unknown> =>
  transaction('@base', async () => {
    const documents = []
    for (const url of urls) documents.push(await loader(url))
    return documents[0]
  })

test.each<[string, object, () => string | undefined]>([
  ['is named', {}, () => new URL(address).host],
  ["of an operator is not: callers do not learn a ledger's proxy", { isHostHidden: true }, () => undefined],
])('the host because of which a document cannot be read %s', async (_, options, host) => {
  const unread = await transaction('@base', async () => {
    await readText(`${address}/status?500`, options).catch(() => {})
    return unreadDocument()
  })
  expect(unread?.host).toBe(host())
  const { message } = toErrorBody(unread)
  expect(message).toBe(host() && `a document of ${host()} could not be read`)
})

/** So many different addresses of a document. */
const some = (count: number, document: string): string[] =>
  Array.from({ length: count }, (_, one) => `${address}/${document}?${one}`)

/** Runs as on AWS, where neither http nor loopback is allowed. */
const onAws = async (act: () => Promise<unknown>): Promise<void> => {
  const current = settings()
  const before = { ...current }
  Object.assign(current, readSettings({ ...process.env, LOCAL_STAGE: 'false' }))
  await act()
  Object.assign(current, before)
}

test('a context is read from its address, also behind a redirect', async () => {
  await expect(load(`${address}/context`)).resolves.toMatchObject({
    document: CONTEXT,
    documentUrl: `${address}/context`,
  })
  await expect(load(`${address}/moved`)).resolves.toMatchObject({ document: CONTEXT })
  await expect(load(`${address}/gzip`)).resolves.toMatchObject({ document: CONTEXT })
})

/** Whether there may be such a document all the same, by the error and by what is noted. */
const mayBeThere = (path: string) =>
  transaction('@base', async () => {
    const error = await readText(path).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(CredoError)
    return [error instanceof UnreadableDocumentError, unreadDocument()?.code]
  })

test('a context is read after three redirects, and not after four', async () => {
  expect(await load(`${address}/hops?3`)).toMatchObject({ document: CONTEXT })
  await expect(load(`${address}/hops?4`)).rejects.toThrow('302')
})

test.each(['/status?404', '/status?410'])('%s says that there is no such document', async (path) => {
  expect(await mayBeThere(`${address}${path}`)).toEqual([false, undefined])
})

test('nor is there one at an address that the guard rejects', async () => {
  await onAws(async () => expect(await mayBeThere('https://169.254.169.254/')).toEqual([false, undefined]))
})

test.each(['/status?204', '/status?403', '/status?429', '/status?500', '/around', '/broken', '/large', '/coded'])(
  '%s does not mean that the document does not exist',
  async (path) => {
    expect(await mayBeThere(`${address}${path}`)).toEqual([true, 'registry.unavailable'])
  },
)

test('what is posted is posted to no other address', async () => {
  asked.length = 0
  const posting = transaction('@base', () => readText(`${address}/moved`, { body: '{}' }))
  await expect(posting).rejects.toThrow(/302/)
  expect(asked).toEqual(['/moved'])
})

test('a context that Credo carries is not fetched', async () => {
  asked.length = 0
  await expect(load('https://www.w3.org/2018/credentials/v1')).resolves.toHaveProperty('document')
  expect(asked).toEqual([])
})

test.each([
  ['/to-metadata', /address/],
  ['/around', /302/],
  ['/to-no-address', /302/],
  ['/large', /too large/],
  ['/coded', /cannot be read: content-encoding exi$/],
  ['/list', /not a JSON object/],
  ['/cut', /cannot be read: reset/],
])('%s is no context', async (path, reason) => {
  await expect(load(`${address}${path}`)).rejects.toThrow(reason)
})

test('a unit of work reads 20 documents, redirects included, and no more', async () => {
  const read = (...paths: string[]) =>
    transaction('@base', async () => {
      for (const path of paths) await readText(`${address}${path}`)
      return paths.length
    })
  await expect(read(...Array<string>(20).fill('/context'))).resolves.toBe(20)
  await expect(read(...Array<string>(21).fill('/context'))).rejects.toThrow(/too many documents/)
  await expect(read(...Array<string>(11).fill('/moved'))).rejects.toThrow(/too many documents/)
})

test('a repetition gets what the try before it has read, and one try that reads an address again gets its new text', async () => {
  asked.length = 0
  let tries = 0
  await transaction('@base', async () => {
    for (const path of ['/context', '/context']) await readText(`${address}${path}`)
    expect(asked).toEqual(['/context', '/context'])
    tries += 1
    if (tries < 3) throw new AgentError('store.conflict', 'a test')
  })
  expect(tries).toBe(3)
})

test.each<[string, ...object[]]>([
  ['posts another text', { body: '1' }, { body: '2' }],
  ['names another media type', { accept: 'text/plain' }, { accept: 'text/jsonl' }],
])('a repetition that %s gets a response to that', async (_, ...options) => {
  asked.length = 0
  let tries = 0
  await transaction('@base', async () => {
    await readText(`${address}/context`, options[tries])
    tries += 1
    if (tries < 2) throw new AgentError('store.conflict', 'a test')
  })
  expect(asked).toEqual(['/context', '/context'])
})

test('JSON-LD reads 10 documents of them, redirects included, and no more', async () => {
  await expect(load(...some(10, 'context'))).resolves.toHaveProperty('document')
  await expect(load(...some(11, 'context'))).rejects.toThrow(/too many documents/)
  await expect(load(...some(6, 'moved'))).rejects.toThrow(/too many documents/)
})

test('a unit of work reads a context once', async () => {
  asked.length = 0
  await load(...Array<string>(11).fill(`${address}/context`))
  expect(asked).toEqual(['/context'])
})

test('the time that a unit of work may wait is that of the answers: what it computes in between does not count', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [first = '', second = ''] = some(2, 'context')
  await transaction('@base', async () => {
    await loader(first)
    vi.setSystemTime(Date.now() + 60_000)
    await expect(loader(second)).resolves.toHaveProperty('document')
  })
})

test('that time is five seconds: after it there may be a document all the same', async () => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
  onTestFinished(() => void vi.restoreAllMocks())
  const read = (count: number) =>
    transaction('@base', async () => {
      for (let times = 1; times <= count; times++) await readText(`${address}/late`)
      return count
    })
  await expect(read(3)).resolves.toBe(3)
  const error = await read(4).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UnreadableDocumentError)
  expect(error).toHaveProperty('message', 'the documents of the message take too long to read')
})

test('a unit of work reads 1 MB, and no more', async () => {
  await expect(load(...some(5, 'quarter'))).rejects.toThrow(/too many documents|too large/)
  asked.length = 0
  const errors = await transaction('@base', async () => {
    const messages: string[] = []
    for (const url of some(7, 'quarter')) await readText(url).catch(({ message }) => messages.push(message))
    return messages
  }).catch((error: unknown) => error)
  expect(errors).toEqual([
    expect.stringContaining('is too large'),
    'the message names too many documents',
    'the message names too many documents',
  ])
  expect(asked).toHaveLength(5)
})

test('on AWS, nothing is read from inside', async () => {
  asked.length = 0
  await onAws(async () => {
    await expect(load(`${address}/context`)).rejects.toThrow(/address/)
    await expect(load('https://169.254.169.254/latest/')).rejects.toThrow(/address/)
    await expect(load('https://[::1]/context')).rejects.toThrow(/address/)
  })
  expect(asked).toEqual([])
})

test.each([
  '169.254.169.254',
  '10.0.0.1',
  'localhost',
  '127.0.0.1%3A8443',
  'metadata.internal',
  'bank.example%40other.example',
])('did:web:%s is not found', async (id) => {
  await onAws(async () => {
    const did = `did:web:${id}`
    const result = await transaction('@base', () =>
      new GuardedWebDidResolver().resolve({} as AgentContext, did, { did, id } as ParsedDid),
    )
    expect(result).toMatchObject({ didDocument: null, didResolutionMetadata: { error: 'notFound' } })
    expect(result.didResolutionMetadata.message).toMatch(/address/)
  })
})
