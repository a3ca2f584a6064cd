/**
 * One side of the paired measurement (test/bench/paired.ts): the bundled functions of a checkout, in a process of its
 * own. Reports the processor time of a number of warm requests, each time it is asked.
 */
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The measured functions; each is bundled by itself, as deployed. */
const MEASURED = ['create-request', 'receive-didcomm', 'send-message', 'get-connection-by-id']

/** Other functions that the scene calls, directly or by the stream and the queues. */
const OTHERS = [
  ...['create-tenant', 'get-connections', 'create-offer', 'tenant-get-basic-messages', 'get-credential-by-id'],
  ...['tenant-proof-form-data', 'dispatch-changes', 'deliver', 'deliver-slowly', 'wake', 'run-jobs'],
]

/** `count` warm requests of an operation. */
export interface Asked {
  operation: string
  count: number
}

/** The messages to the process that started this one: first the names of operations, then ms of a request. */
export type Told = { operations: string[] } | { cpuMs: number }

const [folder = ''] = process.argv.slice(2)

/** A module of the checkout that is measured: both sides may differ in how they start, not in what these are. */
const from = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(resolve(folder), path)).href)

const { unpackFunctions } = await from<typeof import('./bundles.ts')>('test/support/bench/bundles.ts')
const { startBundledStage } = await from<typeof import('./bundled-stage.ts')>('test/support/bench/bundled-stage.ts')
const { playScene, startCapturingWallet } = await from<typeof import('./scene.ts')>('test/support/bench/scene.ts')
const { requestBody } = await from<typeof import('../scenes.ts')>('test/support/scenes.ts')
const { gatewayEvent } = await from<typeof import('./gateway-event.ts')>('test/support/bench/gateway-event.ts')
const { exportOf } = await from<typeof import('../source/operation-functions.ts')>(
  'test/support/source/operation-functions.ts',
)

/** A handler that also takes many events in one call: freezing and thawing between them would be measured as well. */
const takingMany = (module: string, handler: string): string => `
  import { ${handler} as handle } from ${JSON.stringify(module)}
  export const ${handler} = async (event, context) => {
    if (!('many' in event)) return handle(event, context)
    const before = process.cpuUsage()
    let status = 0
    for (const one of event.many) status = Math.max(status, (await handle(one, context)).statusCode)
    const { user, system } = process.cpuUsage(before)
    return { status, cpuMs: (user + system) / 1000 }
  }`

const unpacked = await unpackFunctions([...MEASURED, ...OTHERS], OTHERS)
for (const one of unpacked.functions.values()) {
  const wrapper = join(dirname(one.module), 'taking-many.mjs')
  await writeFile(wrapper, takingMany(one.module, exportOf(one.name)))
  one.module = wrapper
}
const stage = await startBundledStage(unpacked.functions)
const { wallet, capture } = await startCapturingWallet()
const { caller, connection, walletConnectionId } = await playScene(stage.call, wallet)
await stage.stopDeliveries()
await wallet.pause()

const path = { connectionId: connection.id }
const calls: Record<string, () => Promise<object> | object> = {
  'create-request': () => ({ caller, body: requestBody }),
  'send-message': () => ({ caller, path, body: { content: 'hello' } }),
  'receive-didcomm': async () => ({ path: caller, body: await capture(walletConnectionId) }),
  'get-connection-by-id': () => ({ caller, path }),
}

/** Ms of processor time of each request. */
const measure = async ({ operation, count }: Asked): Promise<number> => {
  const many: unknown[] = []
  for (let request = 0; request < count; request++) many.push(gatewayEvent(await calls[operation]?.()))
  const { status, cpuMs } = (await stage.invoke(operation, { many })) as { status: number; cpuMs: number }
  if (status >= 300) throw new Error(`${operation} answers ${status}`)
  return cpuMs / count
}

process.on('message', async (asked: Asked) => process.send?.({ cpuMs: await measure(asked) } satisfies Told))
process.once('disconnect', async () => {
  await wallet.stop()
  await stage.stop()
  await unpacked.remove()
  process.exit(0)
})
process.send?.({ operations: MEASURED } satisfies Told)
