/** Which facts the change of a record is: a state that it has come to, or a message that has come in. */
import { toBasicMessageJson } from '../records/basic-message.ts'
import { toConnectionJson } from '../records/connection.ts'
import { toCredentialExchangeJson } from '../records/credential-exchange.ts'
import { toProofJson } from '../records/proof.ts'
import type { RecordJson } from '../records/record-json.ts'
import type { EventType } from '../records/webhook-event.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { endOf } from './ended-exchanges.ts'
import { type Change, type Fact, timeOf } from './fact.ts'

type Show = (stored: StoredRecord) => RecordJson

/** Record types whose every transition is an event, and how the API shows them. */
const STATES: Record<string, { type: EventType; show: Show }> = {
  ConnectionRecord: { type: 'connection.state_changed', show: toConnectionJson },
  CredentialRecord: { type: 'credential.state_changed', show: toCredentialExchangeJson },
  ProofRecord: { type: 'proof.state_changed', show: toProofJson },
}

const factOf = (type: EventType, show: Show, change: Change): Fact => {
  const stored = fromRecordItem(change.after)
  const record = show(stored)
  return {
    type,
    of: { tenant: stored.tenant },
    recordId: stored.id,
    sequence: stored.version,
    occurredAt: timeOf([record.updatedAt, record.createdAt], change),
    record,
  }
}

/** The first state is a transition too; a change that leaves the state as it was is none. */
const transition = (type: EventType, show: Show, change: Change): Fact[] => {
  const fact = factOf(type, show, change)
  const previousState = change.before === undefined ? undefined : show(fromRecordItem(change.before)).state
  if (typeof fact.record.state !== 'string' || fact.record.state === previousState) return []
  const ended = endOf(fromRecordItem(change.after))
  return [
    { ...fact, ...(typeof previousState === 'string' && { previousState }), ...(ended !== undefined && { ended }) },
  ]
}

/**
 * A message that was sent is told of by its outbox item (message-facts.ts), whose changes are in one order with those of
 * its delivery; two items of a transaction are not.
 */
const received = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const fact = factOf('basic_message.received', toBasicMessageJson, change)
  return fact.record.role === 'receiver' ? [fact] : []
}

/** Throws where the image is no record's. */
export const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  if (recordType === 'BasicMessageRecord') return received(change)
  const states = STATES[recordType]
  return states === undefined ? [] : transition(states.type, states.show, change)
}
