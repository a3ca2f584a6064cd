/** `npm run wallet -- "<invitationUrl>"`: a wallet of DIDComm at the terminal. */
import { createInterface } from 'node:readline'
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../../infra/anoncreds/library-file.ts'
import { npmEnded } from '../../infra/local/npm-ended.ts'
import { narrate } from './narration.ts'
import { patient } from './post.ts'
import { oneLine, tell } from './terminal.ts'
import { Wallet } from './wallet.ts'

const [invitationUrl] = process.argv.slice(2)
if (!invitationUrl) {
  console.error('usage: npm run wallet -- "<invitationUrl>", or "<openid4vp://… link>", or --sample, or --revoke')
  process.exit(1)
}

const libraryFolder = folderOnThisMachine()
if (libraryFolder !== undefined) process.env.LIB_ANONCREDS_PATH = libraryFolder
const wallet = await Wallet.start({ network: patient })

let ending: Promise<never> | undefined
/** Stops the wallet and the process; the first call determines the exit code. */
const end = (status: number): Promise<never> => {
  ending ??= wallet.stop().then(() => process.exit(status))
  return ending
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(0))
if (process.env.npm_lifecycle_event === 'wallet') void npmEnded().then(() => end(0))

narrate(wallet, tell)
const { id, theirLabel } = await wallet.connect(invitationUrl).catch((error: unknown) => {
  if (!ending) console.error(`The wallet could not connect: ${oneLine(error)}`)
  return end(1)
})
tell(`connected to "${theirLabel ?? 'an agent without a name'}" as ${wallet.did}`)
wallet.journal.onError = ({ what, error }) => console.error(`${what}: ${oneLine(error)}`)
if (libraryFolder === undefined) console.log(WITHOUT_LIBRARY)
console.log('Type a message to send it, or another invitation URL to scan it, and press Enter; Ctrl-C ends.')

/** An address of HTTP with an out-of-band invitation in it (Aries RFC 0434). */
const isInvitation = (line: string): boolean => /^https?:\/\/\S+[?&]oob=\S+$/.test(line)

const take = async (line: string): Promise<unknown> =>
  isInvitation(line) ? wallet.receive(line) : wallet.sendMessage(id, line)

// Not in terminal mode: Ctrl-C must reach the process.
for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  if (line.trim() === '') continue
  await take(line.trim()).catch((error: unknown) => wallet.journal.failed('not sent', error))
}
// Ctrl-D. Where the input was a pipe, the wallet goes on listening until it gets a signal.
if (process.stdin.isTTY) await end(0)
