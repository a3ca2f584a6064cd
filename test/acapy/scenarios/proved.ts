/** DIF presentations that the wallet asks for, and the agent makes: Present Proof 2.0 (Aries RFC 0454) with RFC 0510. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { newHolderDid, selfIssue } from '../credentials.ts'
import { license, licenseRequest, resident, residentRequest, trustedContexts } from '../harness.ts'
import type { ProofType } from '../holding.ts'
import { connectAsInvitee, take, takenBy } from '../inviter.ts'
import { heardOn } from '../messages.ts'
import { hold, holdLicense, ourProofOf, prove, requestInInvitation, requestOf, theirProofOf } from '../proving.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const PROTOCOL = 'Present Proof 2.0, DIF'
const PROVER = { protocol: PROTOCOL, role: 'prover' }
const VERIFIER = { protocol: PROTOCOL, role: 'verifier' }
const TYPE = 'Ed25519Signature2018'
const DESCRIPTOR = 'drivers_license_input_1'

const proves =
  (proofType: ProofType): Scenario['play'] =>
  async (scene) => {
    const { walletConnectionId } = await connectAsInvitee(scene)
    await holdLicense(scene, walletConnectionId, proofType)
    await prove(scene, await requestOf(scene, walletConnectionId, licenseRequest(proofType)))
  }

/** From our request to the presentation that we accept, each step by a call. `credentials`: ids in the wallet's store, by descriptor. */
const verifyByCalls = async (scene: Scene, threadId: string, credentials: Record<string, string[]>): Promise<void> => {
  const { acapy, agent } = scene
  const { pres_ex_id: theirs } = await theirProofOf(acapy, threadId, 'request-received')
  await acapy.post(`/present-proof-2.0/records/${theirs}/send-presentation`, { dif: { record_ids: credentials } })
  const { id, isVerified } = await ourProofOf(scene, threadId, 'presentation-received')
  assert.equal(isVerified, true)
  await agent.ask(`/proofs/${id}/accept-presentation`, {})
  await ourProofOf(scene, threadId, 'done')
  await theirProofOf(acapy, threadId, 'done')
}

interface Verified {
  credentialAbout?: typeof license | typeof resident
  request?: typeof licenseRequest
  options?: object
  proofType?: ProofType
}

/**
 * As the harness asks, but for the `domain`. With 2020 no format is named: ACA-Py signs presentations with a proof of 2018 whatever is asked
 * for, and looks for no credentials of 2020 where a format is.
 */
const verifies =
  ({
    credentialAbout = license,
    request = licenseRequest,
    options = trustedContexts,
    proofType = TYPE,
  }: Verified = {}): Scenario['play'] =>
  async (scene) => {
    const { acapy, agent } = scene
    const { connection } = await connect(scene)
    const holder = await newHolderDid(acapy)
    const { credentialId } = await selfIssue(acapy, credentialAbout(holder), await newHolderDid(acapy), proofType)
    const {
      options: { challenge },
      presentation_definition: { format, ...definition },
    } = request(TYPE)
    const presentationDefinition = { ...definition, ...(proofType === TYPE && { format }) }
    const { id, threadId } = await agent.ask('/proofs/request-proof', {
      connectionId: connection.id,
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: { presentationDefinition, options: { challenge, ...options } } },
      comment: '',
      autoAcceptProof: 'never',
    })
    const descriptor = presentationDefinition.input_descriptors[0]?.id ?? ''
    await verifyByCalls(scene, threadId, { [descriptor]: [credentialId] })
    const { presentation } = await agent.ask(`/proofs/${id}/form-data`)
    const [{ credentialSubject }] = presentation.presentationExchange.verifiableCredential
    const { type: __, ...claims }: Record<string, unknown> = credentialAbout(holder).credentialSubject
    for (const [name, value] of Object.entries(claims)) assert.equal(credentialSubject[name], value)
  }

