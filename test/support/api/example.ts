/** Examples for the OpenAPI document: real exchanges, without what differs from run to run, in docs/examples.json. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Answer } from './client.ts'
import { scrubber } from './scrub.ts'

const FILE = new URL('../../../docs/examples.json', import.meta.url)

const read = (): Record<string, unknown> => JSON.parse(readFileSync(FILE, 'utf8'))

const write = (operationId: string, example: object): void => {
  const all = Object.entries({ ...read(), [operationId]: example }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

/** Expects the exchange to be the example of its operation in docs/examples.json. `npm run examples` writes it there. */
export const expectExample = async ({
  operationId = '',
  asked,
  body,
}: Pick<Answer, 'operationId' | 'asked' | 'body'>): Promise<void> => {
  // A response without a body, to a request without one, is no example.
  expect(asked ?? body).toBeDefined()
  const scrub = scrubber()
  const example = {
    ...(asked !== undefined && { request: scrub(asked) }),
    ...(body !== undefined && { response: scrub(body) }),
  }
  if (process.env.EXAMPLES === 'write') write(operationId, example)
  expect(read()[operationId]).toEqual(JSON.parse(JSON.stringify(example)))
}
