/** DIF presentations: Present Proof 2.0 (Aries RFC 0454) with RFC 0510. */
import assert from 'node:assert/strict'
import { connect, invitationOf, receive } from '../connect.ts'
import { DEGREE_CONTEXT } from '../contexts.ts'
import { issue, newHolderDid, selfIssue } from '../credentials.ts'
import { present, requested, verified } from '../presentations.ts'
import {
  BACHELOR,
  type Descriptor,
  definitionOf,
  degreeCredential,
  inlineDegreeCredential,
  offer,
  PLAIN,
  plainCredential,
  proofRequest,
  trustedContexts,
  VERIFIABLE_CREDENTIAL,
} from '../requests.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const PROTOCOL = 'Present Proof 2.0, DIF'
const VERIFIER = { protocol: PROTOCOL, role: 'verifier' }
const ISSUER_AND_VERIFIER = { protocol: PROTOCOL, role: 'issuer, verifier' }

interface Presented {
  descriptors: Descriptor[]
  options?: object
  /** Of the wallet's own credentials, by the id of a descriptor. */
  credentials?: Record<string, (holderDid: string) => object>
}

/** Connects by a request, and presents credentials that the wallet has issued to itself. */
const presentOwn = async (
  scene: Scene,
  { descriptors, options, credentials = { degree: (holderDid) => degreeCredential(holderDid, 'Bachelor') } }: Presented,
) => {
  const { acapy } = scene
  const holderDid = await newHolderDid(acapy)
  const issuer = await newHolderDid(acapy)
  const held: Record<string, string> = {}
  for (const [id, credentialFor] of Object.entries(credentials))
    held[id] = (await selfIssue(acapy, credentialFor(holderDid), issuer)).credentialId
  const { request } = await connect(scene, {}, proofRequest(descriptors, options))
  await present(acapy, request, held)
  return request
}

const verifies =
  (presented: Presented): Scenario['play'] =>
  async (scene) => {
    await verified(scene, await presentOwn(scene, presented))
  }

