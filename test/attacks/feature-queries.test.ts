/** A wallet that asks hundreds of times, in one message, for all that the agent can do (Aries RFC 0557). */
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

test('is told each of them once', async () => {
  const [once, often] = [await ask(1), await ask(480)]
  expect(once.message?.disclosures).toContainEqual(
    expect.objectContaining({ id: 'https://didcomm.org/present-proof/2.0', roles: expect.any(Array) }),
  )
  expect(often.message?.disclosures).toEqual(once.message?.disclosures)
})
