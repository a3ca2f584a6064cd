/**
 * Ids of objects on an Indy ledger in both forms: qualified (`did:indy:<namespace>:<did>/anoncreds/v0/...`), and
 * unqualified as on the ledger itself. https://hyperledger.github.io/indy-did-method/#indy-did-object-types
 */
import { INDY_NAMESPACE } from '../settings.ts'

/** Base58 of 16 bytes. */
const DID = /^[1-9A-HJ-NP-Za-km-z]{21,22}$/
const VERSION = /^[0-9.]{1,32}$/
/** A number of 32 bits. */
const SEQUENCE_NUMBER = /^[1-9]\d{0,9}$/
const MAX_SEQUENCE_NUMBER = 2 ** 31 - 1
/** Maximum length of a name or tag on a ledger. */
const MAX_PART = 256
const MAX_ID = 1024

export interface IndyDid {
  /** Absent in an unqualified id. */
  namespace?: string
  /** Without method and namespace. */
  did: string
}

export interface SchemaId extends IndyDid {
  kind: 'schema'
  name: string
  version: string
}

export interface CredentialDefinitionId extends IndyDid {
  kind: 'credentialDefinition'
  /** Number of the transaction that wrote the schema. */
  schemaSeqNo: number
  tag: string
}

export interface RevocationRegistryId extends IndyDid {
  kind: 'revocationRegistry'
  schemaSeqNo: number
  credentialDefinitionTag: string
  tag: string
}

export type IndyId = SchemaId | CredentialDefinitionId | RevocationRegistryId

const isPart = (text: string): boolean =>
  text.length > 0 && text.length <= MAX_PART && text.isWellFormed() && !/[\p{Cc}:]/u.test(text)

const sequenceNumber = (text: string | undefined): number | undefined =>
  text !== undefined && SEQUENCE_NUMBER.test(text) && Number(text) <= MAX_SEQUENCE_NUMBER ? Number(text) : undefined

/** `did:indy:<namespace>:<did>`, or the DID alone. */
export const parseIndyDid = (text: string): IndyDid | undefined => {
  if (text.length > MAX_ID) return undefined
  if (DID.test(text)) return { did: text }
  if (!text.startsWith('did:indy:')) return undefined
  const end = text.lastIndexOf(':')
  const namespace = text.slice('did:indy:'.length, end)
  const did = text.slice(end + 1)
  return INDY_NAMESPACE.test(namespace) && DID.test(did) ? { namespace, did } : undefined
}

const schemaId = (of: IndyDid, name = '', version = ''): SchemaId | undefined =>
  isPart(name) && VERSION.test(version) ? { kind: 'schema', ...of, name, version } : undefined

const credentialDefinitionId = (of: IndyDid, number?: string, tag = ''): CredentialDefinitionId | undefined => {
  const schemaSeqNo = sequenceNumber(number)
  return schemaSeqNo !== undefined && isPart(tag)
    ? { kind: 'credentialDefinition', ...of, schemaSeqNo, tag }
    : undefined
}

const registryId = (
  of: IndyDid,
  number?: string,
  credentialDefinitionTag = '',
  tag = '',
): RevocationRegistryId | undefined => {
  const schemaSeqNo = sequenceNumber(number)
  return schemaSeqNo !== undefined && isPart(credentialDefinitionTag) && isPart(tag)
    ? { kind: 'revocationRegistry', ...of, schemaSeqNo, credentialDefinitionTag, tag }
    : undefined
}

const parseQualified = (text: string): IndyId | undefined => {
  const [issuer = '', anoncreds, version, type, ...parts] = text.split('/')
  const of = parseIndyDid(issuer)
  if (of?.namespace === undefined || anoncreds !== 'anoncreds' || version !== 'v0') return undefined
  const [first, second, third] = parts
  if (type === 'SCHEMA' && parts.length === 2) return schemaId(of, first, second)
  if (type === 'CLAIM_DEF' && parts.length === 2) return credentialDefinitionId(of, first, second)
  if (type === 'REV_REG_DEF' && parts.length === 3) return registryId(of, first, second, third)
  return undefined
}

const parseUnqualified = (text: string): IndyId | undefined => {
  const parts = text.split(':')
  const [did = '', marker] = parts
  if (!DID.test(did)) return undefined
  if (marker === '2' && parts.length === 4) return schemaId({ did }, parts[2], parts[3])
  if (marker === '3' && parts.length === 5 && parts[2] === 'CL')
    return credentialDefinitionId({ did }, parts[3], parts[4])
  const [, , definer, three, type, number, definitionTag, accumulator, tag] = parts
  // Only the issuer of a definition can create its registries, so both parts have the same DID.
  const isRegistry = marker === '4' && definer === did && three === '3' && type === 'CL' && accumulator === 'CL_ACCUM'
  return isRegistry && parts.length === 9 ? registryId({ did }, number, definitionTag, tag) : undefined
}

/** Parses an id; undefined for anything else. Names and tags are not percent-decoded. */
export const parseIndyId = (text: string): IndyId | undefined =>
  text.startsWith('did:') ? parseQualified(text) : parseUnqualified(text)

/** The unqualified form of an id. Ids of other registries are returned unchanged. */
export const legacyId = (text: string): string => {
  const id = parseIndyId(text)
  return id === undefined ? text : unqualifiedId(id)
}

/** The unqualified form of an id. */
export const unqualifiedId = (id: IndyId): string => {
  if (id.kind === 'schema') return `${id.did}:2:${id.name}:${id.version}`
  if (id.kind === 'credentialDefinition') return `${id.did}:3:CL:${id.schemaSeqNo}:${id.tag}`
  const definition = `${id.did}:3:CL:${id.schemaSeqNo}:${id.credentialDefinitionTag}`
  return `${id.did}:4:${definition}:CL_ACCUM:${id.tag}`
}

const qualifiedPath = (id: IndyId): string[] => {
  if (id.kind === 'schema') return ['SCHEMA', id.name, id.version]
  if (id.kind === 'credentialDefinition') return ['CLAIM_DEF', String(id.schemaSeqNo), id.tag]
  return ['REV_REG_DEF', String(id.schemaSeqNo), id.credentialDefinitionTag, id.tag]
}

const qualifiedDid = ({ did }: IndyDid, namespace: string): string => `did:indy:${namespace}:${did}`

/** The qualified form of an id; undefined if a name or tag has a slash, which would make it ambiguous. */
export const qualifiedId = (id: IndyId, namespace: string): string | undefined => {
  const path = qualifiedPath(id)
  return path.some((part) => part.includes('/'))
    ? undefined
    : [qualifiedDid(id, namespace), 'anoncreds', 'v0', ...path].join('/')
}

/** An id in the form of `like`: qualified if that has a namespace. */
export const idLike = (id: IndyId, like: IndyDid): string | undefined =>
  like.namespace === undefined ? unqualifiedId(id) : qualifiedId(id, like.namespace)

export const didLike = (of: IndyDid, like: IndyDid): string =>
  like.namespace === undefined ? of.did : qualifiedDid(of, like.namespace)

export const definitionOf = (id: RevocationRegistryId): CredentialDefinitionId => ({
  kind: 'credentialDefinition',
  ...(id.namespace === undefined ? {} : { namespace: id.namespace }),
  did: id.did,
  schemaSeqNo: id.schemaSeqNo,
  tag: id.credentialDefinitionTag,
})
