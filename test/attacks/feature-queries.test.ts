/** A wallet that asks for all that the agent can do (Aries RFC 0557), also hundreds of times in one message. */
import { expect, test } from 'vitest'
import { connect } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const { stage, wallet, caller } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const connectionId = (await connect(stage, wallet, caller)).walletConnectionId

const ask = async (times: number) => {
  const queries = Array.from({ length: times }, () => ({ 'feature-type': 'protocol', match: '*' }))
  const message = { ...didCommMessage('discover-features/2.0/queries'), queries }
  return raw.sendOn(connectionId, { ...message, '~transport': { return_route: 'all' } })
}

test('gets each of them once', async () => {
  const [once, often] = [await ask(1), await ask(480)]
  expect(once.message?.disclosures).toContainEqual(
    expect.objectContaining({ id: 'https://didcomm.org/present-proof/2.0', roles: expect.any(Array) }),
  )
  expect(often.message?.disclosures).toEqual(once.message?.disclosures)
})

test('gets every protocol and role that the agent has, and of no other', async () => {
  const { message } = await ask(1)
  const disclosures: { id: string; roles: string[] }[] = Object(message?.disclosures)
  const roles = disclosures.map(({ id, roles }) => [id.replace('https://didcomm.org/', ''), [...roles].sort()])
  expect(Object.fromEntries(roles)).toEqual({
    'basicmessage/1.0': ['receiver', 'sender'],
    'connections/1.0': ['invitee', 'inviter'],
    'did-rotate/1.0': ['observing_party', 'rotating_party'],
    'didexchange/1.1': ['requester', 'responder'],
    'discover-features/1.0': ['requester', 'responder'],
    'discover-features/2.0': ['requester', 'responder'],
    'issue-credential/1.0': ['holder', 'issuer'],
    'issue-credential/2.0': ['holder', 'issuer'],
    'messagepickup/1.0': ['batch_sender', 'message_holder'],
    'messagepickup/2.0': ['mediator'],
    'out-of-band/1.1': ['receiver', 'sender'],
    'present-proof/1.0': ['prover', 'verifier'],
    'present-proof/2.0': ['prover', 'verifier'],
    'questionanswer/1.0': ['questioner', 'responder'],
    'revocation_notification/1.0': ['holder'],
    'revocation_notification/2.0': ['holder', 'issuer'],
    'trust_ping/1.0': ['receiver', 'sender'],
  })
})
