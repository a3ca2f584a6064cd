/**
 * Reads all DID documents that DID Core allows: Credo's class is stricter. Members that this service does not use are
 * ignored, whatever their form. Contexts are never processed.
 * https://www.w3.org/TR/did-core/#core-properties
 */
import {
  CredoError,
  DidCommV1Service,
  DidDocument,
  getPublicJwkFromVerificationMethod,
  IndyAgentService,
  JsonTransformer,
  VerificationMethod,
} from '@credo-ts/core'
import * as v from 'valibot'
import { findViolation, isObject, type JsonObject, removeNulls } from '../../json.ts'
import { isReadableDocument, MAX_KEYS } from '../envelopes/index.ts'

/** A DID document that cannot be read. `member`: the dotted path of the member that is the reason. */
export class InvalidDocumentError extends CredoError {
  readonly member: string | undefined

  constructor(message: string, member?: string) {
    super(message)
    this.member = member
  }
}

const reasonOf = (member: string): string => `the member ${member} of the DID document cannot be read`

const REASON = new RegExp(reasonOf('\\S+'))

/** The reason in the message of another error: Credo throws its own error if a DID does not resolve. */
export const invalidDocumentReason = (error: unknown): string | undefined =>
  error instanceof Error ? REASON.exec(error.message)?.[0] : undefined

const invalidMember = (member: string): InvalidDocumentError => new InvalidDocumentError(reasonOf(member), member)

/** Limits for the published document, which is part of responses. The members that are used have stricter limits. */
const RULES = { maxDepth: 40, forbidden: [] }

const listOf = (document: JsonObject, name: string): unknown[] => {
  const list = document[name] ?? []
  if (!Array.isArray(list)) throw invalidMember(name)
  return list
}

const UNREADABLE = 'unreadable:'

/** The type by which a service is a DIDComm service. It may have several types. */
export const didCommTypeOf = (service: unknown): string | undefined => {
  const types = isObject(service) ? [service.type].flat() : []
  return [IndyAgentService.type, DidCommV1Service.type].find((known) => types.includes(known))
}

const RecipientKeys = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_KEYS))

/** A service of Aries RFC 0067. Credo accepts an endpoint that matches the pattern. */
const Service = v.object({
  id: v.fallback(v.string(), '#service'),
  serviceEndpoint: v.pipe(v.string(), v.regex(/\w:\S/)),
  recipientKeys: RecipientKeys,
  routingKeys: v.optional(v.pipe(v.array(v.string()), v.maxLength(MAX_KEYS))),
  priority: v.fallback(v.optional(v.number()), undefined),
})

/**
 * Replaces a service that cannot be read. If its keys cannot be read, every check of the services' keys fails: without
 * the placeholder, the keys of the other services would pass for all keys.
 */
const placeholder = (member: string, recipientKeys: unknown) => ({
  id: '#service',
  type: DidCommV1Service.type,
  serviceEndpoint: UNREADABLE + member,
  // The id of a missing key, which Credo repeats in its error.
  recipientKeys: v.is(RecipientKeys, recipientKeys) ? recipientKeys : [reasonOf(member)],
})

/** The DIDComm services. Others are not used. */
const servicesOf = ({ service = [] }: JsonObject): object[] => {
  if (!Array.isArray(service)) return [placeholder('service', undefined)]
  return service.flatMap((one: unknown, index) => {
    const type = didCommTypeOf(one)
    if (type === undefined) return []
    const { success, issues, output } = v.safeParse(Service, one)
    if (success) return [{ ...output, type }]
    const [name] = v.getDotPath(issues[0])?.split('.') ?? []
    return [placeholder(`service.${index}.${name}`, Object(one).recipientKeys)]
  })
}

const Key = v.fallback(v.optional(v.string()), undefined)

/** `controller` is by default the DID. No id has a space, so that it differs from the missing key above. */
const methodSchema = (did: string) =>
  v.looseObject({
    id: v.pipe(v.string(), v.excludes(' ')),
    type: v.string(),
    controller: v.optional(v.string(), did),
    ...{ publicKeyBase58: Key, publicKeyBase64: Key, publicKeyHex: Key, publicKeyMultibase: Key, publicKeyPem: Key },
    ...{ blockchainAccountId: Key, ethereumAddress: Key },
  })