export const PRESENTATIONS: Scenario[] = [
  scenario(
    ISSUER_AND_VERIFIER,
    'credential-and-proof',
    'takes a credential of ours, and presents it to us',
    async (scene) => {
      const holderDid = await newHolderDid(scene.acapy)
      const asked = proofRequest([PLAIN])
      const { request, connection } = await connect(scene, {}, asked)
      const { credentialId } = await issue(scene, connection.id, plainCredential(holderDid), holderDid)
      await present(scene.acapy, request, { degree: credentialId })
      await verified(scene, request)
    },
  ),
  scenario(
    ISSUER_AND_VERIFIER,
    'credential-and-proof-of-a-degree',
    'takes a degree with a context in it, and presents it to us, who trust that context',
    async (scene) => {
      const holderDid = await newHolderDid(scene.acapy)
      const { request, connection } = await connect(scene, {}, proofRequest([BACHELOR], trustedContexts))
      const degree = inlineDegreeCredential(holderDid, 'Bachelor')
      const { credentialId } = await issue(scene, connection.id, degree, holderDid)
      await present(scene.acapy, request, { degree: credentialId })
      await verified(scene, request)
    },
  ),
  scenario(
    { ...ISSUER_AND_VERIFIER, wallet: 'automatic' },
    'automatic',
    'does everything by itself: has nothing to present, takes a degree, and presents it when asked again',
    async (scene) => {
      const { acapy, agent } = scene
      const holderDid = await newHolderDid(acapy)
      const first = await connect(scene)
      await agent.proofIn(first.request, 'abandoned')
      const degree = inlineDegreeCredential(holderDid, 'Bachelor')
      await agent.credentialIn(await agent.ask('/credentials/create-offer', offer(first.connection.id, degree)), 'done')
      const asked = proofRequest([BACHELOR], trustedContexts)
      const request = await agent.request({ ...asked, invitationDid: first.request.invitationDid })
      await receive(acapy, invitationOf(request))
      await verified(scene, request)
    },
  ),
  scenario(
    VERIFIER,
    'proof-trusted-context',
    'presents a credential of a context that the request trusts',
    verifies({ descriptors: [BACHELOR], options: trustedContexts }),
  ),
  scenario(
    { ...VERIFIER, versions: ['1.7.0'] },
    'proof-unknown-context',
    'presents a credential of an untrusted context; it is not verified, and the proof names the context',
    async (scene) => {
      const { agent } = scene
      const request = await presentOwn(scene, { descriptors: [PLAIN] })
      const proof = await agent.proofIn(request, 'abandoned', 'done', 'presentation-received')
      assert.equal(proof.isVerified, false)
      assert.match(proof.errorMessage, new RegExp(DEGREE_CONTEXT))
    },
  ),
  scenario(
    VERIFIER,
    'proof-bundled-type',
    'presents a degree where `schema` is the full IRI of VerifiableCredential',
    verifies({ descriptors: [{ ...BACHELOR, schema: VERIFIABLE_CREDENTIAL }], options: trustedContexts }),
  ),
  scenario(
    VERIFIER,
    'proof-without-schema',
    'presents where the definition has no `schema`; its controller adds one, without which ACA-Py fails',
    async (scene) => {
      const { acapy } = scene
      const holderDid = await newHolderDid(acapy)
      const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
      const { request } = await connect(scene, {}, proofRequest([{ ...BACHELOR, schema: 'none' }], trustedContexts))
      const definition = definitionOf([BACHELOR])
      await present(acapy, request, { degree: credentialId }, { presentation_definition: definition })
      await verified(scene, request)
    },
  ),
  scenario(
    VERIFIER,
    'proof-two-credentials',
    'presents two credentials at once',
    verifies({
      descriptors: [
        { id: 'bachelor', fields: { '$.credentialSubject.degree': 'Bachelor' } },
        { id: 'master', fields: { '$.credentialSubject.degree': 'Master' } },
      ],
      options: trustedContexts,
      credentials: {
        bachelor: (holderDid) => degreeCredential(holderDid, 'Bachelor'),
        master: (holderDid) => degreeCredential(holderDid, 'Master'),
      },
    }),
  ),
  scenario(
    { ...VERIFIER, versions: ['1.7.0'] },
    'proof-domain',
    'does not sign the requested domain; the proof fails with this reason',
    async (scene) => {
      const { agent } = scene
      const options = { ...trustedContexts, domain: 'verifier.example.org' }
      const request = await presentOwn(scene, { descriptors: [BACHELOR], options })
      const proof = await agent.proofIn(request, 'abandoned', 'done')
      assert.equal(proof.state, 'abandoned')
      assert.match(proof.errorMessage, /domain/)
    },
  ),
  scenario(
    VERIFIER,
    'proof-on-existing-connection',
    'answers a second request, of the same DID, on the connection that it has',
    async (scene) => {
      const { acapy, agent } = scene
      const first = await connect(scene)
      const holderDid = await newHolderDid(acapy)
      const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
      const asked = proofRequest([BACHELOR], trustedContexts)
      const request = await agent.request({ ...asked, invitationDid: first.request.invitationDid })
      assert.equal(await receive(acapy, invitationOf(request)), first.walletConnectionId)
      await present(acapy, request, { degree: credentialId })
      const { connectionId } = await verified(scene, request)
      assert.equal(connectionId, first.connection.id)
    },
  ),
  scenario(VERIFIER, 'proof-without-connection', 'answers a request without a connection', async (scene) => {
    const { acapy, agent } = scene
    const holderDid = await newHolderDid(acapy)
    const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
    const request = await agent.request(proofRequest([BACHELOR], trustedContexts))
    const { handshake_protocols: _, ...invitation } = invitationOf(request)
    await receive(acapy, invitation)
    await requested(acapy, request)
    await present(acapy, request, { degree: credentialId })
    await verified(scene, request)
  }),
]
