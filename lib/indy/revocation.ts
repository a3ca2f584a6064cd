/** Who is revoked in an Indy registry: the list of AnonCreds out of a ledger's indexes, and a ledger's entry out of such lists. Pure. */
import { LedgerAnswerError } from './answers.ts'
import type { LedgerAccumulator, LedgerRegistry } from './proxy.ts'

const ACTIVE = 0
const REVOKED = 1

/**
 * For each index whether it is revoked (1) or not (0), as AnonCreds has it. Registries of indy-sdk use the index `maxCredNum` too: then
 * the list is one longer. Throws `LedgerAnswerError` where the indexes can't be of this registry.
 */
export const statusList = (
  { issuanceType, maxCredNum }: Pick<LedgerRegistry['value'], 'issuanceType' | 'maxCredNum'>,
  { issued, revoked }: Pick<LedgerAccumulator, 'issued' | 'revoked'>,
): number[] => {
  const isRevoked = new Set(revoked)
  if ([...issued, ...revoked].some((index) => index > maxCredNum))
    throw new LedgerAnswerError('the answer has an index that the registry has not')
  if (issued.some((index) => isRevoked.has(index)))
    throw new LedgerAnswerError('the answer has an index that is issued and revoked')
  const length = isRevoked.has(maxCredNum) || issued.includes(maxCredNum) ? maxCredNum + 1 : maxCredNum
  const list = Array.from({ length }, () => (issuanceType === 'ISSUANCE_BY_DEFAULT' ? ACTIVE : REVOKED))
  for (const index of issued) list[index] = ACTIVE
  for (const index of revoked) list[index] = REVOKED
  return list
}

/** What an entry says: the new accumulator, and the indexes that have changed since the previous one. */
export interface EntryValue {
  accum: string
  prevAccum?: string
  issued?: number[]
  revoked?: number[]
}

interface Status {
  accumulator: string
  list: number[]
}

const indexesOf = (list: number[], status: number, before: number[]): number[] =>
  [...list.entries()].filter(([index, now]) => now === status && before[index] !== status).map(([index]) => index)

/** The entry that leads a registry with issuance by default from one status to the next; the first one has none before it. */
export const entryValue = (next: Status, before: Status | undefined): EntryValue => {
  const list = before?.list ?? next.list.map(() => ACTIVE)
  const issued = indexesOf(next.list, ACTIVE, list)
  const revoked = indexesOf(next.list, REVOKED, list)
  return {
    accum: next.accumulator,
    ...(before === undefined ? {} : { prevAccum: before.accumulator }),
    ...(issued.length === 0 ? {} : { issued }),
    ...(revoked.length === 0 ? {} : { revoked }),
  }
}
