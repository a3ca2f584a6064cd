/**
 * Prepares the objects that must be written to an Indy ledger for an issuer. Only the ledger's operator writes, so an
 * object has the state `action`, with its transaction, until the ledger has exactly this object.
 */
import type {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
} from '@credo-ts/anoncreds'
import { CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import { AgentError } from '../../../errors.ts'
import { type IndyDid, idLike, parseIndyDid, parseIndyId, type RevocationRegistryId } from '../../../indy/ids.ts'
import { type Ledger, readAccumulator, readRegistry, readSchema } from '../../../indy/proxy.ts'
import { entryValue, statusList } from '../../../indy/revocation.ts'
import {
  definitionTransaction,
  entryTransaction,
  type LedgerState,
  type LedgerTransaction,
  ledgerState,
  registryTransaction,
  schemaTransaction,
} from '../../../indy/transactions.ts'
import * as objects from '../../../records/anoncreds-objects.ts'
import { epochSeconds } from '../../../store/table.ts'
import { ledgersOf } from './indy-ledgers.ts'

/**
 * The ledger would reject the object, or no proxy of the ledger is configured. An unavailable proxy is another error.
 */
class NotWritableError extends CredoError {}

interface Prepared {
  id: string
  state: { state: 'action'; action: 'writeToLedger' } | { state: 'finished' }
  /** Time of the write in epoch seconds; 0 if it has not happened. */
  timestamp: number
  registrationMetadata: { didIndyNamespace: string; transaction: LedgerTransaction }
}

/** Whether the ledger has exactly the object of a transaction. Throws if the ledger could not be read. */
export const onLedger = async (transaction: LedgerTransaction): Promise<LedgerState> => {
  const [ledger] = ledgersOf({ namespace: transaction.namespace, did: transaction.request.identifier })
  if (ledger === undefined) throw new NotWritableError(`INDY_PROXIES has no proxy of ${transaction.namespace}`)
  return ledgerState(ledger, transaction, epochSeconds())
}

const indyDidOf = (issuerId: string): IndyDid => {
  const did = parseIndyDid(issuerId)
  if (did === undefined) throw new NotWritableError('the issuer is not a DID of an Indy ledger')
  return did
}

/** The ledger to write to. The id must name it. */
const ledgerOf = (of: IndyDid): Ledger => {
  const [ledger, ...others] = ledgersOf(of)
  if (ledger === undefined) throw new NotWritableError('INDY_PROXIES has no proxy of this ledger')
  if (others.length > 0) throw new NotWritableError('the issuer must name its ledger, as did:indy:<namespace>:<did>')
  return ledger
}

/** The id in the same form as the issuer's: qualified or not. */
const writtenId = (id: Parameters<typeof idLike>[0], like: IndyDid): string => {
  const written = idLike(id, like)
  if (written === undefined || parseIndyId(written) === undefined)
    throw new NotWritableError('a name, version or tag is not supported by Indy ledgers')
  return written
}

const checked = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> => {
  const { output, success, issues } = v.safeParse(schema, value)
  if (!success) throw new NotWritableError(`${v.getDotPath(issues[0]) ?? 'it'} is not valid in AnonCreds`)
  return output
}

const prepared = async (id: string, transaction: LedgerTransaction): Promise<Prepared> => {
  const written = await onLedger(transaction)
  if (written.state === 'other') throw new NotWritableError('the ledger already has a different object')
  return {
    id,
    state: written.state === 'same' ? { state: 'finished' } : { state: 'action', action: 'writeToLedger' },
    timestamp: (written.state === 'same' ? written.timestamp : undefined) ?? 0,
    registrationMetadata: { didIndyNamespace: transaction.namespace, transaction },
  }
}

/**
 * The state of an object after its preparation, with the members that `ofWritten` derives from its id and the time of
 * its entry (epoch seconds). Throws `registry.unavailable` if the ledger could not be read.
 */
export const stateAfter = async <Content extends object, Written extends object>(
  preparation: Promise<Prepared>,
  content: Content,
  ofWritten: (id: string, timestamp: number) => Written,
) => {
  try {
    const { id, state, timestamp, registrationMetadata } = await preparation
    return { registrationMetadata, state: { ...state, ...content, ...ofWritten(id, timestamp) } }
  } catch (error) {
    if (error instanceof NotWritableError)
      return { registrationMetadata: {}, state: { state: 'failed' as const, reason: error.message, ...content } }
    throw new AgentError('registry.unavailable', 'the proxy of the ledger sent an invalid reply', { cause: error })
  }
}

export const prepareSchema = async (schema: AnonCredsSchema): Promise<Prepared> => {
  const { issuerId, name, version, attrNames } = checked(objects.AnonCredsSchema, schema)
  const of = indyDidOf(issuerId)
  const id = { kind: 'schema' as const, ...of, name, version }
  const { namespace } = ledgerOf(of)
  return prepared(writtenId(id, of), schemaTransaction(namespace, id, attrNames))
}

/**
 * Prepares a definition. Its id contains the number of the schema's transaction, so the schema must be on the ledger.
 */
export const prepareDefinition = async (definition: AnonCredsCredentialDefinition): Promise<Prepared> => {
  const { issuerId, schemaId, tag, value } = checked(objects.AnonCredsCredentialDefinition, definition)
  const of = indyDidOf(issuerId)
  const ledger = ledgerOf(of)
  const schema = parseIndyId(schemaId)
  if (schema?.kind !== 'schema' || (schema.namespace ?? ledger.namespace) !== ledger.namespace)
    throw new NotWritableError("the schema is not on the issuer's ledger")
  const onItsLedger = await readSchema(ledger, schema)
  if (onItsLedger === undefined) throw new NotWritableError('the schema is not on the ledger yet')
  const id = { kind: 'credentialDefinition' as const, ...of, schemaSeqNo: onItsLedger.seqNo, tag }
  return prepared(writtenId(id, of), definitionTransaction(ledger.namespace, id, value))
}

/** Throws unless two ids have the same DID on the same ledger. */
const assertSame = (of: IndyDid, other: IndyDid): void => {
  if (of.did !== other.did || of.namespace !== other.namespace)
    throw new NotWritableError('it belongs to another issuer')
}

export const prepareRegistry = async (registry: AnonCredsRevocationRegistryDefinition): Promise<Prepared> => {
  const { issuerId, credDefId, tag, value } = checked(objects.AnonCredsRevocationRegistryDefinition, registry)
  const of = indyDidOf(issuerId)
  const definition = parseIndyId(credDefId)
  if (definition?.kind !== 'credentialDefinition') throw new NotWritableError('the definition is not on an Indy ledger')
  assertSame(of, definition)
  const { schemaSeqNo, tag: credentialDefinitionTag } = definition
  const id = { kind: 'revocationRegistry' as const, ...of, schemaSeqNo, credentialDefinitionTag, tag }
  return prepared(writtenId(id, of), registryTransaction(ledgerOf(of).namespace, id, value))
}

const statusNow = async (ledger: Ledger, id: RevocationRegistryId) => {
  const registry = await readRegistry(ledger, id)
  if (registry === undefined) throw new NotWritableError('the revocation registry is not on the ledger yet')
  const { issuanceType, maxCredNum } = registry.value
  if (issuanceType !== 'ISSUANCE_BY_DEFAULT') throw new NotWritableError('the registry is not one of this agent')
  const current = await readAccumulator(ledger, id, epochSeconds())
  const before =
    current === undefined ? undefined : { accumulator: current.accumulator, list: statusList(registry.value, current) }
  return { maxCredNum, before }
}

/** Prepares the entry that changes the ledger's current list to this one. */
export const prepareEntry = async (newList: Omit<AnonCredsRevocationStatusList, 'timestamp'>): Promise<Prepared> => {
  const schema = v.omit(objects.AnonCredsRevocationStatusList, ['timestamp'])
  const { issuerId, revRegDefId, revocationList, currentAccumulator } = checked(schema, newList)
  const of = indyDidOf(issuerId)
  const id = parseIndyId(revRegDefId)
  if (id?.kind !== 'revocationRegistry') throw new NotWritableError('the registry is not on an Indy ledger')
  assertSame(of, id)
  const ledger = ledgerOf(of)
  const { maxCredNum, before } = await statusNow(ledger, id)
  if (revocationList.length !== maxCredNum)
    throw new NotWritableError('the list does not have the length of its registry')
  const next = { accumulator: currentAccumulator, list: revocationList }
  const isOnLedger = before?.accumulator === currentAccumulator
  const value = entryValue(next, before)
  const isEmpty = value.issued === undefined && value.revoked === undefined
  if (isOnLedger !== (before !== undefined && isEmpty))
    throw new NotWritableError('the accumulator does not match the list')
  return prepared(revRegDefId, entryTransaction(ledger.namespace, id, value))
}
