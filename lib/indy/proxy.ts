/**
 * Reads objects of an Indy ledger through an indy-vdr-proxy, which verifies the ledger's proofs. Each reply is checked
 * to be the requested object. https://github.com/hyperledger/indy-vdr: indy-vdr-proxy/src/handlers.rs
 */
import type * as v from 'valibot'
import {
  type CredentialDefinitionId,
  definitionOf,
  parseIndyId,
  type RevocationRegistryId,
  type SchemaId,
  unqualifiedId,
} from './ids.ts'
import {
  contentOf,
  DefinitionContent,
  DeltaContent,
  LedgerReplyError,
  RegistryContent,
  readReply,
  SchemaContent,
  SchemaTransaction,
} from './replies.ts'

/** A GET or, with `body`, a POST. Returns the text of a response with status 200, and throws otherwise. */
export type Ask = (url: string, body?: string) => Promise<string>

export interface Ledger {
  namespace: string
  /** URL of its proxy, without a trailing slash. */
  address: string
  ask: Ask
}

/** The position of an object on the ledger. */
interface Placed {
  seqNo: number
  /** Seconds since the epoch. */
  txnTime: number | undefined
}

interface LedgerSchema extends Placed {
  id: SchemaId
  attributes: string[]
}

interface LedgerDefinition extends Placed {
  schema: SchemaId
  keys: v.InferOutput<typeof DefinitionContent>
}

export interface LedgerRegistry extends Placed {
  value: v.InferOutput<typeof RegistryContent>['value']
}

/** A registry's accumulator at a time. */
export interface LedgerAccumulator {
  accumulator: string
  /** Indexes that differ, or once differed, from the registry's initial state. */
  issued: number[]
  revoked: number[]
  /** Time from which it is valid, in epoch seconds. */
  timestamp: number
}

const urlOf = ({ address }: Ledger, ...path: string[]): string => [address, ...path.map(encodeURIComponent)].join('/')

/** DID of a reader without one: indy-vdr's default. */
const READER = 'LibindyDid111111111111'
const PROTOCOL_VERSION = 2

/** A schema by its id; undefined if there is none. Throws `LedgerReplyError`, and errors of `ask`. */
export const readSchema = async (ledger: Ledger, id: SchemaId): Promise<LedgerSchema | undefined> => {
  const text = await ledger.ask(urlOf(ledger, 'schema', unqualifiedId(id)))
  const reply = readReply(text, { type: '107', dest: id.did })
  if (reply === undefined) return undefined
  const { name, version, attr_names } = contentOf(SchemaContent, reply)
  if (name !== id.name || version !== id.version) throw new LedgerReplyError('the reply is another schema')
  return { id, attributes: attr_names, seqNo: reply.seqNo, txnTime: reply.txnTime }
}

/** The schema of a transaction: definitions name schemas by this number only. */
const readSchemaTransaction = async (ledger: Ledger, seqNo: number): Promise<SchemaId | undefined> => {
  const text = await ledger.ask(urlOf(ledger, 'txn', 'DOMAIN', String(seqNo)))
  const reply = readReply(text, { type: '3' })
  if (reply === undefined || reply.data === null) return undefined
  const { txn, txnMetadata } = contentOf(SchemaTransaction, reply)
  const { name, version } = txn.data.data
  const id = parseIndyId(`${txn.metadata.from}:2:${name}:${version}`)
  if (reply.seqNo !== seqNo || txnMetadata.seqNo !== seqNo || id?.kind !== 'schema')
    throw new LedgerReplyError('the reply is another transaction')
  return id
}

/** A credential definition by its id. */
export const readDefinition = async (
  ledger: Ledger,
  id: CredentialDefinitionId,
): Promise<LedgerDefinition | undefined> => {
  const text = await ledger.ask(urlOf(ledger, 'cred_def', unqualifiedId(id)))
  const query = { type: '108', origin: id.did, ref: id.schemaSeqNo, signature_type: 'CL', tag: id.tag }
  const reply = readReply(text, query)
  if (reply === undefined) return undefined
  const keys = contentOf(DefinitionContent, reply)
  const schema = await readSchemaTransaction(ledger, id.schemaSeqNo)
  if (schema === undefined) throw new LedgerReplyError('the ledger does not have the schema of the definition')
  return { schema, keys, seqNo: reply.seqNo, txnTime: reply.txnTime }
}

/** The definition of a revocation registry by its id. */
export const readRegistry = async (ledger: Ledger, id: RevocationRegistryId): Promise<LedgerRegistry | undefined> => {
  const registry = unqualifiedId(id)
  const reply = readReply(await ledger.ask(urlOf(ledger, 'rev_reg_def', registry)), { type: '115', id: registry })
  if (reply === undefined) return undefined
  const { id: found, credDefId, value } = contentOf(RegistryContent, reply)
  if (found !== registry || credDefId !== unqualifiedId(definitionOf(id)))
    throw new LedgerReplyError('the reply is another revocation registry')
  return { value, seqNo: reply.seqNo, txnTime: reply.txnTime }
}

/** Unique also for requests of the same millisecond. */
const requestId = (): number => Date.now() * 1000 + Math.floor(Math.random() * 1000)

/**
 * A registry's accumulator at `time` (epoch seconds); undefined before the first one. It needs a POST, because the GET
 * route of deltas only knows the present.
 */
export const readAccumulator = async (
  ledger: Ledger,
  id: RevocationRegistryId,
  time: number,
): Promise<LedgerAccumulator | undefined> => {
  const registry = unqualifiedId(id)
  const operation = { type: '117', revocRegDefId: registry, to: time }
  const request = { operation, identifier: READER, reqId: requestId(), protocolVersion: PROTOCOL_VERSION }
  const reply = readReply(await ledger.ask(urlOf(ledger, 'submit'), JSON.stringify(request)), operation)
  if (reply === undefined || reply.data === null) return undefined
  const { revocRegDefId, value } = contentOf(DeltaContent, reply)
  const { accum_to, issued, revoked } = value
  if (revocRegDefId !== registry || accum_to.revocRegDefId !== registry)
    throw new LedgerReplyError('the reply is about another revocation registry')
  if (accum_to.txnTime !== reply.txnTime || accum_to.txnTime > time)
    throw new LedgerReplyError('the reply is about another time')
  return { accumulator: accum_to.value.accum, issued, revoked, timestamp: accum_to.txnTime }
}
