/** The AnonCreds registry of did:webvh: objects are attested resources of their issuer's DID, with hashes of their contents as ids. */
import type {
  AnonCredsRegistry,
  RegisterCredentialDefinitionOptions,
  RegisterRevocationRegistryDefinitionOptions,
  RegisterRevocationStatusListOptions,
  RegisterSchemaOptions,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import { isAgentError } from '../../../errors.ts'
import {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
} from '../../../records/anoncreds-objects.ts'
import { epochSeconds } from '../../../store/table.ts'
import type { AttestedResource, ResourceLink } from '../../../webvh/attested-resource.ts'
import { parseResourceId } from '../../../webvh/did.ts'
import { UnreadableDocumentError } from '../../web/index.ts'
import { type Freshness, publish, readAttested, republish } from '../../webvh/index.ts'
import { resolutionError } from './resolution.ts'

/** Types of resources and links that Credo and ACA-Py use. */
const STATUS_LIST = 'anonCredsStatusList'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

/**
 * A host that does not answer, or not with JSON, or with an older version than was seen before, says nothing of the object. What it serves and is not the
 * object, or is not the issuer's, is none.
 */
const failedToRead = (error: unknown) =>
  resolutionError(
    error instanceof UnreadableDocumentError || error instanceof SyntaxError || isAgentError(error),
    error,
  )

const failed = (error: unknown) => ({ state: 'failed' as const, reason: messageOf(error) })

const checked = <S extends v.GenericSchema>(schema: S, content: unknown): v.InferOutput<S> => {
  const result = v.safeParse(schema, content, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  throw new CredoError(`${v.getDotPath(issue) ?? 'it'} is not as AnonCreds has it`)
}

/** An object and its resource. Throws unless the object's issuer is the DID of its id. */
const readObject = async <S extends v.GenericSchema<unknown, { issuerId: string }>>(
  agentContext: AgentContext,
  id: string,
  schema: S,
  freshness: Freshness = 'immutable',
): Promise<{ object: v.InferOutput<S>; resource: AttestedResource }> => {
  const { resource, issuerId } = await readAttested(agentContext, id, freshness)
  const object = checked(schema, resource.content)
  if (object.issuerId !== issuerId) throw new CredoError('its issuer is another DID than that of its id')
  return { object, resource }
}

type StatusLink = ResourceLink & { timestamp: number }

/** Links to status lists, oldest first. Throws if two have the same time, because either could be the valid one. */
const statusLinks = ({ links = [] }: Pick<AttestedResource, 'links'>): StatusLink[] => {
  const found = links.filter((link): link is StatusLink => link.type === STATUS_LIST && link.timestamp !== undefined)
  if (new Set(found.map(({ timestamp }) => timestamp)).size < found.length)
    throw new CredoError('the registry has two status lists of one time')
  return found.sort((a, b) => a.timestamp - b.timestamp)
}

/** The list that was valid at a time, with all checks that it belongs to its registry. */
const readStatusList = async (agentContext: AgentContext, registryId: string, timestamp: number) => {
  const { object: registry, resource } = await readObject(
    agentContext,
    registryId,
    AnonCredsRevocationRegistryDefinition,
    'growing',
  )
  const link = statusLinks(resource).findLast((one) => one.timestamp <= timestamp)
  if (link === undefined) throw new CredoError('the registry has no status list of this time')
  const { object: list } = await readObject(agentContext, link.id, AnonCredsRevocationStatusList)
  if (list.issuerId !== registry.issuerId) throw new CredoError("the list is not of the registry's issuer")
  if (list.revRegDefId !== registryId) throw new CredoError('the list is of another registry')
  if (list.timestamp !== link.timestamp) throw new CredoError('the list is of another time than its link')
  if (list.revocationList.length !== registry.value.maxCredNum)
    throw new CredoError('the list is of another length than its registry')
  return list
}

export class WebvhRegistry implements AnonCredsRegistry {
  readonly methodName = 'webvh'
  readonly supportedIdentifier = /^did:webvh:/
  /** Immutable resources are cached by webvh-resources.ts; others are read each time. */
  readonly allowsCaching = false
  readonly allowsLocalRecord = false

  async getSchema(agentContext: AgentContext, schemaId: string) {
    const base = { schemaId, schemaMetadata: {} }
    try {
      const { object } = await readObject(agentContext, schemaId, AnonCredsSchema)
      return { ...base, schema: object, resolutionMetadata: {} }
    } catch (error) {
      return { ...base, resolutionMetadata: failedToRead(error) }
    }
  }

  async getCredentialDefinition(agentContext: AgentContext, credentialDefinitionId: string) {
    const base = { credentialDefinitionId, credentialDefinitionMetadata: {} }
    try {
      const { object } = await readObject(agentContext, credentialDefinitionId, AnonCredsCredentialDefinition)
      return { ...base, credentialDefinition: object, resolutionMetadata: {} }
    } catch (error) {
      return { ...base, resolutionMetadata: failedToRead(error) }
    }
  }

  async getRevocationRegistryDefinition(agentContext: AgentContext, revocationRegistryDefinitionId: string) {
    const base = { revocationRegistryDefinitionId, revocationRegistryDefinitionMetadata: {} }
    try {
      const { object } = await readObject(
        agentContext,
        revocationRegistryDefinitionId,
        AnonCredsRevocationRegistryDefinition,
        'growing',
      )
      return { ...base, revocationRegistryDefinition: object, resolutionMetadata: {} }
    } catch (error) {
      return { ...base, resolutionMetadata: failedToRead(error) }
    }
  }

  /** The newest list that is not after `timestamp` (epoch seconds). */
  async getRevocationStatusList(agentContext: AgentContext, revocationRegistryId: string, timestamp: number) {
    const base = { revocationStatusListMetadata: {} }
    try {
      const revocationStatusList = await readStatusList(agentContext, revocationRegistryId, timestamp)
      return { ...base, revocationStatusList, resolutionMetadata: {} }
    } catch (error) {
      return { ...base, resolutionMetadata: failedToRead(error) }
    }
  }

  async registerSchema(agentContext: AgentContext, options: RegisterSchemaOptions) {
    const base = { schemaMetadata: {}, registrationMetadata: {} }
    try {
      const schema = checked(AnonCredsSchema, options.schema)
      const { issuerId, name } = schema
      const schemaId = await publish(agentContext, { issuerId, content: schema, type: 'anonCredsSchema', name })
      return { ...base, schemaState: { state: 'finished' as const, schema, schemaId } }
    } catch (error) {
      return { ...base, schemaState: failed(error) }
    }
  }

  async registerCredentialDefinition(agentContext: AgentContext, options: RegisterCredentialDefinitionOptions) {
    const base = { credentialDefinitionMetadata: {}, registrationMetadata: {} }
    try {
      const credentialDefinition = checked(AnonCredsCredentialDefinition, options.credentialDefinition)
      const { issuerId, tag: name } = credentialDefinition
      const content = { ...credentialDefinition }
      const credentialDefinitionId = await publish(agentContext, { issuerId, content, type: 'anonCredsCredDef', name })
      const state = { state: 'finished' as const, credentialDefinition, credentialDefinitionId }
      return { ...base, credentialDefinitionState: state }
    } catch (error) {
      return { ...base, credentialDefinitionState: failed(error) }
    }
  }

  async registerRevocationRegistryDefinition(
    agentContext: AgentContext,
    options: RegisterRevocationRegistryDefinitionOptions,
  ) {
    const base = { revocationRegistryDefinitionMetadata: {}, registrationMetadata: {} }
    try {
      const revocationRegistryDefinition = checked(
        AnonCredsRevocationRegistryDefinition,
        options.revocationRegistryDefinition,
      )
      const revocationRegistryDefinitionId = await publish(agentContext, {
        issuerId: revocationRegistryDefinition.issuerId,
        content: { ...revocationRegistryDefinition },
        type: 'anonCredsRevocRegDef',
        name: revocationRegistryDefinition.tag,
        grows: true,
      })
      const state = { state: 'finished' as const, revocationRegistryDefinition, revocationRegistryDefinitionId }
      return { ...base, revocationRegistryDefinitionState: state }
    } catch (error) {
      return { ...base, revocationRegistryDefinitionState: failed(error) }
    }
  }

  /** The list's time is now, never in the future: fails unless the last list is older. It is part of the content and of the registry's link. */
  async registerRevocationStatusList(agentContext: AgentContext, options: RegisterRevocationStatusListOptions) {
    const base = { revocationStatusListMetadata: {}, registrationMetadata: {} }
    try {
      const revocationStatusList = await this.#addStatusList(agentContext, options.revocationStatusList)
      return { ...base, revocationStatusListState: { state: 'finished' as const, revocationStatusList } }
    } catch (error) {
      return { ...base, revocationStatusListState: failed(error) }
    }
  }

  async #addStatusList(agentContext: AgentContext, given: object): Promise<AnonCredsRevocationStatusList> {
    const { revRegDefId, issuerId, revocationList } = checked(
      v.omit(AnonCredsRevocationStatusList, ['timestamp']),
      given,
    )
    const { object: registry, resource } = await readObject(
      agentContext,
      revRegDefId,
      AnonCredsRevocationRegistryDefinition,
      'growing',
    )
    if (issuerId !== registry.issuerId || revocationList.length !== registry.value.maxCredNum)
      throw new CredoError('the list is not of this registry')
    const last = statusLinks(resource).at(-1)?.timestamp ?? 0
    const timestamp = epochSeconds()
    if (last >= timestamp) throw new CredoError('the newest list is of this second or of a later one')
    const list = checked(AnonCredsRevocationStatusList, { ...given, timestamp })
    const id = await publish(agentContext, { issuerId, content: { ...list }, type: STATUS_LIST, name: `${timestamp}` })
    const link = { id, type: STATUS_LIST, timestamp }
    const name = parseResourceId(revRegDefId)?.name ?? ''
    await republish(agentContext, { issuerId, name }, { ...resource, links: [...(resource.links ?? []), link] })
    return list
  }
}
