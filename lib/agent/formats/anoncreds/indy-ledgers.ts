/** The Indy ledgers that this deployment reads (INDY_PROXIES), within the budget of the running unit of work. */

import { AgentError } from '../../../errors.ts'
import type { IndyDid } from '../../../indy/ids.ts'
import type { Ask, Ledger } from '../../../indy/proxy.ts'
import { LedgerReplyError, NotOnLedgerError } from '../../../indy/replies.ts'
import { log } from '../../../log.ts'
import { settings } from '../../../settings.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { readText } from '../../web/index.ts'

/** Logs a reply of a proxy that is malformed or belongs to another request: only the proxy's operator can fix that. */
export const logUnreadable = (error: unknown): void => {
  if (error instanceof LedgerReplyError)
    log('warn', 'invalid reply of a ledger proxy', { event: 'ledger.unreadable', reason: error.message })
}

const REPLIES = Symbol('replies of Indy proxies')

/** Proxies must not redirect. */
const OPTIONS = { accept: 'application/json', maxRedirects: 0, isHostHidden: true }

/** Hides the proxy's address and response from errors, which tenants read. */
const ask: Ask = async (url, body) => {
  try {
    return await readText(url, body === undefined ? OPTIONS : { ...OPTIONS, body })
  } catch (cause) {
    throw new AgentError('registry.unavailable', 'the proxy of the ledger does not respond', { cause })
  }
}

/**
 * Caches GET responses for the unit of work, because Credo reads a definition each time that it uses it. POST responses
 * depend on the time.
 */
const askOnce: Ask = (url, body) => {
  if (body !== undefined) return ask(url, body)
  const replies = currentUnit().moduleState(REPLIES, () => new Map<string, Promise<string>>())
  const reply = replies.get(url) ?? ask(url)
  replies.set(url, reply)
  return reply
}

const ledgersNamed = ({ namespace: named }: IndyDid, askProxy: Ask): Ledger[] =>
  Object.entries(settings().INDY_PROXIES)
    .filter(([namespace]) => named === undefined || namespace === named)
    .map(([namespace, address]) => ({ namespace, address, ask: askProxy }))

/**
 * The ledgers that may hold an object: the one that a qualified id names, or all of the setting, in its order, for an
 * unqualified id. Their reads are not cached, because ledgers change.
 */
export const ledgersOf = (of: IndyDid): Ledger[] => ledgersNamed(of, ask)

/**
 * The object on the first ledger that has it. If a proxy does not respond, the next one is not read: its ledger may
 * have another object with the same id. Throws the errors of reading, and a NotOnLedgerError. /
 */
export const findOnLedger = async <T>(of: IndyDid, read: (ledger: Ledger) => Promise<T | undefined>) => {
  for (const ledger of ledgersNamed(of, askOnce)) {
    const object = await read(ledger)
    if (object !== undefined) return { ledger, object }
  }
  throw new NotOnLedgerError('the object is on none of the configured ledgers')
}
