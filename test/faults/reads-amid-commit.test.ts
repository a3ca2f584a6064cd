/** A read during a commit: if it shows the new state of the proof, it also shows the new messages. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tenantProofFormData } from '../../functions/tenant-proof-form-data.ts'
import { indexEntries } from '../../lib/store/index-entries.ts'
import { type StoredRecord, toRecordItem } from '../../lib/store/stored-record.ts'
import { authorizerOf, call, PRINCIPAL } from '../unit/http/gateway-event.ts'
import { storedRecord } from '../unit/store/records.ts'
import { useTable } from '../unit/store/use-table.ts'

const TENANT = 'acme'
const ID = 'proof1'

const table = await useTable({ check: false })

const put = (...records: StoredRecord[]) =>
  table.putAll(records.flatMap((record) => [toRecordItem(record), ...indexEntries(record).values()]))

const proof = (state: string) =>
  storedRecord({
    tenant: TENANT,
    type: 'ProofRecord',
    id: ID,
    value: { id: ID, state, role: 'verifier', threadId: 't', protocolVersion: 'v2', metadata: {} },
    tags: { state, role: 'verifier', threadId: 't' },
  })

const presentation = storedRecord({
  tenant: TENANT,
  type: 'DidCommMessageRecord',
  tags: { associatedRecordId: ID },
  value: {
    associatedRecordId: ID,
    message: {
      '@type': 'https://didcomm.org/present-proof/2.0/presentation',
      formats: [{ attach_id: 'a', format: 'hlindy/proof@v2.0' }],
      'presentations~attach': [{ '@id': 'a', data: { json: { type: 'VerifiablePresentation' } } }],
    },
  },
})

test('a proof that is done has its presentation, whenever it was committed', async () => {
  await put(proof('request-sent'))
  const committed = Promise.withResolvers<void>()
  let read = 0
  table.way = async (command, send) => {
    // Messages that are read before the proof are read before the commit, the proof after it.
    if (command === 'GetItem' && ++read === 1) await Promise.race([committed.promise, delay(200)])
    await send()
    if (command === 'Query') {
      await put(proof('done'), presentation)
      committed.resolve()
    }
  }
  const answer = () =>
    call(tenantProofFormData, { authorizer: authorizerOf(PRINCIPAL), path: { tenantId: TENANT, proofRecordId: ID } })
  const first = await answer()
  expect(first.statusCode).toBe(200)
  expect(first.body.state === 'done').toBe(first.body.presentation !== undefined)
  table.way = undefined
  expect((await answer()).body).toMatchObject({ state: 'done', presentation: { indy: {} } })
})
