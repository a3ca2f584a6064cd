/** Two writers on one record, 50 times: one of them is run again, no update is lost, no caller gets a 500. */
import { expect, test } from 'vitest'
import { requestBody } from '../support/scenes.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { readRecord } from '../support/table/stored.ts'
import { checkTable } from '../support/table/table-checker.ts'

const ROUNDS = Array.from({ length: 50 }, (_, round) => round)

const stage = await useStage({ delivers: false })

test('no update of a proof record is lost', async () => {
  const { transaction } = await import('../../lib/store/transaction.ts')
  await import('../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../lib/agent/credo/current.ts')
  const { body: request } = await stage.call('createRequest', { body: requestBody })
  const countUp = () =>
    transaction('@base', async () => {
      const { didcomm } = await currentAgent()
      const record = await didcomm.proofs.getById(request.proofRecordId)
      const count = record.metadata.get('count')?.of ?? 0
      record.metadata.set('count', { of: count + 1 })
      await didcomm.proofs.update(record)
    })
  for (const _round of ROUNDS) await Promise.all([countUp(), countUp()])
  const { metadata } = await readRecord('ProofRecord', request.proofRecordId)
  expect(metadata).toEqual({ count: { of: 2 * ROUNDS.length } })
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})
