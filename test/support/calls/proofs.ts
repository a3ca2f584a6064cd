/** Example calls on proofs, in both roles. */
import { randomUUID } from 'node:crypto'
import { anonCredsRequest, presentationBody, requestBody } from '../scenes.ts'
import type { CallScene, Examples } from './call-scene.ts'
import { issue, presented, REQUEST, received, scenes } from './presented-proofs.ts'

/** A request of the scene's peer that the tenant has received, and holds a degree for. */
const asked = async (scene: CallScene): Promise<string> => {
  const { caller, theirConnectionId: connectionId } = await scene.peer()
  await scene.once('held degree', () => issue(scene, { caller, connectionId }, scenes(scene)))
  const request = await scene.done('RequestProof', { caller, body: { connectionId, ...REQUEST } })
  return received(scene, scenes(scene), request)
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
  DeleteProof: async (scene) => {
    const proofRecordId = await presented(scene)
    await scene.done('AcceptPresentation', { path: { proofRecordId } })
    const open = { proofRecordId: await presented(scene) }
    return { asked: { path: open, query: { abandon: 'true' } }, other: { path: { proofRecordId } } }
  },
  GetProofs: async (scene) => {
    await scene.once('proof', () => presented(scene))
    return { asked: { query: { limit: '10' } }, other: { query: { role: 'verifier', order: 'desc' } } }
  },
}
