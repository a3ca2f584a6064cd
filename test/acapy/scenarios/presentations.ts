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
import type { Scenario, Scene } from '../scenario.ts'

const PROTOCOL = 'Present Proof 2.0, DIF'
const BOTH = ['1.7.0', '1.2.7'] as const

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
  {
    name: 'credential-and-proof',
    title: 'takes a credential of ours, and presents it to us',
    protocol: PROTOCOL,
    role: 'issuer, verifier',
    versions: BOTH,
    play: async (scene) => {
      const holderDid = await newHolderDid(scene.acapy)
      const asked = proofRequest([PLAIN])
      const { request, connection } = await connect(scene, {}, asked)
      const { credentialId } = await issue(scene, connection.id, plainCredential(holderDid), holderDid)
      await present(scene.acapy, request, { degree: credentialId })
      await verified(scene, request)
    },
  },
  {
    name: 'credential-and-proof-of-a-degree',
    title: 'takes a degree with a context in it, and presents it to us, who trust that context',
    protocol: PROTOCOL,
    role: 'issuer, verifier',
    versions: BOTH,
    play: async (scene) => {
      const holderDid = await newHolderDid(scene.acapy)
      const { request, connection } = await connect(scene, {}, proofRequest([BACHELOR], trustedContexts))
      const degree = inlineDegreeCredential(holderDid, 'Bachelor')
      const { credentialId } = await issue(scene, connection.id, degree, holderDid)
      await present(scene.acapy, request, { degree: credentialId })
      await verified(scene, request)
    },
  },
  {
    name: 'automatic',
    title: 'does everything by itself: has nothing to present, takes a degree, and presents it when asked again',
    protocol: PROTOCOL,
    role: 'issuer, verifier',
    versions: BOTH,
    wallet: 'automatic',
    play: async (scene) => {
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
  },
  {
    name: 'proof-trusted-context',
    title: 'presents a credential of a context that the request trusts',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: verifies({ descriptors: [BACHELOR], options: trustedContexts }),
  },
  {
    name: 'proof-unknown-context',
    title: 'presents a credential of a context that nobody trusts; it is not verified, and the proof names the context',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { agent } = scene
      const request = await presentOwn(scene, { descriptors: [PLAIN] })
      const proof = await agent.proofIn(request, 'abandoned', 'done', 'presentation-received')
      assert.equal(proof.isVerified, false)
      assert.match(proof.errorMessage, new RegExp(DEGREE_CONTEXT))
    },
  },
  {
    name: 'proof-bundled-type',
    title: 'presents a degree where `schema` is the full IRI of VerifiableCredential',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: verifies({ descriptors: [{ ...BACHELOR, schema: VERIFIABLE_CREDENTIAL }], options: trustedContexts }),
  },
  {
    name: 'proof-without-schema',
    title: 'presents where the definition has no `schema`; its controller adds one, without which ACA-Py fails',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: async (scene) => {
      const { acapy } = scene
      const holderDid = await newHolderDid(acapy)
      const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
      const { request } = await connect(scene, {}, proofRequest([{ ...BACHELOR, schema: 'none' }], trustedContexts))
      const definition = definitionOf([BACHELOR])
      await present(acapy, request, { degree: credentialId }, { presentation_definition: definition })
      await verified(scene, request)
    },
  },
  {
    name: 'proof-two-credentials',
    title: 'presents two credentials at once',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: verifies({
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
  },
  {
    name: 'proof-domain',
    title: 'does not sign the domain that was asked for; the proof fails and says so',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { agent } = scene
      const options = { ...trustedContexts, domain: 'verifier.example.org' }
      const request = await presentOwn(scene, { descriptors: [BACHELOR], options })
      const proof = await agent.proofIn(request, 'abandoned', 'done')
      assert.equal(proof.state, 'abandoned')
      assert.match(proof.errorMessage, /domain/)
    },
  },
  {
    name: 'proof-on-existing-connection',
    title: 'answers a second request, of the same DID, on the connection that it has',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: async (scene) => {
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
  },
  {
    name: 'proof-without-connection',
    title: 'answers a request without a connection',
    protocol: PROTOCOL,
    role: 'verifier',
    versions: BOTH,
    play: async (scene) => {
      const { acapy, agent } = scene
      const holderDid = await newHolderDid(acapy)
      const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
      const request = await agent.request(proofRequest([BACHELOR], trustedContexts))
      const { handshake_protocols: _, ...invitation } = invitationOf(request)
      await receive(acapy, invitation)
      await requested(acapy, request)
      await present(acapy, request, { degree: credentialId })
      await verified(scene, request)
    },
  },
]
