/** Ways that messages take: return route (Aries RFC 0092), a mediator (RFC 0211, 0094), a network that repeats. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { issue, newHolderDid, selfIssue } from '../credentials.ts'
import { licenseRequest } from '../harness.ts'
import { connectAsInvitee } from '../inviter.ts'
import { heardFromUs, ping, say, talkBothWays } from '../messages.ts'
import { present, verified } from '../presentations.ts'
import { holdLicense, prove, requestOf } from '../proving.ts'
import { BACHELOR, degreeCredential, PLAIN, plainCredential, proofRequest, trustedContexts } from '../requests.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const RETURN_ROUTE = { protocol: 'Return Route 1.0', role: 'responder' }
const MEDIATED = { protocol: 'Routing 1.0', role: 'sender', wallet: 'mediated' } as const

/** A wallet without an endpoint connects, pings, sends a message and proves something; what we start waits until it is fetched (ADR 26). */
const byReturnRoute: Scenario['play'] = async (scene) => {
  const { acapy, agent } = scene
  const holderDid = await newHolderDid(acapy)
  const { credentialId } = await selfIssue(acapy, degreeCredential(holderDid, 'Bachelor'), holderDid)
  const { request, connection, walletConnectionId } = await connect(
    scene,
    {},
    proofRequest([BACHELOR], trustedContexts),
  )
  await ping(acapy, walletConnectionId)
  await say(acapy, walletConnectionId, 'Hello, agent')
  assert.deepEqual(await agent.received(connection.id), ['Hello, agent'])
  await present(acapy, request, { degree: credentialId })
  await verified(scene, request)
  const { metadata } = await agent.send(connection.id, 'Hello, wallet')
  assert.equal(metadata['_agent/delivery'].state, 'waiting-for-pickup')
}

/** A message each way, a credential and a proof. */
const everything = async (scene: Scene) => {
  const { acapy } = scene
  const holderDid = await newHolderDid(acapy)
  const asked = proofRequest([PLAIN])
  const { request, connection, walletConnectionId } = await connect(scene, {}, asked)
  await talkBothWays(scene, connection.id, walletConnectionId)
  const { credentialId } = await issue(scene, connection.id, plainCredential(holderDid), holderDid)
  await present(acapy, request, { degree: credentialId })
  await verified(scene, request)
  return { request, connection, walletConnectionId }
}

export const ROUTES: Scenario[] = [
  scenario(
    { ...RETURN_ROUTE, wallet: 'silent' },
    'return-route',
    'has no service in its DID document: connects, pings, talks and proves',
    byReturnRoute,
  ),
  scenario(
    { ...RETURN_ROUTE, versions: ['1.7.0'], wallet: 'queue' },
    'return-route-queue',
    'names didcomm:transport/queue as its endpoint: connects, pings, talks and proves',
    byReturnRoute,
  ),
  scenario(
    MEDIATED,
    'mediator',
    'is behind a mediator: connects, talks, takes a credential and proves',
    async (scene) => {
      const forwarded = async () => (await (await scene.mediator()).heard('routing/1.0/forward')).length
      const before = await forwarded()
      await everything(scene)
      assert.ok((await forwarded()) > before, 'nothing went through the mediator')
    },
  ),
  scenario(
    MEDIATED,
    'mediator-inviting',
    'is behind a mediator, and invites; we connect, talk, take a credential and prove',
    async (scene) => {
      const forwarded = async () => (await (await scene.mediator()).heard('routing/1.0/forward')).length
      const before = await forwarded()
      const { connection, walletConnectionId } = await connectAsInvitee(scene)
      await talkBothWays(scene, connection.id, walletConnectionId)
      await holdLicense(scene, walletConnectionId)
      await prove(scene, await requestOf(scene, walletConnectionId, licenseRequest('Ed25519Signature2018')))
      assert.ok((await forwarded()) > before, 'nothing went through the mediator')
    },
  ),
  scenario(
    { protocol: 'DIDComm 1', role: 'receiver', repeated: true },
    'delivered-three-times',
    'everything is delivered three times, and all of it again at the end: connects, talks, takes a credential and proves once',
    async (scene) => {
      const { acapy, agent } = scene
      const { request, connection, walletConnectionId } = await everything(scene)
      const refused = (await scene.deliverAgain()).filter((status) => status >= 300)
      assert.deepEqual(refused, [])
      assert.equal((await agent.connectionsOf(request)).length, 1)
      assert.deepEqual(await agent.received(connection.id), ['Hello, agent'])
      await ping(acapy, walletConnectionId)
      assert.deepEqual(await heardFromUs(acapy, walletConnectionId), ['Hello, wallet'])
      for (const type of ['issue-credential/2.0/issue-credential', 'present-proof/2.0/ack'])
        assert.equal((await acapy.heard(type, walletConnectionId)).length, 1, type)
    },
  ),
]
