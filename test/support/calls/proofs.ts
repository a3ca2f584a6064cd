/** Example calls on proofs, in both roles. */
import { randomUUID } from 'node:crypto'
import { anonCredsRequest, offerBody, presentationBody, requestBody } from '../scenes.ts'
import type { Caller, Json } from '../stage/in-process-stage.ts'
import type { CallScene, Examples } from './call-scene.ts'

const REQUEST = { ...requestBody, autoAcceptProof: 'never' }

/** Who issues or verifies, with its connection to the other. */
interface From {
  caller: Caller
  connectionId: string
}

const scenes = (scene: CallScene): Caller => ({ tenantId: scene.tenantId })

/** Has one tenant issue a degree to another, which keeps it. */
const issue = async (scene: CallScene, { caller, connectionId }: From, holder: Caller): Promise<void> => {
  const { did } = await scene.done('CreateDid', { caller: holder, body: { method: 'key', keyType: 'ed25519' } })
  const { threadId } = await scene.done('CreateOffer', { caller, body: offerBody(connectionId, did) })
  const [offered] = await scene.until('GetCredentials', { caller: holder, query: { threadId } }, ([found]) => found)
  await scene.done('AcceptCredentialOffer', { caller: holder, body: { credentialRecordId: offered.id } })
  const path = { credentialRecordId: offered.id }
  await scene.until('GetCredentialById', { caller: holder, path }, ({ state }) => state === 'done')
}

/** The exchange on a thread, as soon as the caller has it. */
const received = async (scene: CallScene, caller: Caller, { threadId }: Json): Promise<string> =>
  (await scene.until('GetProofs', { caller, query: { threadId } }, ([found]) => found))[0].id

/** A request of the scene's peer that the tenant has received, and holds a degree for. */
const asked = async (scene: CallScene): Promise<string> => {
  const { caller, theirConnectionId: connectionId } = await scene.peer()
  await scene.once('held degree', () => issue(scene, { caller, connectionId }, scenes(scene)))
  const request = await scene.done('RequestProof', { caller, body: { connectionId, ...REQUEST } })
  return received(scene, scenes(scene), request)
}

/** A presentation of the scene's peer that the tenant has verified. */
const presented = async (scene: CallScene): Promise<string> => {
  const { caller, connectionId } = await scene.peer()
  await scene.once("peer's degree", () => issue(scene, { caller: scenes(scene), connectionId }, caller))
  const request = await scene.done('RequestProof', { body: { connectionId, ...REQUEST } })
  const path = { proofRecordId: await received(scene, caller, request) }
  await scene.done('AcceptProofRequest', { caller, path, body: {} })
  await scene.until(
    'GetProofById',
    { path: { proofRecordId: request.id } },
    ({ state }) => state === 'presentation-received',
  )
  return request.id
}

const { presentationDefinition } = requestBody.proofFormats.presentationExchange

const proposal = (connectionId: string) => ({
  connectionId,
  protocolVersion: 'v2',
  proofFormats: { presentationExchange: { presentationDefinition } },
})

/** A proposal of the scene's peer. */
const proposed = async (scene: CallScene): Promise<string> => {
  const { caller, theirConnectionId } = await scene.peer()
  return received(scene, scenes(scene), await scene.done('ProposeProof', { caller, body: proposal(theirConnectionId) }))
}

/** The first presentation, for operations that only read. */
const anyProof = (scene: CallScene): Promise<string> => scene.once('proof', () => presented(scene))

export const proofs: Examples = {
  CreateRequest: async () => {
    const asked = { body: requestBody }
    const other = { body: { ...requestBody, comment: 'another' } }
    const more = {
      goalCode: 'g',
      label: 'l',
      willConfirm: true,
      parentThreadId: 'parent-thread',
      imageUrl: 'https://example.org/logo.png',
    }
    return {
      asked,
      other,
      generateFrom: [
        asked,
        { body: { ...other.body, ...more } },
        { body: presentationBody },
        { body: { protocolVersion: 'v1', proofFormats: { indy: anonCredsRequest } } },
        { body: { protocolVersion: 'v2', proofFormats: { anoncreds: anonCredsRequest } } },
      ],
    }
  },
  tenant_ProofFormData: async (scene) => {
    const { proofRecordId } = await scene.done('CreateRequest', { body: requestBody })
    return { asked: { path: { tenantId: scene.tenantId, proofRecordId } }, stranger: await scene.newTenant() }
  },
  RequestProof: async (scene) => ({
    asked: { body: { connectionId: await scene.connection(), ...REQUEST, comment: 'c', goalCode: 'g' } },
    other: { body: { connectionId: await scene.connection('second'), ...REQUEST } },
    generateFrom: [
      { body: { connectionId: await scene.connection(), ...presentationBody } },
      {
        body: {
          ...{ connectionId: await scene.connection(), protocolVersion: 'v1', parentThreadId: randomUUID() },
          proofFormats: { indy: anonCredsRequest },
        },
      },
    ],
  }),
  ProposeProof: async (scene) => ({
    asked: { body: { ...proposal(await scene.connection()), comment: 'c' } },
    other: {
      body: {
        ...{ connectionId: await scene.connection('second'), protocolVersion: 'v2' },
        proofFormats: {
          anoncreds: { attributes: [{ name: 'degree', credentialDefinitionId: 'did:example:definition' }] },
        },
      },
    },
  }),
  AcceptProofProposal: async (scene) => ({
    asked: { path: { proofRecordId: await proposed(scene) }, body: { comment: 'c' } },
    other: { path: { proofRecordId: await proposed(scene) }, body: {} },
  }),
  AcceptProofRequest: async (scene) => ({
    asked: { path: { proofRecordId: await asked(scene) }, body: { comment: 'c' } },
    other: { path: { proofRecordId: await asked(scene) }, body: { proofFormats: { presentationExchange: {} } } },
  }),
  DeclineProofRequest: async (scene) => ({
    asked: { path: { proofRecordId: await asked(scene) }, body: { problemReportDescription: 'no' } },
    other: { path: { proofRecordId: await asked(scene) }, body: {} },
  }),
  AcceptPresentation: async (scene) => ({
    asked: { path: { proofRecordId: await presented(scene) } },
    other: { path: { proofRecordId: await presented(scene) } },
  }),
  GetProofs: async (scene) => {
    await anyProof(scene)
    return { asked: { query: { limit: '10' } }, other: { query: { role: 'verifier', order: 'desc' } } }
  },
  GetProofById: async (scene) => ({ asked: { path: { proofRecordId: await anyProof(scene) } } }),
  GetProofFormData: async (scene) => ({ asked: { path: { proofRecordId: await anyProof(scene) } } }),
}
