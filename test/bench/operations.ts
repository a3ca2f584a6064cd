/**
 * What each operation takes of a processor, warm: its handler in this process, by its example call, while nothing else
 * goes on.
 */
import { functionsOfServiceFile } from '../../infra/access/service-file.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { printTable } from '../support/bench/table.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { priceOf, type Row } from '../support/cost/document.ts'
import { processorTime } from '../support/processor-time.ts'
import { functionOf, handlerOf } from '../support/source/operation-functions.ts'
import { startInProcessStage } from '../support/stage/in-process-stage.ts'
import { ConsumedUnits } from '../support/table/consumed-units.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { Wallet } from '../wallet/wallet.ts'

const WARM_UP = 5
const ROUNDS = 15

/** Ms that a request to the table takes on AWS (docs/cost.md). */
const REQUEST_MS = 3

/** Names of files in functions/. A wallet sends the envelopes of receive-didcomm. */
export const MEASURABLE = OPERATIONS.map(({ operationId }) => functionOf(operationId)).filter(
  (name) => name !== 'receive-didcomm',
)

interface Measured {
  operation: string
  cpuMs: number
  requests: number
  row: Omit<Row, 'total'>
}

/** All operations, or those with these names of files. */
export const measureOperations = async (names: readonly string[] = MEASURABLE): Promise<void> => {
  const issuer = await trustIssuer()
  const stage = await startInProcessStage({ embedded: true })
  const watched = new StoreFaults(stage.serviceClient)
  const consumed = new ConsumedUnits(stage.serviceClient)
  const call = callInProcess(stage, issuer)
  const wallet = await Wallet.start({ acceptOffers: false, answerProofs: false })
  stage.line.run()
  const scene = await CallScene.start(call, wallet)

  const measure = async (operationId: string): Promise<Measured> => {
    const rounds: { cpuMs: number; requests: number; read: number; write: number }[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const { asked, caller } = await exampleOf(operationId, scene)
      await stage.line.pause()
      await stage.line.settle()
      const cpu = processorTime()
      const { result: counted, units } = await consumed.of(() =>
        watched.count(() => call(operationId, { ...asked, caller })),
      )
      rounds.push({ cpuMs: cpu(), requests: counted.commands.length, ...units })
      if (counted.result.status >= 300) throw new Error(`${operationId} answers ${counted.result.status}`)
      stage.line.run()
    }
    const middle = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.slice(WARM_UP).map(pick))
    const [cpuMs, requests] = [middle((round) => round.cpuMs), middle((round) => round.requests)]
    const operation = handlerOf(operationId)
    const row = {
      ...{ read: Math.ceil(middle(({ read }) => read)), write: middle(({ write }) => write), http: 1, background: 0 },
      memory: functionsOfServiceFile()[operation]?.memorySize ?? Number.NaN,
      lambdaMs: Math.round(cpuMs + requests * REQUEST_MS),
    }
    return { operation, cpuMs, requests, row }
  }

  const all: Measured[] = []
  for (const { operationId } of OPERATIONS)
    if (names.includes(functionOf(operationId))) all.push(await measure(operationId))
  await stage.line.pause()
  await wallet.stop()
  await stage.stop()
  printTable(
    `Operations by their example calls, warm, ${ROUNDS} times each`,
    ['operation', 'CPU ms', 'requests', 'read units', 'write units', '$ for a million'],
    all.map(({ operation, cpuMs, requests, row }) => [
      ...[operation, rounded(cpuMs), requests, row.read, row.write],
      rounded(priceOf(row), 2),
    ]),
    names === MEASURABLE ? [] : all.map(({ operation, row }) => toLine(operation, row)),
  )
}

/** As it stands in docs/cost.md. */
const toLine = (what: string, row: Omit<Row, 'total'>): string => {
  const { read, write, http, background, memory, lambdaMs } = row
  const cells = [`\`${what}\``, read, write, http, background, memory, lambdaMs, priceOf(row).toFixed(2)]
  return `| ${cells.join(' | ')} |`
}
