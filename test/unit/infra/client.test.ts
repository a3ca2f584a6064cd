/** `npm run client` and `npm run collection` as programs: what they write. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { COMPILED } from '../../../infra/local/compile-cache.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { runProgram } from '../../support/stage/program.ts'

const run = (file: string, target: string) =>
  runProgram(process.execPath, [resolve(file), target], { env: { NODE_COMPILE_CACHE: COMPILED } })

test('a client is a package with the types of all paths', async () => {
  await using folder = await temporaryFolder()
  const { code, stderr } = await run('infra/client.ts', join(folder.path, 'mine'))
  expect([code, stderr]).toEqual([0, ''])
  const read = (name: string) => readFile(join(folder.path, 'mine', name), 'utf8')
  expect(JSON.parse(await read('package.json'))).toMatchObject({
    main: 'index.js',
    dependencies: { 'openapi-fetch': expect.stringMatching(/^\d+\.\d+\.\d+$/) },
  })
  const types = await read('interface.d.ts')
  for (const { operationId } of OPERATIONS) expect(types).toContain(`    ${operationId}: {`)
})

test('a collection has all operations in folders, with bodies and parameters', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'collection.json')
  const { code, stderr } = await run('infra/collection.ts', file)
  expect([code, stderr]).toEqual([0, ''])
  const { item: folders, variable }: Json = JSON.parse(await readFile(file, 'utf8'))
  const items: Json[] = folders.flatMap(({ item }: Json) => item)
  expect(items).toHaveLength(OPERATIONS.length + OPERATIONS.filter(({ tenantPath }) => tenantPath).length)
  const { request } = items.find(({ name }) => name === 'Send a basic message to a connection') ?? {}
  expect(JSON.parse(request.body.raw)).toEqual({ content: expect.any(String) })
  expect(request.url.variable).toEqual([{ key: 'connectionId', value: '{{connectionId}}' }])
  expect(variable).toContainEqual({ key: 'connectionId', value: '' })
  const form = items.find(({ request }) => request.url.raw.endsWith('/token'))
  expect(form?.request).toMatchObject({
    auth: { type: 'noauth' },
    body: { raw: expect.stringMatching(/^grant_type=/) },
  })
})
