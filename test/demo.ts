/** `npm run demo`: the service, a wallet and a webhook receiver on this machine, from a scanned invitation to a verified degree, and to one that is revoked. */
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../infra/anoncreds/library-file.ts'
import { tellFailure, tellPlayed, tellTitle } from './demo/report.ts'
import { Scene, type Step } from './demo/step.ts'
import { stepsOf } from './demo/steps.ts'
import { WebhookReceiver } from './demo/webhook-receiver.ts'
import { startStage } from './support/stage/stage.ts'
import { Wallet } from './wallet/wallet.ts'

/** Plays all steps. Rejects at the first that does not hold. */
const play = async (scene: Scene, steps: Step[]): Promise<void> => {
  for (const [index, step] of steps.entries()) {
    tellTitle(index + 1, step.title)
    const start = performance.now()
    tellPlayed(await scene.play(step), performance.now() - start)
  }
}

const start = performance.now()
const starting = startStage()
let wallet: Wallet | undefined
let receiver: WebhookReceiver | undefined
let ending: Promise<never> | undefined
/** Ends the wallet, the receiver, the stage (one that is still starting, too) and the process; the first to call it says how. */
const end = (status: number): Promise<never> => {
  ending ??= (async () => {
    await wallet?.stop()
    await receiver?.stop()
    await starting.then(
      (stage) => stage.stop(),
      () => {},
    )
    return process.exit(status)
  })()
  return ending
}
process.once('SIGINT', () => void end(130))
process.once('SIGTERM', () => void end(143))

const libraryFolder = folderOnThisMachine()
if (libraryFolder === undefined) console.log(WITHOUT_LIBRARY)
else process.env.LIB_ANONCREDS_PATH = libraryFolder
const steps = stepsOf(libraryFolder !== undefined)
try {
  const stage = await starting
  wallet = await Wallet.start({ label: 'Alice' })
  receiver = await WebhookReceiver.start()
  await play(new Scene(stage, wallet, receiver), steps)
  console.log(`\nAll ${steps.length} steps held, in ${((performance.now() - start) / 1000).toFixed(1)} s.`)
  await end(0)
} catch (error) {
  if (!ending) {
    tellFailure(error)
    console.log('\nThe demo failed.')
  }
  await end(1)
}
