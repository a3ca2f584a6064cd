/** Example calls on proofs. */
import { anonCredsRequest, presentationBody, requestBody } from '../scenes.ts'
import type { Examples } from './call-scene.ts'

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
}
