/** A registry in memory, for ids that begin with `did:memory:`: all agents of the process publish to it and read it. */
import { createHash } from 'node:crypto'
import type { AnonCredsRegistry, AnonCredsRevocationStatusList } from '@credo-ts/anoncreds'

const objects = new Map<string, unknown>()
const lists = new Map<string, AnonCredsRevocationStatusList[]>()

const publish = (issuerId: string, kind: string, object: object): string => {
  const id = `${issuerId}/${kind}/${createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 16)}`
  objects.set(id, object)
  return id
}

/** Publishes an object under an id that is given. */
export const publishAs = (id: string, object: unknown): void => {
  objects.set(id, object)
}

/** Publishes a status list, in force from its own timestamp on. */
export const publishList = (list: AnonCredsRevocationStatusList): void => {
  const others = (lists.get(list.revRegDefId) ?? []).filter(({ timestamp }) => timestamp !== list.timestamp)
  lists.set(
    list.revRegDefId,
    [...others, list].toSorted((a, b) => a.timestamp - b.timestamp),
  )
}

const notFound = { error: 'notFound', message: 'no such object' }

// biome-ignore lint/suspicious/noExplicitAny: objects are read as they were published
const read = (id: string): any => objects.get(id)

export class MemoryRegistry implements AnonCredsRegistry {
  readonly methodName = 'memory'
  readonly allowsCaching = false
  readonly allowsLocalRecord = false
  readonly supportedIdentifier = /^did:memory:/

  registerSchema: AnonCredsRegistry['registerSchema'] = async (_, { schema }) => ({
    schemaState: { state: 'finished', schema, schemaId: publish(schema.issuerId, 'schema', schema) },
    registrationMetadata: {},
    schemaMetadata: {},
  })

  registerCredentialDefinition: AnonCredsRegistry['registerCredentialDefinition'] = async (
    _,
    { credentialDefinition },
  ) => ({
    credentialDefinitionState: {
      state: 'finished',
      credentialDefinition,
      credentialDefinitionId: publish(credentialDefinition.issuerId, 'definition', credentialDefinition),
    },
    registrationMetadata: {},
    credentialDefinitionMetadata: {},
  })

  registerRevocationRegistryDefinition: AnonCredsRegistry['registerRevocationRegistryDefinition'] = async (
    _,
    { revocationRegistryDefinition },
  ) => ({
    revocationRegistryDefinitionState: {
      state: 'finished',
      revocationRegistryDefinition,
      revocationRegistryDefinitionId: publish(
        revocationRegistryDefinition.issuerId,
        'registry',
        revocationRegistryDefinition,
      ),
    },
    registrationMetadata: {},
    revocationRegistryDefinitionMetadata: {},
  })

  registerRevocationStatusList: AnonCredsRegistry['registerRevocationStatusList'] = async (
    _,
    { revocationStatusList },
  ) => {
    const before = lists.get(revocationStatusList.revRegDefId) ?? []
    const timestamp = Math.max(Math.floor(Date.now() / 1000), (before.at(-1)?.timestamp ?? 0) + 1)
    const list = { ...revocationStatusList, timestamp }
    lists.set(list.revRegDefId, [...before, list])
    return {
      revocationStatusListState: { state: 'finished', revocationStatusList: list },
      registrationMetadata: {},
      revocationStatusListMetadata: {},
    }
  }

  getSchema: AnonCredsRegistry['getSchema'] = async (_, schemaId) => ({
    schema: read(schemaId),
    schemaId,
    resolutionMetadata: read(schemaId) === undefined ? notFound : {},
    schemaMetadata: {},
  })

  getCredentialDefinition: AnonCredsRegistry['getCredentialDefinition'] = async (_, credentialDefinitionId) => ({
    credentialDefinition: read(credentialDefinitionId),
    credentialDefinitionId,
    resolutionMetadata: read(credentialDefinitionId) === undefined ? notFound : {},
    credentialDefinitionMetadata: {},
  })

  getRevocationRegistryDefinition: AnonCredsRegistry['getRevocationRegistryDefinition'] = async (_, id) => ({
    revocationRegistryDefinition: read(id),
    revocationRegistryDefinitionId: id,
    resolutionMetadata: read(id) === undefined ? notFound : {},
    revocationRegistryDefinitionMetadata: {},
  })

  getRevocationStatusList: AnonCredsRegistry['getRevocationStatusList'] = async (_, id, timestamp) => {
    const list = (lists.get(id) ?? []).findLast((one) => one.timestamp <= timestamp)
    return list === undefined
      ? { resolutionMetadata: notFound, revocationStatusListMetadata: {} }
      : { revocationStatusList: list, resolutionMetadata: {}, revocationStatusListMetadata: {} }
  }
}

export const memoryRegistry = new MemoryRegistry()

/** Lets the service read and publish in memory. */
export const useMemoryRegistry = async (): Promise<void> => {
  const { registries } = await import('../../../lib/agent/formats/anoncreds/registries.ts')
  if (!registries.includes(memoryRegistry)) registries.push(memoryRegistry)
}
