/** Examples for the OpenAPI document: real exchanges, without what differs from run to run, in docs/examples. */
import { expect } from 'vitest'
import type { Answer } from './client.ts'
import { scrubber } from './scrub.ts'

/** Where the example of an operation is, from the folder of the tests of a layer. */
const fileOf = (operationId: string): string => `../../docs/examples/${operationId}.json`

/** Expects the exchange to be the example of its operation that is in docs/examples; writes it where there is none. */
export const expectExample = async ({
  operationId = '',
  asked,
  body,
}: Pick<Answer, 'operationId' | 'asked' | 'body'>): Promise<void> => {
  const scrub = scrubber()
  const example = {
    ...(asked !== undefined && { request: scrub(asked) }),
    ...(body !== undefined && { response: scrub(body) }),
  }
  await expect(`${JSON.stringify(example, null, 2)}\n`).toMatchFileSnapshot(fileOf(operationId))
}
