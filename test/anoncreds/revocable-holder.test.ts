/** A tenant that holds a credential which another tenant can revoke, by HTTP alone: it is issued, proved, revoked and proved again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { defineDegree, degreeOffer, degreeRequest, offerDegree } from '../support/anoncreds/revocable-degree.ts'
import { acceptOffer, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { createTenant } from '../support/scenes.ts'
import {
  type InProcessStage,
  type Json,
  type OperationName,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { connectionOf, connectTenants } from '../support/tenants.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

const tokenIssuer = await trustIssuer()
const receiver = await stopAtEnd(startFaultyReceiver())

interface Tenant {
  tenantId: string
}

describeWithLibrary('a tenant that holds a credential which can be revoked', () => {
  let stage: InProcessStage
  let issuer: Tenant
  let holder: Tenant
  /** The issuer's connection, and the DID of its invitation. */
  let connectionId: string
  let invitationDid: string
  let credentialDefinitionId: string

  beforeAll(async () => {
    stage = await startInProcessStage()
    stage.line.run()
    await useQuickKeys()
    issuer = await createTenant(stage, 'Issuer')
    credentialDefinitionId = await defineDegree(stage, issuer)
  })
  afterAll(() => stage.stop())

  /** A holder with a connection to the issuer. */
  const connectHolder = async (config: object = {}): Promise<void> => {
    const { body } = await stage.call('createTenant', { body: { config: { label: 'Holder', ...config } } })
    holder = { tenantId: body.id }
    const { invited, ...connected } = await connectTenants(stage, issuer, holder)
    connectionId = connected.connectionId
    invitationDid = invited.invitationDid
  }

  const ask = async (caller: Tenant, operation: OperationName, call: object): Promise<Json> => {
    const { status, body } = await stage.call(operation, { caller, ...call })
    if (status >= 300) throw new Error(`${operation} answers ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** Both exchanges of a credential that the holder has stored. */
  const issue = async (): Promise<{ id: string; heldId: string }> => {
    const offer = await offerDegree(stage, issuer, degreeOffer(connectionId, credentialDefinitionId))
    const heldId = await waitFor('the offer', async () => {
      const [held] = await ask(holder, 'getCredentials', { query: { threadId: offer.threadId } })
      return held?.id as string
    })
    await acceptOffer(stage, holder, heldId)
    await storedBy(stage, holder, heldId)
    return { id: offer.id, heldId }
  }

  /** The issuer asks on the connection. Resolves to both exchanges. */
  const request = async (): Promise<{ proofRecordId: string; heldId: string }> => {
    const body = { connectionId, ...degreeRequest(credentialDefinitionId) }
    const { id, threadId } = await ask(issuer, 'requestProof', { body })
    const heldId = await waitFor('the request', async () => {
      const [held] = await ask(holder, 'getProofs', { query: { threadId } })
      return held?.id as string
    })
    return { proofRecordId: id, heldId }
  }

  const answer = (heldId: string, body: object = {}) =>
    stage.call('acceptProofRequest', { caller: holder, path: { proofRecordId: heldId }, body })

  const judged = (proofRecordId: string): Promise<Json> =>
    waitFor('the proof to be judged', async () => {
      const found = await ask(issuer, 'getProofById', { path: { proofRecordId } })
      return found.isVerified !== undefined && found
    })

  const isVerified = { state: 'done', isVerified: true }

  test('proves it until it is revoked, is notified, and has nothing to prove afterwards', async () => {
    await connectHolder()
    const { id, heldId } = await issue()
    const before = await request()
    expect(await answer(before.heldId)).toMatchObject({ status: 200 })
    expect(await judged(before.proofRecordId)).toMatchObject(isVerified)

    await ask(issuer, 'revokeCredential', { path: { credentialRecordId: id } })
    const { revocationNotification } = await waitFor('the holder to be told', async () => {
      const held = await ask(holder, 'getCredentialById', { path: { credentialRecordId: heldId } })
      return held.revocationNotification !== undefined && held
    })
    expect(revocationNotification).toMatchObject({ revocationDate: expect.any(String) })

    const after = await request()
    expect(await answer(after.heldId)).toMatchObject({ status: 422 })
    // Who presents it all the same proves nothing.
    const insisting = { filterByNonRevocationRequirements: false }
    expect(await answer(after.heldId, insisting)).toMatchObject({ status: 200 })
    expect(await judged(after.proofRecordId)).toMatchObject({
      ...{ state: 'abandoned', isVerified: false },
      errorMessage: expect.any(String),
    })
  })
  test('whose organization hears once that it is revoked, and so does that of its issuer', async () => {
    await connectHolder()
    const organizations = await Promise.all(
      [issuer, holder].map(({ tenantId }) =>
        OrganizationEndpoints.register({ stage, receiver, issuer: tokenIssuer }, tenantId),
      ),
    )
    const { id, heldId } = await issue()
    await ask(issuer, 'revokeCredential', { path: { credentialRecordId: id } })
    const heard = () =>
      organizations.map((organization) =>
        organization.heard('notification').filter(({ type }) => type.startsWith('credential.')),
      )
    const [issuers = [], holders = []] = await waitFor('both to hear of it', async () => {
      await stage.line.sweep()
      const both = heard()
      return both.every((events) => events.some(({ type }) => type.includes('revocation'))) && both
    })
    const ofRevocation = (events: typeof issuers) => events.find(({ type }) => type.includes('revocation'))
    expect(ofRevocation(issuers)).toMatchObject({ type: 'credential.revocation_published', recordId: id })
    expect(ofRevocation(holders)).toMatchObject({
      type: 'credential.revocation_notification_received',
      recordId: heldId,
      body: { data: { record: { id: heldId, state: 'done' } } },
    })
    for (const events of [issuers, holders]) {
      expect(events.filter(({ type }) => type.includes('revocation'))).toHaveLength(1)
      const sequences = events.map(({ sequence }) => sequence)
      expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
    }
  })

  test('proves it without a call where its settings say so, on a connection and in an invitation', async () => {
    await connectHolder({ autoAcceptProofRequests: true })
    await issue()
    const { proofRecordId } = await request()
    expect(await judged(proofRecordId)).toMatchObject(isVerified)
    const take = (operation: OperationName, body: object) => ask(holder, operation, { body })
    const ways: [object, (asked: Json) => Promise<unknown>][] = [
      [{ invitationDid }, ({ invitation }) => take('receiveInvitation', { invitation, reuseConnection: true })],
      [{ handshake: false }, ({ invitationUrl }) => take('receiveInvitationUrl', { invitationUrl })],
      [
        { handshake: false },
        async ({ invitation }) => {
          const { outOfBandRecord } = await take('receiveInvitation', { invitation, autoAcceptInvitation: false })
          await ask(holder, 'acceptInvitation', { path: { outOfBandId: outOfBandRecord.id }, body: {} })
        },
      ],
      [{}, ({ invitation }) => take('receiveInvitation', { invitation })],
    ]
    for (const [more, accept] of ways) {
      const asked = await ask(issuer, 'createRequest', { body: { ...degreeRequest(credentialDefinitionId), ...more } })
      await accept(asked)
      expect(await judged(asked.proofRecordId)).toMatchObject(isVerified)
    }
  })

  test('proves it by the response to its handshake, where that takes a call', async () => {
    await connectHolder({ autoAcceptProofRequests: true })
    await issue()
    const { invitation, proofRecordId } = await ask(issuer, 'createRequest', {
      body: degreeRequest(credentialDefinitionId),
    })
    const receipt = { invitation, autoAcceptConnection: false }
    const { outOfBandRecord, connectionRecord } = await ask(holder, 'receiveInvitation', { body: receipt })
    await connectionOf(stage, holder, outOfBandRecord.id, 'response-received')
    await ask(holder, 'acceptConnectionResponse', { path: { connectionId: connectionRecord.id } })
    expect(await judged(proofRecordId)).toMatchObject(isVerified)
  })
})
