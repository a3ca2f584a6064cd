/**
 * Parses the ledger's replies that an indy-vdr-proxy returns: the fields that are used.
 * https://github.com/hyperledger/indy-node/blob/main/docs/source/requests.md#read-requests
 */
import * as v from 'valibot'
import { findViolation, parseJson, UNSAFE_NAMES } from '../json.ts'
import {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
} from '../records/anoncreds-objects.ts'

/**
 * The text is not a reply, or a reply to another request, so it says nothing of the object. The message quotes
 * nothing of it.
 */
export class LedgerReplyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LedgerReplyError'
  }
}

/** No ledger has the object. */
export class NotOnLedgerError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotOnLedgerError'
  }
}

const Text = v.pipe(v.string(), v.maxLength(1024))
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const { currentAccumulator: Accumulator } = AnonCredsRevocationStatusList.entries

const { name: Name, version: Version, attrNames: AttributeNames } = AnonCredsSchema.entries

export const SchemaContent = v.object({ name: Name, version: Version, attr_names: AttributeNames })

/** The public keys of a credential definition. */
export const DefinitionContent = AnonCredsCredentialDefinition.entries.value

export const RegistryContent = v.object({
  id: Text,
  credDefId: Text,
  revocDefType: v.literal('CL_ACCUM'),
  tag: Text,
  value: v.object({
    issuanceType: v.picklist(['ISSUANCE_BY_DEFAULT', 'ISSUANCE_ON_DEMAND']),
    ...AnonCredsRevocationRegistryDefinition.entries.value.entries,
  }),
})

const Indexes = v.optional(v.array(Count), [])

export const DeltaContent = v.object({
  revocRegDefId: Text,
  revocDefType: v.literal('CL_ACCUM'),
  value: v.object({
    accum_to: v.object({ revocRegDefId: Text, txnTime: Count, value: v.object({ accum: Accumulator }) }),
    issued: Indexes,
    revoked: Indexes,
  }),
})

export const SchemaTransaction = v.object({
  txn: v.object({
    type: v.literal('101'),
    data: v.object({ data: SchemaContent }),
    metadata: v.object({ from: Text }),
  }),
  txnMetadata: v.object({ seqNo: Count }),
})

/** A reply repeats its request. It has no number if the object is not on the ledger. */
const Reply = v.object({
  result: v.looseObject({
    type: v.string(),
    seqNo: v.nullish(Count),
    txnTime: v.nullish(Count),
    data: v.unknown(),
  }),
})

interface LedgerReply {
  seqNo: number
  /** Seconds since the epoch; absent in a reply to GET_TXN. */
  txnTime: number | undefined
  data: unknown
}

/** State proofs have the deepest nesting. */
const MAX_DEPTH = 12

/**
 * The ledger's reply to a request with these fields; undefined if the ledger has no such object. Throws
 * `LedgerReplyError`.
 */
export const readReply = (text: string, query: Record<string, unknown>): LedgerReply | undefined => {
  const reply = parseJson(text)
  const { output, success } = v.safeParse(Reply, reply)
  if (!success || findViolation(reply, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES }) !== undefined)
    throw new LedgerReplyError('the text is not a ledger reply')
  const { seqNo, txnTime, data } = output.result
  if (Object.entries(query).some(([name, value]) => output.result[name] !== value))
    throw new LedgerReplyError('the reply is to another request')
  return typeof seqNo === 'number' ? { seqNo, txnTime: txnTime ?? undefined, data } : undefined
}

/** The object in a reply. Throws `LedgerReplyError`. */
export const contentOf = <T>(schema: v.GenericSchema<unknown, T>, { data }: LedgerReply): T => {
  const { output, success } = v.safeParse(schema, data)
  if (!success) throw new LedgerReplyError('the object in the reply is malformed')
  return output
}
