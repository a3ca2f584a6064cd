/** What a page of a tenant's list costs where there are 10,000 records: sessions of OpenID4VP beside proof exchanges. */
import { randomUUID } from 'node:crypto'
import type { RecordDefinition } from '../../lib/records/define-record.ts'
import { proofRecords } from '../../lib/records/kinds.ts'
import { verificationSessionRecords } from '../../lib/records/openid-kinds.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { useVerifier } from '../support/openid/verification.ts'
import { processorTime } from '../support/processor-time.ts'
import { requestBody } from '../support/scenes.ts'
import { startInProcessStage } from '../support/stage/in-process-stage.ts'
import { ConsumedUnits } from '../support/table/consumed-units.ts'

const RECORDS = 10_000
/** Items that a record and its entries take of a transaction's 100. */
const AT_ONCE = 20

const WARM_UP = 20
const ROUNDS = 30

export const measureLists = async (): Promise<void> => {
  const stage = await startInProcessStage({ embedded: true })
  const { transaction } = await import('../../lib/store/transaction.ts')
  const consumed = new ConsumedUnits(stage.serviceClient)
  const verifier = await useVerifier(stage)
  const { caller } = verifier
  const tenant = String(caller.tenantId)

  /** Copies a record that an operation has made. */
  const copy = async ({ type }: RecordDefinition, id: string): Promise<void> => {
    for (let made = 1; made < RECORDS; made += AT_ONCE)
      await transaction(tenant, async (unit) => {
        const record = await unit.read(tenant, type, id)
        if (record === undefined) throw new Error(`no ${type}`)
        for (let count = 0; count < AT_ONCE; count++) {
          const another = randomUUID()
          const createdAt = new Date(Date.now() - (made + count) * 1000).toISOString()
          unit.insert({ ...record, id: another, value: { ...record.value, id: another, createdAt } })
        }
      })
  }
  const { session } = await verifier.request()
  await copy(verificationSessionRecords, session.id)
  const { body } = await stage.call('createRequest', { caller, body: requestBody })
  await copy(proofRecords, body.proofRecordId)

  const measure = async (operation: string, what: string, query: Record<string, string>): Promise<Cell[]> => {
    const rounds: { cpuMs: number; read: number; shown: number }[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const cpu = processorTime()
      const { result, units } = await consumed.of(() => stage.call(operation, { caller, query }))
      rounds.push({ cpuMs: cpu(), read: units.read, shown: result.body.length })
    }
    const middle = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.slice(WARM_UP).map(pick))
    return [
      ...[operation, what, middle(({ shown }) => shown), rounded(middle(({ cpuMs }) => cpuMs))],
      middle(({ read }) => read),
    ]
  }
  const rows: Cell[][] = []
  for (const [operation, state] of [
    ['getVerificationSessions', 'RequestUriRetrieved'],
    ['getProofs', 'request-sent'],
  ] as const) {
    rows.push(await measure(operation, 'the newest 20', { limit: '20', order: 'desc' }))
    rows.push(await measure(operation, 'the newest 20 of a state', { limit: '20', order: 'desc', state }))
    rows.push(await measure(operation, 'a page of 100', { limit: '100', order: 'desc' }))
  }
  await stage.stop()
  printTable(
    `Lists of a tenant with ${RECORDS} verification sessions and ${RECORDS} proof exchanges, warm, ${ROUNDS} times each`,
    ['operation', 'what', 'records', 'CPU ms', 'read units'],
    rows,
  )
}
