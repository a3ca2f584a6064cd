/** AnonCreds objects of Indy ledgers, in the spelling of the ids by which they are read. */

import {
  definitionOf,
  didLike,
  type IndyId,
  idLike,
  parseIndyId,
  type RevocationRegistryId,
} from '../../../indy/ids.ts'
import * as proxy from '../../../indy/proxy.ts'
import { NotOnLedgerError } from '../../../indy/replies.ts'
import { statusList } from '../../../indy/revocation.ts'
import { findOnLedger } from './indy-ledgers.ts'

type IdKind = IndyId['kind']

/** Parses an id. Throws unless it is of this kind. */
const idOf = <K extends IdKind>(kind: K, text: string): Extract<IndyId, { kind: K }> => {
  const id = parseIndyId(text)
  if (id?.kind !== kind) throw new NotOnLedgerError('the id is not one of an Indy ledger')
  return id as Extract<IndyId, { kind: K }>
}

/** The id of another object in the spelling of `like`. */
const idSpelledLike = (id: Parameters<typeof idLike>[0], like: IndyId, what: string): string => {
  const text = idLike(id, like)
  if (text === undefined) throw new NotOnLedgerError(`${what} has no id in this spelling`)
  return text
}

export const readSchema = async (schemaId: string) => {
  const id = idOf('schema', schemaId)
  const { ledger, object } = await findOnLedger(id, (one) => proxy.readSchema(one, id))
  const { name, version } = id
  return {
    schema: { issuerId: didLike(id, id), name, version, attrNames: object.attributes },
    schemaMetadata: { didIndyNamespace: ledger.namespace, indyLedgerSeqNo: object.seqNo },
  }
}

export const readDefinition = async (credentialDefinitionId: string) => {
  const id = idOf('credentialDefinition', credentialDefinitionId)
  const { ledger, object } = await findOnLedger(id, (one) => proxy.readDefinition(one, id))
  const schemaId = idSpelledLike(object.schema, id, 'its schema')
  return {
    credentialDefinition: { issuerId: didLike(id, id), schemaId, type: 'CL' as const, tag: id.tag, value: object.keys },
    credentialDefinitionMetadata: { didIndyNamespace: ledger.namespace },
  }
}

/**
 * The registry on the ledger that its id names, or else on the first one that has its definition: on another ledger, a
 * third party may own the issuer's DID, and could revoke the issuer's credentials.
 */
const findRegistry = async (id: RevocationRegistryId) => {
  if (id.namespace !== undefined) return findOnLedger(id, (one) => proxy.readRegistry(one, id))
  const of = definitionOf(id)
  const { ledger } = await findOnLedger(of, (one) => proxy.readDefinition(one, of))
  const object = await proxy.readRegistry(ledger, id)
  if (object === undefined) throw new NotOnLedgerError('the ledger of the definition does not have it')
  return { ledger, object }
}

export const readRegistry = async (registryId: string) => {
  const id = idOf('revocationRegistry', registryId)
  const { ledger, object } = await findRegistry(id)
  const { issuanceType, ...value } = object.value
  const credDefId = idSpelledLike(definitionOf(id), id, 'the definition')
  const revocDefType = 'CL_ACCUM' as const
  return {
    revocationRegistryDefinition: { issuerId: didLike(id, id), revocDefType, credDefId, tag: id.tag, value },
    revocationRegistryDefinitionMetadata: { didIndyNamespace: ledger.namespace, issuanceType },
  }
}

/** The list that was valid at `at` (epoch seconds). */
export const readStatusList = async (registryId: string, at: number) => {
  const id = idOf('revocationRegistry', registryId)
  const { ledger, object } = await findRegistry(id)
  const status = await proxy.readAccumulator(ledger, id, at)
  if (status === undefined) throw new NotOnLedgerError('the registry has no status of this time')
  const { accumulator: currentAccumulator, timestamp } = status
  const revocationList = statusList(object.value, status)
  return {
    revocationStatusList: {
      ...{ issuerId: didLike(id, id), revRegDefId: registryId, revocationList, currentAccumulator, timestamp },
    },
    revocationStatusListMetadata: { didIndyNamespace: ledger.namespace },
  }
}