export const PROVED: Scenario[] = [
  scenario(PROVER, 'proved', 'asks for a credential, which we select and present', proves(TYPE)),
  scenario(
    PROVER,
    'proved-2020',
    'asks for a credential with a proof of 2020, which we select and present',
    proves('Ed25519Signature2020'),
  ),
  scenario(
    PROVER,
    'proved-resident',
    'asks for the other credential of the interop suite, which we select and present',
    async (scene) => {
      const { walletConnectionId } = await connectAsInvitee(scene)
      await hold(scene, walletConnectionId, resident)
      await prove(scene, await requestOf(scene, walletConnectionId, residentRequest(TYPE)))
    },
  ),
  scenario(PROVER, 'proved-named', 'asks for a credential, and gets the one of two that we name', async (scene) => {
    const { walletConnectionId } = await connectAsInvitee(scene)
    await holdLicense(scene, walletConnectionId)
    const second = await holdLicense(scene, walletConnectionId)
    const ours = await requestOf(scene, walletConnectionId, licenseRequest(TYPE))
    const presented = await prove(scene, ours, {
      proofFormats: { presentationExchange: { credentials: { [DESCRIPTOR]: [second.id] } } },
    })
    const [credential] = presented.by_format.pres.dif.verifiableCredential
    assert.deepEqual(credential.issuer, second.credentialInstances[0].credential.issuer)
  }),
  scenario(PROVER, 'proved-nothing-fits', 'asks for what we do not have: a 422, and we decline', async (scene) => {
    const { acapy, agent } = scene
    const { walletConnectionId } = await connectAsInvitee(scene)
    const ours = await requestOf(scene, walletConnectionId, licenseRequest(TYPE))
    await assert.rejects(agent.ask(`/proofs/${ours.id}/accept-request`, {}), /answers 422/)
    const problemReportDescription = 'I have none'
    await agent.ask(`/proofs/${ours.id}/decline-request`, { problemReportDescription })
    await ourProofOf(scene, ours.threadId, 'declined')
    const { error_msg: reason } = await theirProofOf(acapy, ours.threadId, 'abandoned')
    assert.match(reason, /I have none/)
  }),
  scenario(PROVER, 'proved-abandoned', 'takes its request back by a problem report', async (scene) => {
    const { acapy } = scene
    const { walletConnectionId } = await connectAsInvitee(scene)
    const ours = await requestOf(scene, walletConnectionId, licenseRequest(TYPE))
    const { pres_ex_id: id } = await theirProofOf(acapy, ours.threadId, 'request-sent')
    await acapy.post(`/present-proof-2.0/records/${id}/problem-report`, { description: 'It was a mistake' })
    const { errorMessage } = await ourProofOf(scene, ours.threadId, 'abandoned')
    assert.match(errorMessage, /It was a mistake/)
  }),
  scenario(PROVER, 'proved-proposed', 'asks for what we have proposed, and we present it', async (scene) => {
    const { acapy, agent } = scene
    const { connection, walletConnectionId } = await connectAsInvitee(scene)
    await holdLicense(scene, walletConnectionId)
    const dif = licenseRequest(TYPE)
    const proposed = await agent.ask('/proofs/propose-proof', {
      connectionId: connection.id,
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: { presentationDefinition: dif.presentation_definition } },
      autoAcceptProof: 'never',
    })
    const { pres_ex_id: id } = await theirProofOf(acapy, proposed.threadId, 'proposal-received')
    await acapy.post(`/present-proof-2.0/records/${id}/send-request`, { presentation_request: { dif } })
    await prove(scene, await ourProofOf(scene, proposed.threadId, 'request-received'))
  }),
  scenario(
    PROVER,
    'proved-without-connection',
    'asks in an invitation without a connection; we present',
    async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connectAsInvitee(scene)
      await holdLicense(scene, walletConnectionId)
      const { invited, threadId } = await requestInInvitation(acapy, licenseRequest(TYPE), { handshake_protocols: [] })
      await take(scene, invited)
      await prove(scene, await ourProofOf(scene, threadId, 'request-received'))
    },
  ),
  scenario(
    PROVER,
    'proved-without-connection-declined',
    'asks in an invitation without a connection, and gets our problem report; ACA-Py accepts none without a connection',
    async (scene) => {
      const { acapy, agent } = scene
      const { invited, threadId } = await requestInInvitation(acapy, licenseRequest(TYPE), { handshake_protocols: [] })
      await take(scene, invited)
      const ours = await ourProofOf(scene, threadId, 'request-received')
      await agent.ask(`/proofs/${ours.id}/decline-request`, {})
      await ourProofOf(scene, threadId, 'declined')
      await heardOn(acapy, 'present-proof/2.0/problem-report', threadId)
    },
  ),
  scenario(
    { ...PROVER, repeated: true },
    'proved-repeated',
    'delivers everything three times, and all of it again at the end; we present once',
    async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connectAsInvitee(scene)
      await holdLicense(scene, walletConnectionId)
      await prove(scene, await requestOf(scene, walletConnectionId, licenseRequest(TYPE)))
      assert.deepEqual(
        (await scene.deliverAgain()).filter((status) => status >= 300),
        [],
      )
      assert.equal((await acapy.heard('present-proof/2.0/presentation', walletConnectionId)).length, 1)
    },
  ),
  scenario(PROVER, 'proved-attached', 'asks in an invitation; we connect and present', async (scene) => {
    const { acapy } = scene
    const { walletConnectionId } = await connectAsInvitee(scene)
    await holdLicense(scene, walletConnectionId)
    const { invited, threadId } = await requestInInvitation(acapy, licenseRequest(TYPE))
    await takenBy(scene, invited, await take(scene, invited))
    await prove(scene, await ourProofOf(scene, threadId, 'request-received'))
  }),
  scenario(
    VERIFIER,
    'verified-step-by-step',
    'is asked on a connection, presents, and is accepted by a call',
    verifies(),
  ),
  scenario(
    VERIFIER,
    'verified-2020',
    'presents a credential with a proof of 2020',
    verifies({ proofType: 'Ed25519Signature2020' }),
  ),
  scenario(
    VERIFIER,
    'verified-resident',
    'presents the other credential of the interop suite',
    verifies({ credentialAbout: resident, request: residentRequest, options: {} }),
  ),
  scenario(
    VERIFIER,
    'verified-proposed',
    'proposes a presentation, which we ask for by a call, and presents it',
    async (scene) => {
      const { acapy, agent } = scene
      const { walletConnectionId } = await connect(scene)
      const holder = await newHolderDid(acapy)
      const { credentialId } = await selfIssue(acapy, license(holder), await newHolderDid(acapy))
      const { presentation_definition: presentationDefinition } = licenseRequest(TYPE)
      const { thread_id: threadId } = await acapy.post('/present-proof-2.0/send-proposal', {
        connection_id: walletConnectionId,
        presentation_proposal: { dif: presentationDefinition },
      })
      const { id } = await ourProofOf(scene, threadId, 'proposal-received')
      await agent.ask(`/proofs/${id}/accept-proposal`, {
        proofRecordId: id,
        proofFormats: { presentationExchange: { presentationDefinition, options: trustedContexts } },
        autoAcceptProof: 'never',
      })
      await verifyByCalls(scene, threadId, { [DESCRIPTOR]: [credentialId] })
    },
  ),
]
