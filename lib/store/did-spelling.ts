/** Finds the form of a DID in connection records: a did:peer:4 has two, and other agents show the short one. */
import { didRecords } from '../records/kinds.ts'
import { tagPartition } from './index-entries.ts'
import { listRecords } from './record-reads.ts'

/** The hash without the document (Peer DID Method Specification, "Short Form"). */
const SHORT_FORM = /^did:peer:4[^:]+$/

/**
 * A DID has several records where it began several handshakes. Those that have expired may still be there, and come
 * first.
 */
const MAX_RECORDS = 100

/** The form in which an agent knows a DID, its own or another's; unchanged if the agent does not know it. */
export const knownSpelling = async <D extends string | undefined>(tenant: string, did: D): Promise<string | D> => {
  if (did === undefined || !SHORT_FORM.test(did)) return did
  const { entries } = await listRecords(tagPartition(tenant, didRecords, 'alternativeDids', did), {
    limit: MAX_RECORDS,
    order: 'asc',
  })
  const [known] = entries
  return typeof known?.value.did === 'string' ? known.value.did : did
}
