/** Credentials and presentations made with the bare library, by an issuer and a holder who may break the rules. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../environment.ts'
import type { Credential } from '@hyperledger/anoncreds-shared'
import { anoncreds } from '../../../lib/agent/formats/anoncreds/library.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { prepare } from './prepare.ts'

const library = createRequire(import.meta.url)(
  '@hyperledger/anoncreds-shared',
) as typeof import('@hyperledger/anoncreds-shared')

/** An issuer as made by `prepare.ts`. */
export interface Prepared {
  schemaId: string
  schema: Json
  definitionId: string
  definition: Json
  privateKey: Json
  keyCorrectnessProof: Json
  registry: { registryId: string; definition: Json; privateKey: Json; list: Json; tails: string }
}

const FILE = new URL('prepared.json', import.meta.url)

// To delete the file has it made anew.
if (!existsSync(FILE)) writeFileSync(FILE, JSON.stringify(prepare()))

export const { trusted, stranger: untrusted } = JSON.parse(readFileSync(FILE, 'utf8')) as Record<
  'trusted' | 'stranger',
  Prepared
>

const VALUES = { 'First Name': 'Ada', age: '24', degree: 'Bachelor', zip: '8001' }

export const newLinkSecret = (): string => library.LinkSecret.create()

/** 80 bits in decimal. */
export const newNonce = (): string => anoncreds.generateNonce()

const TAILS_FOLDER = join(tmpdir(), 'serverless-agent-test-tails')

/** A registry as the library takes it: its tails are a file here, the same one for all tests. */
const registryOf = ({ registry }: Prepared) => {
  const { value } = registry.definition
  const tailsLocation = join(TAILS_FOLDER, value.tailsHash)
  if (!existsSync(tailsLocation)) {
    mkdirSync(TAILS_FOLDER, { recursive: true })
    const part = `${tailsLocation}.${process.pid}`
    writeFileSync(part, Buffer.from(registry.tails, 'base64'))
    renameSync(part, tailsLocation)
  }
  return library.RevocationRegistryDefinition.fromJson({
    ...registry.definition,
    value: { ...value, tailsLocation },
  })
}

export interface IssueOptions {
  linkSecret: string
  values?: Record<string, string>
  /** Index in the registry; absent: a credential that cannot be revoked. */
  index?: number
}

export interface Issuing {
  request: Json
  /** The issuer's part, after the request. */
  sign(): Credential
  /** The holder's part, after the credential. */
  accept(credential: Credential): Json
}

/** Offers and requests a credential. */
export const prepareIssuing = (issuer: Prepared, { linkSecret, values = VALUES, index }: IssueOptions): Issuing => {
  const { definition: credentialDefinition } = issuer
  const credentialOffer = offerOf(issuer)
  const { credentialRequest, credentialRequestMetadata } = library.CredentialRequest.create({
    entropy: 'entropy',
    credentialDefinition,
    linkSecret,
    linkSecretId: 'link-secret',
    credentialOffer,
  })
  const registry = index === undefined ? undefined : registryOf(issuer)
  const sign = () =>
    library.Credential.create({
      credentialDefinition,
      credentialDefinitionPrivate: issuer.privateKey,
      credentialOffer,
      credentialRequest,
      attributeRawValues: values,
      ...(registry !== undefined &&
        index !== undefined && {
          revocationRegistryId: issuer.registry.registryId,
          revocationConfiguration: new library.CredentialRevocationConfig({
            registryDefinition: registry,
            registryDefinitionPrivate: library.RevocationRegistryDefinitionPrivate.fromJson(issuer.registry.privateKey),
            statusList: library.RevocationStatusList.fromJson(issuer.registry.list),
            registryIndex: index,
          }),
        }),
    })
  const accept = (credential: Credential) => {
    credential.process({
      credentialRequestMetadata,
      linkSecret,
      credentialDefinition,
      ...(registry !== undefined && { revocationRegistryDefinition: registry }),
    })
    return credential.toJson()
  }
  return { request: credentialRequest.toJson(), sign, accept }
}

export const offerOf = (issuer: Prepared) =>
  library.CredentialOffer.create({
    schemaId: issuer.schemaId,
    credentialDefinitionId: issuer.definitionId,
    keyCorrectnessProof: issuer.keyCorrectnessProof,
  })

