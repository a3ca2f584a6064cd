/** Tails files of other issuers: fetched through the address guard, within limits, and checked at each use. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { AnonCredsRevocationRegistryDefinition } from '@credo-ts/anoncreds'
import { type AgentContext, TypedArrayEncoder } from '@credo-ts/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TailsFiles } from '../../../../lib/agent/formats/anoncreds/tails-files.ts'
import { UnreadableDocumentError } from '../../../../lib/agent/web/index.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

let server: Server
let origin = ''
let requests = 0
let answer: (response: ServerResponse) => void
const service = new TailsFiles()

beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})
beforeEach(async () => {
  requests = 0
  await rm(service.getTailsBasePath(), { recursive: true, force: true })
})

const hashOf = (content: Uint8Array) => TypedArrayEncoder.toBase58(createHash('sha256').update(content).digest())

const file = (size = 25_730) => {
  const content = randomBytes(size)
  return { content, tailsHash: hashOf(content) }
}

type Value = AnonCredsRevocationRegistryDefinition['value']

const getHere = (value: Partial<Value>) =>
  service.getTailsFile({} as AgentContext, {
    revocationRegistryDefinition: {
      value: { maxCredNum: 100, tailsLocation: `${origin}/tails`, tailsHash: '', publicKeys: {}, ...value },
    } as AnonCredsRevocationRegistryDefinition,
  })

/** In a message of its own. */
const get = (value: Partial<Value>) => transaction('acme', () => getHere(value))

test('is fetched once, and cached', async () => {
  const { content, tailsHash } = file()
  answer = (response) => response.end(content)
  const first = await get({ tailsHash })
  expect((await readFile(first.tailsFilePath)).equals(content)).toBe(true)
  expect(await get({ tailsHash })).toEqual(first)
  expect(requests).toBe(1)
})

test('is fetched for a registry of one credential too', async () => {
  const { content, tailsHash } = file(386)
  answer = (response) => response.end(content)
  const { tailsFilePath } = await get({ tailsHash, maxCredNum: 1 })
  expect((await readFile(tailsFilePath)).equals(content)).toBe(true)
})

test('is fetched from a host that compresses what gets longer by it', async () => {
  const { content, tailsHash } = file()
  const coded = gzipSync(content, { windowBits: 9, memLevel: 1 })
  expect(coded.length).toBeGreaterThan(content.length)
  answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(coded)
  const { tailsFilePath } = await get({ tailsHash })
  expect((await readFile(tailsFilePath)).equals(content)).toBe(true)
})

test('is fetched where its address redirects to, three times at most', async () => {
  const { content, tailsHash } = file()
  const over = (redirects: number) => {
    requests = 0
    answer = (response) =>
      requests <= redirects
        ? response.writeHead(302, { location: '/elsewhere' }).end('302 Found')
        : response.end(content)
    return get({ tailsHash })
  }
  await expect(over(4)).rejects.toThrow('no tails file')
  const { tailsFilePath } = await over(3)
  expect((await readFile(tailsFilePath)).equals(content)).toBe(true)
})

test('is fetched again if the cached file has changed', async () => {
  const { content, tailsHash } = file()
  answer = (response) => response.end(content)
  const { tailsFilePath } = await get({ tailsHash })
  await writeFile(tailsFilePath, 'something else')
  await get({ tailsHash })
  expect((await readFile(tailsFilePath)).equals(content)).toBe(true)
})

test('is one of the last 10, which are cached', async () => {
  const files = Array.from({ length: 15 }, () => file(1_000))
  for (const { content, tailsHash } of files) {
    answer = (response) => response.end(content)
    await get({ tailsHash })
  }
  const last = files.slice(5).map(({ tailsHash }) => tailsHash)
  expect((await readdir(service.getTailsBasePath())).sort()).toEqual(last.sort())
})

test.each([
  [404, false],
  [410, false],
  [403, true],
  [503, true],
])('after the status %i there may be one all the same: %s', async (status, isUnknown) => {
  answer = (response) => response.writeHead(status).end()
  const error = await get({ tailsHash: file().tailsHash }).catch((error) => error)
  expect(error.message).toContain('no tails file')
  expect(error instanceof UnreadableDocumentError).toBe(isUnknown)
})

test('the files of one message are waited for together, for 5 seconds', async () => {
  answer = () => {}
  const outcomes = await transaction('acme', async () => {
    const first = await getHere({ tailsHash: file().tailsHash }).catch((error) => error.message)
    const second = await getHere({ tailsHash: file().tailsHash }).catch((error) => error.message)
    return [first, second]
  })
  expect(outcomes).toEqual(['no tails file at its address: timeout', 'fetching the tails files takes too long'])
  server.closeAllConnections()
})

describe('is rejected', () => {
  test('where its content has another hash', async () => {
    answer = (response) => response.end('another file')
    await expect(get({ tailsHash: file().tailsHash })).rejects.toThrow('not the one of the registry')
  })

  test.each([
    '../../etc/passwd',
    '/etc/passwd',
    '',
    '.',
    `${'1'.repeat(31)}/`,
    `${'z'.repeat(44)}`,
    `${file().tailsHash}\0`,
  ])('by the name %j', async (tailsHash) => {
    answer = (response) => response.end('content')
    await expect(get({ tailsHash })).rejects.toThrow('SHA-256')
    expect(requests).toBe(0)
  })

  test('where it is larger than its registry can need', async () => {
    const { content, tailsHash } = file(25_731)
    answer = (response) => response.end(content)
    await expect(get({ tailsHash })).rejects.toThrow('no tails file')
  })

  test('where it would be larger than 10 MB', async () => {
    answer = (response) => {
      const piece = randomBytes(1024 * 1024)
      const write = (): void => {
        if (!response.destroyed) response.write(piece, write)
      }
      write()
    }
    await expect(get({ tailsHash: file().tailsHash, maxCredNum: 1_000_000_000 })).rejects.toThrow('no tails file')
  })

  test.each([
    ['an address of the network', 'http://169.254.169.254/latest/meta-data'],
    ['a file', 'file:///etc/passwd'],
    ['no address', 'tails'],
  ])('at %s', async (_, tailsLocation) => {
    await expect(get({ tailsHash: file().tailsHash, tailsLocation })).rejects.toThrow('no tails file')
  })

  test('where its address redirects to an address of the network', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
    await expect(get({ tailsHash: file().tailsHash })).rejects.toThrow('no tails file at its address: address')
  })

  test('behind a redirect into the inside', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    await expect(get({ tailsHash: file().tailsHash })).rejects.toThrow('address')
  })
})
