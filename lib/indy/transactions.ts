/**
 * Transactions that an operator writes to an Indy ledger for an issuer, and the check whether the ledger has them. The
 * operator adds `reqId`, the acceptance of the ledger's author agreement and the issuer's signature.
 * https://github.com/hyperledger/indy-node/blob/main/docs/source/requests.md#write-requests
 */
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { isSameSet } from '../records/anoncreds-objects.ts'
import {
  type CredentialDefinitionId,
  definitionOf,
  type IndyId,
  parseIndyId,
  type RevocationRegistryId,
  type SchemaId,
  unqualifiedId,
} from './ids.ts'
import { type Ledger, readAccumulator, readDefinition, readRegistry, readSchema } from './proxy.ts'
import { DefinitionContent, RegistryContent, SchemaContent } from './replies.ts'
import { EntryValue } from './revocation.ts'

type RegistryValue = v.InferOutput<typeof RegistryContent>['value']

const SchemaOperation = v.object({ type: v.literal('101'), data: SchemaContent })

const DefinitionOperation = v.object({
  type: v.literal('102'),
  ref: v.number(),
  signature_type: v.literal('CL'),
  tag: v.string(),
  data: DefinitionContent,
})

const RegistryOperation = v.object({ type: v.literal('113'), ...RegistryContent.entries })

const EntryOperation = v.object({
  type: v.literal('114'),
  revocRegDefId: v.string(),
  revocDefType: v.literal('CL_ACCUM'),
  value: EntryValue,
})

/** Plain JSON: it is shown to the operator, and stored until the ledger has it. */
export const LedgerTransaction = v.object({
  /** The ledger's namespace. */
  namespace: v.string(),
  request: v.object({
    /** The issuer's unqualified DID. The ledger requires its signature. */
    identifier: v.string(),
    protocolVersion: v.literal(2),
    operation: v.variant('type', [SchemaOperation, DefinitionOperation, RegistryOperation, EntryOperation]),
  }),
})
export type LedgerTransaction = v.InferOutput<typeof LedgerTransaction>

type Operation = LedgerTransaction['request']['operation']

const transactionOf = (namespace: string, identifier: string, operation: Operation): LedgerTransaction => ({
  namespace,
  request: { identifier, protocolVersion: 2, operation },
})

export const schemaTransaction = (namespace: string, id: SchemaId, attributes: string[]): LedgerTransaction =>
  transactionOf(namespace, id.did, {
    type: '101',
    data: { name: id.name, version: id.version, attr_names: attributes },
  })

export const definitionTransaction = (
  namespace: string,
  id: CredentialDefinitionId,
  keys: v.InferOutput<typeof DefinitionContent>,
): LedgerTransaction =>
  transactionOf(namespace, id.did, {
    type: '102',
    ref: id.schemaSeqNo,
    signature_type: 'CL',
    tag: id.tag,
    data: keys,
  })

/** All credentials are valid until they are revoked. */
export const registryTransaction = (
  namespace: string,
  id: RevocationRegistryId,
  value: Omit<RegistryValue, 'issuanceType'>,
): LedgerTransaction =>
  transactionOf(namespace, id.did, {
    type: '113',
    id: unqualifiedId(id),
    credDefId: unqualifiedId(definitionOf(id)),
    revocDefType: 'CL_ACCUM',
    tag: id.tag,
    value: { issuanceType: 'ISSUANCE_BY_DEFAULT', ...value },
  })

export const entryTransaction = (namespace: string, id: RevocationRegistryId, value: EntryValue): LedgerTransaction =>
  transactionOf(namespace, id.did, {
    type: '114',
    revocRegDefId: unqualifiedId(id),
    revocDefType: 'CL_ACCUM',
    value,
  })

/** `other`: the ledger already has a different object, so it will never accept this one. */
export type LedgerState = { state: 'absent' } | { state: 'other' } | { state: 'same'; timestamp: number | undefined }

const idIn = (did: string, operation: Operation): IndyId | undefined => {
  if (operation.type === '101') return parseIndyId(`${did}:2:${operation.data.name}:${operation.data.version}`)
  if (operation.type === '102') return parseIndyId(`${did}:3:CL:${operation.ref}:${operation.tag}`)
  return parseIndyId(operation.type === '113' ? operation.id : operation.revocRegDefId)
}

const compared = (found: { txnTime: number | undefined } | undefined, isSame: boolean): LedgerState => {
  if (found === undefined) return { state: 'absent' }
  return isSame ? { state: 'same', timestamp: found.txnTime } : { state: 'other' }
}

/** Whether the ledger has exactly this object at `now` (epoch seconds). Throws the errors of reading. */
export const ledgerState = async (
  ledger: Ledger,
  { request: { identifier, operation } }: LedgerTransaction,
  now: number,
): Promise<LedgerState> => {
  const id = idIn(identifier, operation)
  if (operation.type === '101' && id?.kind === 'schema') {
    const found = await readSchema(ledger, id)
    return compared(found, isSameSet(found?.attributes ?? [], operation.data.attr_names))
  }
  if (operation.type === '102' && id?.kind === 'credentialDefinition') {
    const found = await readDefinition(ledger, id)
    return compared(found, isDeepStrictEqual(found?.keys, operation.data))
  }
  if (operation.type === '113' && id?.kind === 'revocationRegistry') {
    const found = await readRegistry(ledger, id)
    return compared(found, isDeepStrictEqual(found?.value, operation.value))
  }
  if (operation.type === '114' && id?.kind === 'revocationRegistry') {
    const { accum, prevAccum } = operation.value
    const found = await readAccumulator(ledger, id, now)
    if (found?.accumulator === accum) return { state: 'same', timestamp: found.timestamp }
    return { state: found?.accumulator === prevAccum ? 'absent' : 'other' }
  }
  throw new TypeError('the transaction has no id')
}
