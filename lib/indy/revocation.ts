/**
 * Revocation on Indy ledgers: converts a ledger's indexes to a status list of AnonCreds, and lists to a ledger's entry.
 * Pure.
 */
import * as v from 'valibot'
import type { LedgerAccumulator, LedgerRegistry } from './proxy.ts'
import { LedgerReplyError } from './replies.ts'

const ACTIVE = 0
const REVOKED = 1

/**
 * The status of each index: revoked (1) or not (0). Registries of indy-sdk also use the index `maxCredNum`: then the
 * list is one longer. Throws `LedgerReplyError` if the indexes can't belong to this registry.
 */
export const statusList = (
  { issuanceType, maxCredNum }: Pick<LedgerRegistry['value'], 'issuanceType' | 'maxCredNum'>,
  { issued, revoked }: Pick<LedgerAccumulator, 'issued' | 'revoked'>,
): number[] => {
  const isRevoked = new Set(revoked)
  if ([...issued, ...revoked].some((index) => index > maxCredNum))
    throw new LedgerReplyError('the reply has an index that the registry does not have')
  if (issued.some((index) => isRevoked.has(index)))
    throw new LedgerReplyError('the reply has an index that is issued and revoked')
  const list = Array.from({ length: maxCredNum }, () => (issuanceType === 'ISSUANCE_BY_DEFAULT' ? ACTIVE : REVOKED))
  for (const index of issued) list[index] = ACTIVE
  for (const index of revoked) list[index] = REVOKED
  return list
}

/** An entry: the new accumulator, and the indexes that have changed since the previous one. */
export const EntryValue = v.object({
  accum: v.string(),
  prevAccum: v.exactOptional(v.string()),
  issued: v.exactOptional(v.array(v.number())),
  revoked: v.exactOptional(v.array(v.number())),
})
export type EntryValue = v.InferOutput<typeof EntryValue>

interface Status {
  accumulator: string
  list: number[]
}

const indexesOf = (list: number[], status: number, before: number[]): number[] =>
  [...list.entries()].filter(([index, now]) => now === status && before[index] !== status).map(([index]) => index)

/**
 * The entry that changes a registry with issuance by default from one status to the next. The first entry has no
 * previous one.
 */
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
