/** What each operation takes of a processor, warm: its handler in this process, by its example call, while nothing else goes on. */
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { processorTime } from '../support/processor-time.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import { startInProcessStage } from '../support/stage/in-process-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { Wallet } from '../wallet/wallet.ts'

const WARM_UP = 5
const ROUNDS = 15

export const measureOperations = async (): Promise<void> => {
  const issuer = await trustIssuer()
  const stage = await startInProcessStage()
  const watched = new StoreFaults(stage.serviceClient)
  const call = callInProcess(stage, issuer)
  const wallet = await Wallet.start({ acceptOffers: false, answerProofs: false })
  stage.line.run()
  const scene = await CallScene.start(call, wallet)

  const measure = async (operationId: string): Promise<Cell[]> => {
    const cpuMs: number[] = []
    const requests: number[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const { asked, caller } = await exampleOf(operationId, scene)
      await stage.line.pause()
      await stage.line.settle()
      const cpu = processorTime()
      const { result, commands } = await watched.count(() => call(operationId, { ...asked, caller }))
      cpuMs.push(cpu())
      requests.push(commands.length)
      if (result.status >= 300) throw new Error(`${operationId} answers ${result.status}`)
      stage.line.run()
    }
    return [handlerOf(operationId), rounded(median(cpuMs.slice(WARM_UP))), median(requests.slice(WARM_UP))]
  }

  const rows: Cell[][] = []
  // A wallet sends the envelopes of receiveDidcomm.
  for (const { operationId } of OPERATIONS) if (operationId !== 'ReceiveDidcomm') rows.push(await measure(operationId))
  await stage.line.pause()
  await wallet.stop()
  await stage.stop()
  printTable(`Operations by their example calls, warm, ${ROUNDS} times each`, ['operation', 'CPU ms', 'requests'], rows)
}
