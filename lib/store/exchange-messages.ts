/** Reads an exchange with its messages, in two requests. */
import { AgentError } from '../errors.ts'
import { didCommMessageRecords } from '../records/kinds.ts'
import { tagPartition } from './index-entries.ts'
import { recordAddress, recordOfEntry } from './keys.ts'
import type { ReadRecord } from './record-reads.ts'
import { fromRecordItem } from './stored-record.ts'
import { addressOf, getItems, queryAll } from './table.ts'

interface ReadExchange {
  record: ReadRecord
  messages: ReadRecord[]
}

/** The message that an exchange in a state must have. */
const HAS: Record<'ProofRecord' | 'CredentialRecord', Record<string, string>> = {
  ProofRecord: {
    'proposal-sent': 'propose-presentation',
    'proposal-received': 'propose-presentation',
    'request-sent': 'request-presentation',
    'request-received': 'request-presentation',
    'presentation-sent': 'presentation',
    'presentation-received': 'presentation',
    done: 'presentation',
  },
  CredentialRecord: {
    'proposal-sent': 'propose-credential',
    'proposal-received': 'propose-credential',
    'offer-sent': 'offer-credential',
    'offer-received': 'offer-credential',
    'request-sent': 'request-credential',
    'request-received': 'request-credential',
    'credential-issued': 'issue-credential',
    'credential-received': 'issue-credential',
    done: 'issue-credential',
  },
}

/**
 * A tenant's exchange with its messages. The index of messages is read before the record, so a message that was written
 * in between with the record's new state may be missing. Then both are read again. Throws `resource.not_found`.
 */
export const readExchange = async (tenant: string, type: keyof typeof HAS, id: string): Promise<ReadExchange> => {
  const first = await readOnce(tenant, type, id)
  return isWhole(type, first) ? first : readOnce(tenant, type, id)
}

const isWhole = (type: keyof typeof HAS, { record, messages }: ReadExchange): boolean => {
  const name = HAS[type][String(record.value.state)]
  return name === undefined || messages.some(({ tags }) => tags.messageName === name)
}

const readOnce = async (tenant: string, type: string, id: string): Promise<ReadExchange> => {
  const entries = await queryAll(tagPartition(tenant, didCommMessageRecords, 'associatedRecordId', id))
  const address = recordAddress(tenant, type, id)
  const items = await getItems([address, ...entries.map((entry) => recordOfEntry(addressOf(entry)))])
  const [record] = items.filter((item) => addressOf(item).pk === address.pk)
  if (record === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  const messages = items.filter((item) => item !== record).map(fromRecordItem)
  return { record: fromRecordItem(record), messages }
}
