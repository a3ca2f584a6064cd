/** By what names of schemas a prover finds a stored credential. */
import { expect, test } from 'vitest'
import citizenship from '../../../../lib/agent/formats/json-ld/contexts/citizenship-v1.json' with { type: 'json' }
import { readCredential } from '../../../../lib/agent/formats/json-ld/stored-credentials.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true })

const V1 = 'https://www.w3.org/2018/credentials/v1'
const CITIZENSHIP = 'https://w3id.org/citizenship/v1'
const card = citizenship['@context']

test.each<[string, unknown[], string[]]>([
  ['its address', [V1, CITIZENSHIP], [V1, CITIZENSHIP]],
  ["the address of a community's context that it has in full", [V1, card], [V1, CITIZENSHIP]],
  ['no address of another one in full', [V1, { ...card, name: 'https://example.org/name' }], [V1]],
])('a credential is found by %s', async (id, contexts, expected) => {
  const credential = { '@context': contexts, proof: { type: 'Ed25519Signature2018' } }
  const value = { id, createdAt: '2026-01-01T00:00:00.000Z', credentialInstances: [{ credential }] }
  const found = await transaction('acme', async (unit) => {
    unit.insert({ tenant: 'acme', type: 'W3cCredentialRecord', id, value, tags: {} })
    return readCredential(id, async () => ({}))
  })
  expect([...(found?.schemaNames ?? [])]).toEqual(expected)
})
