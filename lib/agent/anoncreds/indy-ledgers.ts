/** The Indy ledgers that this deployment reads (INDY_PROXIES), within the budget of the running unit of work. */

import { AgentError } from '../../errors.ts'
import type { IndyDid } from '../../indy/ids.ts'
import type { Ask, Ledger } from '../../indy/proxy.ts'
import { settings } from '../../settings.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readText } from '../web-documents.ts'

const ANSWERS = Symbol('answers of Indy proxies')

/** A proxy's own address is where it is: what redirects is none. */
const OPTIONS = { accept: 'application/json', maxRedirects: 0 }

/** Where a proxy is, and what it answers, is the operator's to know: tenants read the messages of errors. */
const ask: Ask = async (url, body) => {
  try {
    return await readText(url, body === undefined ? OPTIONS : { ...OPTIONS, body })
  } catch (cause) {
    throw new AgentError('registry.unavailable', 'the proxy of the ledger does not answer', { cause })
  }
}

/** What was got is not got again by the same unit: Credo reads a definition for each of its uses. What was posted depends on the time. */
const askOnce: Ask = (url, body) => {
  if (body !== undefined) return ask(url, body)
  const answers = currentUnit().slot(ANSWERS, () => new Map<string, Promise<string>>())
  const answer = answers.get(url) ?? ask(url)
  answers.set(url, answer)
  return answer
}

const namedIn = ({ namespace: named }: IndyDid, how: Ask): Ledger[] =>
  Object.entries(settings().INDY_PROXIES)
    .filter(([namespace]) => named === undefined || namespace === named)
    .map(([namespace, address]) => ({ namespace, address, ask: how }))

/**
 * The ledger that a qualified id names; those that an unqualified one may be of, in the order of the setting. They are asked anew each
 * time: somebody may write to them.
 */
export const ledgersOf = (of: IndyDid): Ledger[] => namedIn(of, ask)

/** An object, and the ledger that has it. */
export interface Found<T> {
  ledger: Ledger
  object: T
}

/**
 * The object on the first ledger that has it. A proxy that does not answer is no reason to ask the next one: what another ledger has
 * under the same id may be another object. Throws what the read does.
 */
export const findOnLedger = async <T>(
  of: IndyDid,
  read: (ledger: Ledger) => Promise<T | undefined>,
): Promise<Found<T> | undefined> => {
  for (const ledger of namedIn(of, askOnce)) {
    const object = await read(ledger)
    if (object !== undefined) return { ledger, object }
  }
  return undefined
}
