/** Requests for Indy and AnonCreds proofs that are declined, or answered by self-attested values. */
import assert from 'node:assert/strict'
import { v1Requested } from '../anoncreds-proofs.ts'
import { connect } from '../connect.ts'
import { requested } from '../presentations.ts'
import { type Scenario, scenario } from '../scenario.ts'

const INDY_V1 = { protocol: 'Present Proof 1.0, Indy', role: 'verifier', versions: ['1.2.7'] } as const
const INDY_V2 = { protocol: 'Present Proof 2.0, Indy', role: 'verifier' }
const ANONCREDS_V2 = { protocol: 'Present Proof 2.0, AnonCreds', role: 'verifier', versions: ['1.7.0'] } as const

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

/** The wallet answers with self-attested values, which were allowed. */
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
  scenario(INDY_V1, 'indy-1-declined', 'declines an Indy request', async (scene) => {
    const { acapy, agent } = scene
    const { request } = await connect(scene, {}, asked('v1', 'indy'))
    const { presentation_exchange_id: id } = await v1Requested(acapy, request)
    await acapy.post(`/present-proof/records/${id}/problem-report`, DECLINED)
    await agent.proofIn(request, 'abandoned', 'declined')
  }),
  scenario(INDY_V1, 'indy-1-answered', 'answers an Indy request', async (scene) => {
    const { acapy, agent } = scene
    const { request } = await connect(scene, {}, asked('v1', 'indy'))
    const { presentation_exchange_id: id } = await v1Requested(acapy, request)
    await acapy.post(`/present-proof/records/${id}/send-presentation`, SELF_ATTESTED)
    const { isVerified, presentation } = await agent.proofIn(request, 'done', 'abandoned')
    assert.equal(isVerified, true)
    assert.ok(presentation?.indy)
  }),
  scenario(
    { ...INDY_V1, versions: ['1.7.0'] },
    'indy-1-unknown',
    'does not know the protocol: it reports a problem, and the proof is abandoned',
    async (scene) => {
      const { request } = await connect(scene, {}, asked('v1', 'indy'))
      await scene.agent.proofIn(request, 'abandoned')
    },
  ),
  scenario(INDY_V2, 'indy-2-declined', 'declines an Indy request', declines('indy')),
  scenario({ ...INDY_V2, versions: ['1.2.7'] }, 'indy-2-answered', 'answers an Indy request', answers('indy')),
  scenario(ANONCREDS_V2, 'anoncreds-2-declined', 'declines an AnonCreds request', declines('anoncreds')),
  scenario(ANONCREDS_V2, 'anoncreds-2-answered', 'answers an AnonCreds request', answers('anoncreds')),
]
