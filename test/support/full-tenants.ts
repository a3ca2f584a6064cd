/** Tenants that have everything that a tenant can have, by the example calls of all operations and by wallets. */
import { DidKey } from '@credo-ts/core'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { peerDidOf } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { Wallet } from '../wallet/wallet.ts'
import { exampleOf } from './calls/all.ts'
import type { CallOperation, CallScene } from './calls/call-scene.ts'
import { useIssuer } from './openid/issuance.ts'
import { bindTo, encrypted, issueTo, newAuthority, newHolder, useVerifier } from './openid/verification.ts'
import { connect, offerBody, requestBody } from './scenes.ts'
import type { Caller, InProcessStage } from './stage/in-process-stage.ts'
import { connectTenants, inviteToConnect, succeed } from './tenants.ts'

/** They put into the table what belongs to nothing there: to registries, issuers and organizations that do not exist. */
const INCOMPLETE =
  /^(RevokeCredential|(Revoke|Suspend|Resume|Update)IssuanceSession|GetIssuanceSession.*|GetStatusList|GetTailsFile|.*Webhook.*)$/

/** Makes what the example calls need, and calls them. */
export const runExamples = async (scene: CallScene, call: CallOperation): Promise<void> => {
  for (const { operationId, method } of OPERATIONS) {
    if (method === 'DELETE' || INCOMPLETE.test(operationId)) continue
    const { asked, caller } = await exampleOf(operationId, scene)
    const { status, body } = await call(operationId, { ...asked, caller })
    if (status > 299) throw new Error(`${operationId}: ${status} ${JSON.stringify(body)}`)
  }
}

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1024'

/** Connections of all kinds, with messages that wait for a wallet that is gone, and for one that fetches them. */
export const addConnections = async (
  stage: InProcessStage,
  caller: { tenantId: string },
  wallet: Wallet,
  other: { tenantId: string },
): Promise<void> => {
  const say = (connectionId: string, content = 'hello') =>
    succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content } })
  const raw = new RawMessages(wallet)
  const handshake = new RawHandshake(wallet, raw)
  const request = async (ownDid: (key: Awaited<ReturnType<typeof raw.newKey>>) => string) => {
    const { invitation, outOfBandRecord } = await succeed(stage, 'createRequest', caller, { body: requestBody })
    const senderKey = await handshake.newKey()
    const { message } = await handshake.request(invitation, { did: ownDid(senderKey), senderKey })
    const route = await handshake.complete(message, senderKey)
    const ping = { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': crypto.randomUUID() }
    await raw.send({ ...ping, '~transport': { return_route: 'all' } }, route)
    const [{ id }] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId: outOfBandRecord.id } })
    return { id, route }
  }
  await say((await request((key) => new DidKey(key).did)).id)
  const { id, route } = await request((key) => peerDidOf([key], wallet.agent.didcomm.config.endpoints[0] ?? ''))
  await say(id)
  // The new DID is not confirmed, and is pinged in vain.
  const to_did = peerDidOf([await raw.newKey()], DEAD)
  await raw.send({ '@type': 'https://didcomm.org/did-rotate/1.0/rotate', '@id': crypto.randomUUID(), to_did }, route)
  await say((await request((key) => peerDidOf([key], DEAD))).id, 'nobody is there')

  const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
  await wallet.agent.didcomm.connections.rotate({ connectionId: walletConnectionId })
  await wallet.sendMessage(walletConnectionId, 'with my new DID')
  await say(connectionId, 'to your new DID')

  const fetching = await Wallet.start({ endpoint: false })
  const queued = await connect(stage, fetching, caller)
  await say(queued.connectionId, 'not fetched')
  await succeed(stage, 'createOffer', caller, { body: offerBody(queued.connectionId, fetching.did) })
  await fetching.stop()

  const legacy = await succeed(stage, 'createLegacyInvitation', other, { body: {} })
  await succeed(stage, 'receiveInvitationUrl', caller, { body: { invitationUrl: legacy.invitationUrl } })
  const own = await succeed(stage, 'createLegacyInvitation', caller, { body: { multiUseInvitation: true } })
  await succeed(stage, 'receiveInvitationUrl', other, { body: { invitationUrl: own.invitationUrl } })
  await wallet.connect(own.invitationUrl)
  const key = { body: { method: 'key', keyType: 'ed25519' } }
  const { did } = await succeed(stage, 'createDid', caller, key)
  await succeed(stage, 'createInvitation', caller, { body: { invitationDid: did } }).catch(() => undefined)
  for (const multiUseInvitation of [true, false]) await inviteToConnect(stage, caller, { multiUseInvitation })
  await connectTenants(stage, other, caller)
}

/** An issuer with sessions in each state, and a verifier with the same. Resolves to their tenants. */
export const addOpenId = async (stage: InProcessStage): Promise<Caller[]> => {
  const issuer = await useIssuer(stage)
  const credentials = [{ credentialSupportedId: 'identity', payload: { given_name: 'Erika' }, isRevocable: true }]
  const issued = async () => {
    const { session, ...offer } = await issuer.offer({ credentials, pin: true })
    await issuer.obtain(await issuer.take({ session, ...offer }))
    return { issuanceSessionId: session.id as string }
  }
  await issuer.offer({ credentials })
  await issuer.take(await issuer.offer())
  await issued()
  for (const change of ['suspend', 'revoke'])
    await issuer.done(`${change}IssuanceSession`, { path: await issued(), body: {} })
  await issuer.done('revokeStatuses', { body: { publicIssuerId: issuer.issuerId } })

  const verifier = await useVerifier(stage)
  const authority = await newAuthority('Issuer')
  await verifier.done('createTrustedIssuer', {
    body: { certificates: [authority.root], vcts: ['https://credentials.example/identity'] },
  })
  await verifier.request()
  const answer = async (options: object, trusted = authority) => {
    const holder = newHolder()
    const request = await verifier.request(options)
    const presentation = bindTo(holder, await issueTo(holder, trusted), request)
    const form = await encrypted(request, { vp_token: { identity: [presentation] }, state: request.payload.state })
    await verifier.post(request.session, form)
  }
  await answer({})
  await answer({ redirectUri: 'https://shop.example/back' })
  await answer({}, await newAuthority('Another'))
  return [issuer.caller, verifier.caller]
}
