/** What many tenants cost: each has a connection and sends ten messages, to functions that stay warm throughout. */
import { NODE_OPTIONS, startBundledStage } from '../support/bench/bundled-stage.ts'
import { unpackFunctions } from '../support/bench/bundles.ts'
import type { GatewayCall } from '../support/bench/gateway-event.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { peerDidOf } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { Wallet } from '../wallet/wallet.ts'

const TENANTS = 1_000
const MESSAGES = 10

/** Tenants until V8 has compiled what is called; they are not counted. */
const WARM_UP = 150
/** First requests that are compared: of as many tenants at either end. */
const SAMPLE = 100

const TARGET_MB = 20
const TARGET_RATIO = 1.2

const MB = 1024 * 1024
const FUNCTIONS = ['create-invitation', 'receive-didcomm', 'send-message', 'get-connections']

/** Where the wallets say that they are reached; nothing is delivered. */
const NOWHERE = 'http://127.0.0.1:9'

interface Memory {
  used: number
  rss: number
}

export const measureTenants = async (): Promise<void> => {
  const unpacked = await unpackFunctions(['create-tenant', ...FUNCTIONS])
  const stage = await startBundledStage(unpacked.functions, { NODE_OPTIONS: `${NODE_OPTIONS} --expose-gc` })
  await stage.stopDeliveries()
  const wallet = await Wallet.start({ endpoint: false })
  try {
    const handshake = new RawHandshake(wallet, new RawMessages(wallet))

    const ask = async (name: string, call: GatewayCall): Promise<Json> => {
      const { status, body } = await stage.call(name, call)
      if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
      return body
    }

    /** Processor time of the first request to each function, in ms. */
    const playTenant = async (): Promise<Record<string, number>> => {
      const first: Record<string, number> = {}
      const timed = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
        const before = stage.cpuMs(name)
        const result = await act()
        first[name] ??= stage.cpuMs(name) - before
        return result
      }
      const { id: tenantId } = await ask('create-tenant', { body: { config: { label: 'Acme' } } })
      const caller = { tenantId }
      const invited = await timed('create-invitation', () => ask('create-invitation', { caller, body: {} }))
      const senderKey = await handshake.newKey()
      const did = peerDidOf([senderKey], NOWHERE)
      const { message } = await timed('receive-didcomm', () =>
        handshake.request(invited.invitation, { did, senderKey }),
      )
      await handshake.complete(message, senderKey)
      const query = { outOfBandId: invited.outOfBandRecord.id }
      const [connection] = await timed('get-connections', () =>
        ask('get-connections', { method: 'GET', caller, query }),
      )
      const call = { caller, path: { connectionId: connection.id }, body: { content: 'hello' } }
      for (let sent = 0; sent < MESSAGES; sent++) await timed('send-message', () => ask('send-message', call))
      return first
    }

    const memories = async (): Promise<Memory[]> =>
      Promise.all(FUNCTIONS.map(async (name) => (await stage.invoke(name, 'memory')) as Memory))

    for (let tenant = 0; tenant < WARM_UP; tenant++) await playTenant()
    const before = await memories()
    const firsts: Record<string, number>[] = []
    for (let tenant = 0; tenant < TENANTS; tenant++) firsts.push(await playTenant())
    const after = await memories()
    report(firsts, before, after)
  } finally {
    await wallet.stop()
    await stage.stop()
    await unpacked.remove()
  }
}

const report = (firsts: Record<string, number>[], before: Memory[], after: Memory[]): void => {
  const grown = (index: number, of: keyof Memory) =>
    rounded(((after[index]?.[of] ?? Number.NaN) - (before[index]?.[of] ?? Number.NaN)) / MB)
  const costOf = (name: string, some: Record<string, number>[]) =>
    median(some.map((first) => first[name] ?? Number.NaN))
  const rows = FUNCTIONS.map((name, index): Cell[] => {
    const [early, late] = [costOf(name, firsts.slice(0, SAMPLE)), costOf(name, firsts.slice(-SAMPLE))]
    return [
      name,
      grown(index, 'used'),
      grown(index, 'rss'),
      rounded(early, 2),
      rounded(late, 2),
      rounded(late / early, 2),
    ]
  })
  const met = rows.every(([, used, , , , ratio]) => Number(used) < TARGET_MB && Number(ratio) <= TARGET_RATIO)
  printTable(
    `${TENANTS} tenants with a connection and ${MESSAGES} messages each, after ${WARM_UP} that warm the functions up`,
    ['function', 'memory in use, MB more', 'RSS, MB more', 'first request, CPU ms', `of the last ${SAMPLE}`, 'ratio'],
    rows,
    [
      `CPU ms are medians of the first requests of ${SAMPLE} tenants. The embedded table's own time is left out: it goes through the tokens of the last ten minutes for each transaction.`,
      `Target: less than ${TARGET_MB} MB in use more, and a ratio of at most ${TARGET_RATIO}: ${met ? 'met' : 'missed'}.`,
    ],
  )
}
