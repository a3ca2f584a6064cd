import { expect, test } from 'vitest'
import type { TenantAgent } from '../../lib/agent/credo/current.ts'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const wallet = await useWallet()

/** Runs with the tenant's own Credo agent. */
const withAgent = async <T>(tenantId: string, act: (agent: TenantAgent) => Promise<T>): Promise<T> => {
  const { transaction } = await import('../../lib/store/transaction.ts')
  await import('../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../lib/agent/credo/current.ts')
  return transaction(tenantId, async () => act(await currentAgent()))
}

/** Credo's JSON; its `_tags` lack what is only computed on `getTags()`. */
const json = (record: { toJSON(): object; getTags(): object }): Json =>
  JSON.parse(JSON.stringify({ ...record.toJSON(), _tags: record.getTags() }))

test('records are equal to those of Credo', async () => {
  const caller = await createTenant(stage)
  const { tenantId } = caller
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'hello' } })
  await wallet.sendMessage(walletConnectionId, 'hello yourself')
  const { id: credentialRecordId } = await issueDegree(stage, wallet, connectionId, caller)
  const proofPath = { tenantId, proofRecordId: request.proofRecordId }
  const proof = await waitFor('the proof to be done', async () => {
    const { body } = await stage.call('tenantProofFormData', { caller, path: proofPath })
    return body.state === 'done' && body
  })

  const credential = await stage.call('getCredentialById', { caller, path: { credentialRecordId } })
  const connection = await stage.call('getConnectionById', { caller, path: { connectionId } })
  const messages = await stage.call('tenantGetBasicMessages', { caller, path: { tenantId, connectionId } })
  await withAgent(tenantId, async ({ didcomm }) => {
    const stored = json(await didcomm.credentials.getById(credentialRecordId))
    expect(credential.body).toEqual({ credentialAttributes: [], ...stored })
    expect(connection.body).toEqual(json(await didcomm.connections.getById(connectionId)))
    const found = await didcomm.basicMessages.findAllByQuery({ connectionId })
    // The delivery status of a sent message is not in its record.
    const withoutDelivery = ({ metadata: { '_agent/delivery': _, ...metadata }, ...message }: Json): Json => ({
      ...message,
      metadata,
    })
    expect(messages.body.map(withoutDelivery)).toEqual(found.map(json).map(withoutDelivery))
    expect(messages.body).toHaveLength(2)

    const { request: asked, presentation, verifiedFormats, ...rest } = proof
    expect(verifiedFormats).toEqual(['presentationExchange'])
    // The metadata holds only what the agent notes for itself.
    expect(rest).toEqual({ ...json(await didcomm.proofs.getById(request.proofRecordId)), metadata: {} })
    const formats = JSON.parse(JSON.stringify(await didcomm.proofs.getFormatData(request.proofRecordId)))
    expect(asked).toEqual(formats.request)
    // The presentation is shown as it was signed: its text may differ.
    const [signed] = presentation.presentationExchange.verifiableCredential
    const [written] = [formats.presentation.presentationExchange.verifiableCredential].flat()
    expect(signed.credentialSubject).toEqual(written.credentialSubject)
    expect(request.outOfBandRecord.outOfBandInvitation).toEqual(
      json(await didcomm.oob.getById(request.outOfBandRecord.id)).outOfBandInvitation,
    )
  })
})
