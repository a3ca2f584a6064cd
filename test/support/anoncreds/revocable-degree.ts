/** A degree that a tenant issues and can revoke, by the service's operations alone: its definition, offers and requests. */
import { waitFor } from '../../wallet/wait.ts'
import type { InProcessStage, Json } from '../stage/in-process-stage.ts'
import { succeed } from '../tenants.ts'

/** As the quick keys have them. */
const DEGREE_SCHEMA = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }

const VALUES = { name: 'Alice', degree: 'Bachelor', age: '24' }

/** Asks for a definition. Resolves to its id when it is finished; its first registry is being made. */
export const defineDegree = async (stage: InProcessStage, issuer: { tenantId: string }): Promise<string> => {
  const { schemaId } = await succeed(stage, 'createSchema', issuer, { body: DEGREE_SCHEMA })
  const body = { schemaId, tag: 'default', supportRevocation: true, revocationRegistrySize: 100 }
  const { id } = await succeed(stage, 'createCredentialDefinition', issuer, { body })
  return waitFor('the definition', async () => {
    const path = { credentialDefinitionId: id }
    const found = await succeed(stage, 'getCredentialDefinitionById', issuer, { path })
    return found.state === 'finished' && found.credentialDefinitionId
  })
}

/** Body of CreateOffer. */
export const degreeOffer = (connectionId: string, credentialDefinitionId: string) => ({
  ...{ connectionId, protocolVersion: 'v2', autoAcceptCredential: 'always' },
  credentialFormats: {
    anoncreds: {
      credentialDefinitionId,
      attributes: Object.entries(VALUES).map(([name, value]) => ({ name, value })),
    },
  },
})

/** Offers, as soon as there is a registry. */
export const offerDegree = (
  stage: InProcessStage,
  issuer: { tenantId: string },
  body: ReturnType<typeof degreeOffer>,
): Promise<Json> =>
  waitFor('a registry', async () => {
    const { status, body: made } = await stage.call('createOffer', { caller: issuer, body })
    if (status !== 409 && status !== 200) throw new Error(`the offer is a ${status}: ${JSON.stringify(made)}`)
    return status === 200 && made
  })

/** Body of a request for a degree, not revoked by now, whose subject is of age. */
export const degreeRequest = (credentialDefinitionId: string) => {
  const restrictions = [{ cred_def_id: credentialDefinitionId }]
  const anoncreds = {
    ...{ name: 'degree', version: '1.0', non_revoked: { to: Math.floor(Date.now() / 1000) } },
    requested_attributes: { degree: { name: 'degree', restrictions } },
    requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
  }
  return { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { anoncreds } }
}
