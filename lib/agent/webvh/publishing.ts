/** Publishes attested resources of the agent's did:webvh in the running unit of work. */
import { type AgentContext, CredoError, DidRepository, Kms } from '@credo-ts/core'
import { currentUnit } from '../../store/transaction.ts'
import { type AttestedResource, attest, contentHash, type UnsignedResource } from '../../webvh/attested-resource.ts'
import { publishResource, readWebvhLog, replaceResource } from '../../webvh/published.ts'

/** https://identity.foundation/did-attested-resources */
const CONTEXT = [
  'https://identity.foundation/did-attested-resources/context/v0.1',
  'https://w3id.org/security/data-integrity/v2',
]

interface NewResource {
  issuerId: string
  content: Record<string, unknown>
  /** The type that other implementations use, such as `anonCredsSchema`. */
  type: string
  /** A label for people. */
  name: string
  /** Whether links may be added later. */
  grows?: boolean
}

/** Signs and publishes a resource. Returns its id. Throws for a DID other than the agent's did:webvh. */
export const publish = async (agentContext: AgentContext, resource: NewResource): Promise<string> => {
  const { issuerId, content, type, name: resourceName, grows = false } = resource
  const unit = currentUnit()
  if ((await readWebvhLog(unit, unit.tenant))?.did !== issuerId)
    throw new CredoError("the issuer is not the agent's own did:webvh")
  const name = contentHash(content)
  const id = `${issuerId}/resources/${name}`
  const metadata = { resourceId: name, resourceType: type, resourceName }
  const document: UnsignedResource = {
    '@context': CONTEXT,
    type: ['AttestedResource'],
    id,
    content,
    metadata,
    ...(grows && { links: [] }),
  }
  await publishResource(unit, name, { document: JSON.stringify(await sign(agentContext, issuerId, document)), grows })
  return id
}

/**
 * Replaces a published resource with links, and signs it again, because the proof covers the links. The running unit of
 * work must have read the resource. Throws if the agent has no such resource.
 */
export const republish = async (
  agentContext: AgentContext,
  { issuerId, name }: { issuerId: string; name: string },
  { proof: _, ...document }: AttestedResource,
): Promise<void> => {
  const signed = await sign(agentContext, issuerId, document as UnsignedResource)
  if (!(await replaceResource(currentUnit(), name, JSON.stringify(signed))))
    throw new CredoError('the agent has no such resource')
}

const sign = async (agentContext: AgentContext, did: string, document: UnsignedResource): Promise<AttestedResource> => {
  const [record] = await agentContext.resolve(DidRepository).getCreatedDids(agentContext, { did })
  const key = record?.keys?.[0]
  if (key === undefined) throw new CredoError('the agent does not have the key of this DID')
  const kms = agentContext.resolve(Kms.KeyManagementApi)
  return attest(
    document,
    `${did}${key.didDocumentRelativeKeyId}`,
    async (data) => (await kms.sign({ keyId: key.kmsKeyId, algorithm: 'EdDSA', data })).signature,
  )
}
