/** GetTailsFile over HTTP: bytes for everybody, for ever. */
import { createHash, randomBytes } from 'node:crypto'
import { TypedArrayEncoder } from '@credo-ts/core'
import { beforeAll, expect, test } from 'vitest'
import { api, expectError, world } from '../support/api/scene.ts'

const pathOf = (hash: string) => `/anoncreds/tails/${hash}`
const content = randomBytes(1_280_130)
const hash = TypedArrayEncoder.toBase58(createHash('sha256').update(content).digest())

beforeAll(async () => {
  const { tableName, dynamodbEndpoint, baseUrl } = world
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodbEndpoint, PUBLIC_URL: baseUrl })
  const { transaction } = await import('../../lib/store/transaction.ts')
  const { addTailsFile } = await import('../../lib/revocation/tails-file.ts')
  await transaction('acme', async (unit) => addTailsFile(unit, hash, content))
})

test('gives the file of the largest registry, byte by byte', async () => {
  const answer = await fetch(world.baseUrl + pathOf(hash))
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${hash}"`,
    'x-content-type-options': 'nosniff',
  })
})

test('a caller that already has it gets a 304', async () => {
  const answer = await api.get(pathOf(hash), { headers: { 'if-none-match': `"${hash}"` } })
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 304, text: '' })
})

test('a file of an unknown hash is not found', async () => {
  const unknown = TypedArrayEncoder.toBase58(randomBytes(32))
  expectError(await api.get(pathOf(unknown)), 404, { message: 'there is no such tails file' })
})
