/** Reads an exchange with its messages, in two requests. */
import { didCommMessageRecords } from '../records/kinds.ts'
import { tagPartition } from '../store/index-entries.ts'
import { type ReadRecord, requireRecord } from '../store/record-reads.ts'
import { toStoredRecord } from '../store/stored-record.ts'
import { queryAll } from '../store/table.ts'

interface ReadExchange {
  record: ReadRecord
  messages: ReadRecord[]
}

/**
 * A tenant's exchange with its messages. They are read after the record, so they are at least as new: an exchange in
 * state `done` has its last message. Throws `resource.not_found`.
 */
export const readExchange = async (
  tenant: string,
  type: 'ProofRecord' | 'CredentialRecord',
  id: string,
): Promise<ReadExchange> => {
  const record = await requireRecord(tenant, type, id)
  const messages = await queryAll(tagPartition(tenant, didCommMessageRecords, 'associatedRecordId', id))
  return { record, messages: messages.map(toStoredRecord) }
}
