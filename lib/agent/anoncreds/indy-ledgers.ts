/** The Indy ledgers that this deployment reads (INDY_PROXIES), within the budget of the running unit of work. */
import type { IndyDid } from '../../indy/ids.ts'
import type { Ask, Ledger } from '../../indy/proxy.ts'
import { settings } from '../../settings.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readText } from '../web-documents.ts'

const ANSWERS = Symbol('answers of Indy proxies')

/** A proxy's own address is where it is: what redirects is none. */
const OPTIONS = { accept: 'application/json', maxRedirects: 0 }

/** What was got is not got again by the same unit: Credo reads a definition for each of its uses. What was posted depends on the time. */
const ask: Ask = (url, body) => {
  if (body !== undefined) return readText(url, { ...OPTIONS, body })
  const answers = currentUnit().slot(ANSWERS, () => new Map<string, Promise<string>>())
  const answer = answers.get(url) ?? readText(url, OPTIONS)
  answers.set(url, answer)
  return answer
}

const allLedgers = (): Ledger[] =>
  Object.entries(settings().INDY_PROXIES).map(([namespace, address]) => ({ namespace, address, ask }))

/** The ledger that a qualified id names; those that an unqualified one may be of, in the order of the setting. */
export const ledgersOf = ({ namespace }: IndyDid): Ledger[] =>
  allLedgers().filter((ledger) => namespace === undefined || ledger.namespace === namespace)

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
  for (const ledger of ledgersOf(of)) {
    const object = await read(ledger)
    if (object !== undefined) return { ledger, object }
  }
  return undefined
}
