/** AnonCreds objects of did:webvh: attested resources of their issuer's DID, with hashes of their contents as ids. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
} from '../../../records/anoncreds-objects.ts'
import { epochSeconds } from '../../../store/table.ts'
import type { AttestedResource, ResourceLink } from '../../../webvh/attested-resource.ts'
import { parseResourceId } from '../../../webvh/did.ts'
import { type Freshness, publish, readAttested, republish } from '../../webvh/index.ts'

/** Types of resources and links that Credo and ACA-Py use. */
const STATUS_LIST = 'anonCredsStatusList'

const checked = <S extends v.GenericSchema>(schema: S, content: unknown): v.InferOutput<S> => {
  const result = v.safeParse(schema, content, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  throw new CredoError(`${v.getDotPath(issue) ?? 'it'} is not valid in AnonCreds`)
}

/** An object and its resource. Throws unless the object's issuer is the DID of its id. */
export const readObject = async <S extends v.GenericSchema<unknown, { issuerId: string }>>(
  agentContext: AgentContext,
  id: string,
  schema: S,
  freshness: Freshness = 'immutable',
): Promise<{ object: v.InferOutput<S>; resource: AttestedResource }> => {
  const { resource, issuerId } = await readAttested(agentContext, id, freshness)
  const object = checked(schema, resource.content)
  if (object.issuerId !== issuerId) throw new CredoError('its issuer is not the DID of its id')
  return { object, resource }
}

type StatusLink = ResourceLink & { timestamp: number }

/** Links to status lists, oldest first. */
const statusLinks = ({ links }: Pick<AttestedResource, 'links'>): StatusLink[] =>
  (links ?? [])
    .filter((link): link is StatusLink => link.type === STATUS_LIST && link.timestamp !== undefined)
    .sort((a, b) => a.timestamp - b.timestamp)

export const readRegistry = (agentContext: AgentContext, registryId: string) =>
  readObject(agentContext, registryId, AnonCredsRevocationRegistryDefinition, 'growing')

/** The list that was valid at a time, with all checks that it belongs to its registry. */
export const readStatusList = async (agentContext: AgentContext, registryId: string, timestamp: number) => {
  const { object: registry, resource } = await readRegistry(agentContext, registryId)
  const past = statusLinks(resource).filter((one) => one.timestamp <= timestamp)
  const link = past.at(-1)
  if (link === undefined) throw new CredoError('the registry has no status list of this time')
  // Ambiguous until there is a later list.
  if (past.some((one) => one.timestamp === link.timestamp && one.id !== link.id))
    throw new CredoError('the registry has two status lists of one time')
  const { object: list } = await readObject(agentContext, link.id, AnonCredsRevocationStatusList)
  if (list.issuerId !== registry.issuerId) throw new CredoError("the list is not of the registry's issuer")
  if (list.revRegDefId !== registryId) throw new CredoError('the list belongs to another registry')
  if (list.timestamp !== link.timestamp) throw new CredoError('the list does not have the time of its link')
  if (list.revocationList.length !== registry.value.maxCredNum)
    throw new CredoError('the list does not have the length of its registry')
  return list
}

export const publishSchema = async (agentContext: AgentContext, content: object) => {
  const schema = checked(AnonCredsSchema, content)
  const { issuerId, name } = schema
  return { schema, schemaId: await publish(agentContext, { issuerId, content: schema, type: 'anonCredsSchema', name }) }
}

export const publishDefinition = async (agentContext: AgentContext, content: object) => {
  const credentialDefinition = checked(AnonCredsCredentialDefinition, content)
  const { issuerId, tag: name } = credentialDefinition
  const resource = { issuerId, content: { ...credentialDefinition }, type: 'anonCredsCredDef', name }
  return { credentialDefinition, credentialDefinitionId: await publish(agentContext, resource) }
}

export const publishRegistry = async (agentContext: AgentContext, content: object) => {
  const revocationRegistryDefinition = checked(AnonCredsRevocationRegistryDefinition, content)
  const { issuerId, tag: name } = revocationRegistryDefinition
  const resource = { content: { ...revocationRegistryDefinition }, type: 'anonCredsRevocRegDef', grows: true }
  const revocationRegistryDefinitionId = await publish(agentContext, { issuerId, name, ...resource })
  return { revocationRegistryDefinition, revocationRegistryDefinitionId }
}

/**
 * Publishes a list with the current time, which is part of its content and of the registry's link. Throws unless the
 * last list is older.
 */
export const publishStatusList = async (
  agentContext: AgentContext,
  content: object,
): Promise<AnonCredsRevocationStatusList> => {
  const schema = v.omit(AnonCredsRevocationStatusList, ['timestamp'])
  const { revRegDefId, issuerId, revocationList } = checked(schema, content)
  const { object: registry, resource } = await readRegistry(agentContext, revRegDefId)
  if (issuerId !== registry.issuerId || revocationList.length !== registry.value.maxCredNum)
    throw new CredoError('the list is not of this registry')
  const last = statusLinks(resource).at(-1)?.timestamp ?? 0
  const timestamp = epochSeconds()
  if (last >= timestamp) throw new CredoError('the newest list has the current time, or a later one')
  const list = checked(AnonCredsRevocationStatusList, { ...content, timestamp })
  const id = await publish(agentContext, { issuerId, content: { ...list }, type: STATUS_LIST, name: `${timestamp}` })
  const link = { id, type: STATUS_LIST, timestamp }
  const name = parseResourceId(revRegDefId)?.name ?? ''
  await republish(agentContext, { issuerId, name }, { ...resource, links: [...(resource.links ?? []), link] })
  return list
}