/** The messages of an honest issuer and an honest holder. */
export const issuingMessages = ({ revocable = true } = {}): Record<'offer' | 'request' | 'credential', Json> => {
  const { request, sign } = prepareIssuing(trusted, { linkSecret: newLinkSecret(), ...(revocable && { index: 4 }) })
  return { offer: offerOf(trusted).toJson(), request, credential: sign().toJson() }
}

/** A credential as its holder keeps it. */
export const issue = (issuer: Prepared, options: IssueOptions): Json => {
  const { sign, accept } = prepareIssuing(issuer, options)
  return accept(sign())
}

/** The list after these indexes were revoked, in force from `timestamp` on. */
export const revoked = (issuer: Prepared, indexes: number[], timestamp: number): Json => {
  const list = library.RevocationStatusList.fromJson(issuer.registry.list)
  list.update({
    credentialDefinition: issuer.definition,
    revocationRegistryDefinition: issuer.registry.definition,
    revocationRegistryDefinitionPrivate: issuer.registry.privateKey,
    revoked: indexes,
    timestamp,
  })
  return list.toJson()
}

export interface Shown {
  credential: Json
  /** Referents of attributes, and whether they are revealed. */
  attributes?: Record<string, boolean>
  predicates?: string[]
  /** Proves that the credential is not revoked by this list. */
  nonRevocation?: { issuer: Prepared; index: number; list: Json }
}

/** Has the library create a presentation; `request` may differ from the verifier's. */
export const present = (
  request: Json,
  linkSecret: string,
  shown: Shown[],
  selfAttest: Record<string, string> = {},
): Json => {
  const presentation = library.Presentation.create({
    presentationRequest: request,
    credentials: shown.map(({ credential, nonRevocation }) => ({
      credential,
      ...(nonRevocation !== undefined && {
        timestamp: nonRevocation.list.timestamp,
        revocationState: stateOf(nonRevocation),
      }),
    })),
    credentialsProve: shown.flatMap(({ attributes = {}, predicates = [] }, entryIndex) => [
      ...Object.entries(attributes).map(([referent, reveal]) => ({ entryIndex, referent, isPredicate: false, reveal })),
      ...predicates.map((referent) => ({ entryIndex, referent, isPredicate: true, reveal: true })),
    ]),
    selfAttest,
    linkSecret,
    schemas: { [trusted.schemaId]: trusted.schema, [untrusted.schemaId]: untrusted.schema },
    credentialDefinitions: {
      [trusted.definitionId]: trusted.definition,
      [untrusted.definitionId]: untrusted.definition,
    },
  })
  return presentation.toJson()
}

const stateOf = ({ issuer, index, list }: NonNullable<Shown['nonRevocation']>) => {
  const revocationRegistryDefinition = registryOf(issuer)
  return library.CredentialRevocationState.create({
    revocationRegistryDefinition,
    revocationStatusList: library.RevocationStatusList.fromJson(list),
    revocationRegistryIndex: index,
    tailsPath: revocationRegistryDefinition.getTailsLocation(),
  })
}

export interface PublishedObjects {
  schemas: Record<string, Json>
  definitions: Record<string, Json>
  registries: Record<string, Json>
  lists: Json[]
}

export const PUBLISHED: PublishedObjects = {
  schemas: { [trusted.schemaId]: trusted.schema, [untrusted.schemaId]: untrusted.schema },
  definitions: { [trusted.definitionId]: trusted.definition, [untrusted.definitionId]: untrusted.definition },
  registries: {
    [trusted.registry.registryId]: trusted.registry.definition,
    [untrusted.registry.registryId]: untrusted.registry.definition,
  },
  lists: [trusted.registry.list, untrusted.registry.list],
}

/** The library's own verdict on a presentation, by the objects that it names. */
export const libraryVerifies = (
  request: Json,
  presentation: Json,
  objects: Partial<PublishedObjects> = {},
): boolean => {
  const { schemas, definitions, registries, lists } = { ...PUBLISHED, ...objects }
  try {
    return library.Presentation.fromJson(presentation).verify({
      presentationRequest: request,
      schemas,
      credentialDefinitions: definitions,
      revocationRegistryDefinitions: registries,
      revocationStatusLists: lists,
    })
  } catch {
    return false
  }
}

/** A text as credentials encode it. */
export const encoded = (text: string): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString()

/** A copy that may be altered. */
export const altered = (presentation: Json, alter: (copy: Json) => void): Json => {
  const copy = structuredClone(presentation)
  alter(copy)
  return copy
}
