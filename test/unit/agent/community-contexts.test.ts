/** Contexts that issuers and holders need not fetch: outside of a unit of work nothing can be read from the web. */
import { AgentContext, DependencyManager } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { w3cCredentials } from '../../../lib/agent/formats/json-ld/document-loader.ts'

const dependencyManager = new DependencyManager()
const load = w3cCredentials().config.documentLoader(
  new AgentContext({ contextCorrelationId: 'tenant', dependencyManager }),
)

test.each([
  'https://w3id.org/security/bbs/v1',
  'https://w3id.org/citizenship/v1',
  'https://www.w3.org/2018/credentials/examples/v1',
])('%s is not fetched', async (url) => {
  const { documentUrl, document } = await load(url)
  expect(documentUrl).toBe(url)
  expect([document['@context']].flat()).toContainEqual(expect.objectContaining({ '@version': 1.1 }))
})

test('another context is read from the web', async () => {
  await expect(load('https://contexts.example.org/degree/v1')).rejects.toThrow('unit of work')
})
