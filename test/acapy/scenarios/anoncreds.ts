/** Requests for Indy and AnonCreds proofs that are declined, or answered by what nobody vouches for. */
import assert from 'node:assert/strict'
import { v1Requested } from '../anoncreds-proofs.ts'
import { connect } from '../connect.ts'
import { requested } from '../presentations.ts'
import type { Scenario } from '../scenario.ts'

const asked = (protocolVersion: 'v1' | 'v2', format: 'indy' | 'anoncreds'): object => ({
  protocolVersion,
  autoAcceptProof: 'always',
  proofFormats: {
    [format]: {
      name: 'A name',
      version: '1.0',
      requested_attributes: { name: { name: 'name' } },
      requested_predicates: {},
    },
  },
})

const DECLINED = { description: 'No, thank you' }

/** An answer without any credential: the attribute was asked for without restrictions. */
const SELF_ATTESTED = {
  requested_attributes: {},
  requested_predicates: {},
  self_attested_attributes: { name: 'Alice' },
}

/** The wallet has the request, and declines it. */
const declines =
  (format: 'indy' | 'anoncreds'): Scenario['play'] =>
  async (scene) => {
    const { acapy, agent } = scene
    const { request } = await connect(scene, {}, asked('v2', format))
    const { pres_ex_id: id, by_format: formats } = await requested(acapy, request)
    assert.ok(formats.pres_request[format])
    await acapy.post(`/present-proof-2.0/records/${id}/problem-report`, DECLINED)
    await agent.proofIn(request, 'abandoned', 'declined')
  }

/** The wallet answers with what nobody vouches for, and nothing more was asked. */
const answers =
  (format: 'indy' | 'anoncreds'): Scenario['play'] =>
  async (scene) => {
    const { acapy, agent } = scene
    const { request } = await connect(scene, {}, asked('v2', format))
    const { pres_ex_id: id } = await requested(acapy, request)
    await acapy.post(`/present-proof-2.0/records/${id}/send-presentation`, { [format]: SELF_ATTESTED })
    const { isVerified, presentation, presentedAttributes } = await agent.proofIn(request, 'done', 'abandoned')
    assert.equal(isVerified, true)
    assert.ok(presentation?.[format], `the form data has ${JSON.stringify(presentation)}`)
    assert.equal(presentedAttributes[format].selfAttested[0].value, 'Alice')
  }

export const ANONCREDS: Scenario[] = [
  {
    name: 'indy-1-declined',
    title: 'declines an Indy request',
    protocol: 'Present Proof 1.0, Indy',
    role: 'verifier',
    versions: ['1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request } = await connect(scene, {}, asked('v1', 'indy'))
      const { presentation_exchange_id: id } = await v1Requested(acapy, request)
      await acapy.post(`/present-proof/records/${id}/problem-report`, DECLINED)
      await agent.proofIn(request, 'abandoned', 'declined')
    },
  },
  {
    name: 'indy-1-answered',
    title: 'answers an Indy request',
    protocol: 'Present Proof 1.0, Indy',
    role: 'verifier',
    versions: ['1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request } = await connect(scene, {}, asked('v1', 'indy'))
      const { presentation_exchange_id: id } = await v1Requested(acapy, request)
      await acapy.post(`/present-proof/records/${id}/send-presentation`, SELF_ATTESTED)
      const { isVerified, presentation } = await agent.proofIn(request, 'done', 'abandoned')
      assert.equal(isVerified, true)
      assert.ok(presentation?.indy)
    },
  },
  {
    name: 'indy-1-unknown',
    title: 'does not know the protocol: it reports a problem, and the proof is abandoned',
    protocol: 'Present Proof 1.0, Indy',
    role: 'verifier',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { request } = await connect(scene, {}, asked('v1', 'indy'))
      await scene.agent.proofIn(request, 'abandoned')
    },
  },
  {
    name: 'indy-2-declined',
    title: 'declines an Indy request',
    protocol: 'Present Proof 2.0, Indy',
    role: 'verifier',
    versions: ['1.7.0', '1.2.7'],
    play: declines('indy'),
  },
  {
    name: 'indy-2-answered',
    title: 'answers an Indy request',
    protocol: 'Present Proof 2.0, Indy',
    role: 'verifier',
    versions: ['1.2.7'],
    play: answers('indy'),
  },
  {
    name: 'anoncreds-2-declined',
    title: 'declines an AnonCreds request',
    protocol: 'Present Proof 2.0, AnonCreds',
    role: 'verifier',
    versions: ['1.7.0'],
    play: declines('anoncreds'),
  },
  {
    name: 'anoncreds-2-answered',
    title: 'answers an AnonCreds request',
    protocol: 'Present Proof 2.0, AnonCreds',
    role: 'verifier',
    versions: ['1.7.0'],
    play: answers('anoncreds'),
  },
]