type Method = v.InferOutput<ReturnType<typeof methodSchema>>

const hasKey = (method: Method): boolean => {
  try {
    getPublicJwkFromVerificationMethod(JsonTransformer.fromJSON(method, VerificationMethod))
    return true
  } catch {
    return false
  }
}

/** Verification relationships that this service uses. */
export const RELATIONSHIPS = ['authentication', 'assertionMethod', 'keyAgreement']

/**
 * Readable methods, listed or embedded, and references to them. If there are services, methods without a readable key
 * are left out: Credo reads all keys to find the one that a service names.
 */
const methodsOf = (document: JsonObject, did: string, hasServices: boolean) => {
  const schema = methodSchema(did)
  const toMethods = (one: unknown): Method[] => {
    const { success, output } = v.safeParse(schema, one)
    return success && !(hasServices && !hasKey(output)) ? [output] : []
  }
  const relative = (id: string) => (id.startsWith(did) ? id.slice(did.length) : id)
  const byId = (methods: Method[]) => new Map(methods.toReversed().map((method) => [relative(method.id), method]))
  const verificationMethod = listOf(document, 'verificationMethod').flatMap(toMethods)
  const toEntries = (one: unknown): (string | Method)[] => (typeof one === 'string' ? [one] : toMethods(one))
  const lists = RELATIONSHIPS.map((name) => [name, listOf(document, name).flatMap(toEntries)] as const)
  const listed = byId(verificationMethod)
  const embedded = byId(lists.flatMap(([, entries]) => entries).filter((entry) => typeof entry !== 'string'))
  const resolve = (entry: string | Method) => {
    if (typeof entry !== 'string' || listed.has(relative(entry))) return [entry]
    return [embedded.get(relative(entry)) ?? []].flat()
  }
  return {
    verificationMethod,
    ...Object.fromEntries(lists.map(([name, entries]) => [name, entries.flatMap(resolve)])),
  }
}

/** A document as published, and as Credo's class. */
export interface ReadDidDocument {
  published: object
  didDocument: DidDocument
}

/**
 * Reads the members that this service uses. Throws an `InvalidDocumentError`, also for a document that is too large.
 */
export const readDidDocument = (published: unknown): ReadDidDocument => {
  if (!isObject(published)) throw new InvalidDocumentError('the DID document is not a JSON object')
  if (findViolation(published, RULES) !== undefined)
    throw new InvalidDocumentError('the DID document is nested too deeply, or has text that is not Unicode')
  const document = structuredClone(published)
  removeNulls(document, [])
  if (typeof document.id !== 'string') throw invalidMember('id')
  const { id } = document
  const service = servicesOf(document)
  const relationships = Object.fromEntries(RELATIONSHIPS.map((name) => [name, document[name]]))
  if (!isReadableDocument({ id, verificationMethod: document.verificationMethod, ...relationships, service }))
    throw new InvalidDocumentError('the DID document is too large')
  const members = { id, ...methodsOf(document, id, service.length > 0), service }
  const present = Object.entries(members).filter(([, member]) => member.length > 0)
  return { published, didDocument: JsonTransformer.fromJSON(Object.fromEntries(present), DidDocument) }
}

interface Services {
  service?: readonly { serviceEndpoint: unknown }[]
}

/** The unreadable member of a DIDComm service of the document, if any. */
export const unreadableMember = ({ service = [] }: Services): string | undefined =>
  service
    .map(({ serviceEndpoint }) => String(serviceEndpoint))
    .find((endpoint) => endpoint.startsWith(UNREADABLE))
    ?.slice(UNREADABLE.length)

/** Throws an `InvalidDocumentError` for such a service. */
export const assertReadableServices = (services: Services): void => {
  const member = unreadableMember(services)
  if (member !== undefined) throw invalidMember(member)
}
