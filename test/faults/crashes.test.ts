/** The process dies right after the commit: the caller gets no answer, and yet the message reaches the wallet, once. */
import { expect, test } from 'vitest'
import { connect, createTenant, offerBody } from '../support/scenes.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

/** Whether the next commit ends its process: no answer leaves it. */
let dying = false

const stage = await useStage({ delivers: false })
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next, { commandName }) =>
    async (parameters) => {
      const result = await next(parameters)
      if (dying && commandName === 'TransactWriteItemsCommand') throw new Error('the process is gone')
      return result
    },
  { step: 'initialize' },
)

test('a message and an offer of a process that died reach the wallet once', async () => {
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ acceptOffers: false })
  stage.line.run()
  const { connectionId } = await connect(stage, wallet, caller)
  // Deliveries are other processes, which live on.
  await stage.line.pause()
  dying = true
  const sent = await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'last words' } })
  const offered = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
  expect([sent.status, offered.status]).toEqual([500, 500])
  dying = false
  stage.line.run()
  await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'a new process' } })
  await waitFor('the next message', async () =>
    (await wallet.messages()).some(({ content }) => content === 'a new process'),
  )
  expect((await wallet.messages()).map(({ content }) => content)).toEqual(['last words', 'a new process'])
  expect(await wallet.credentialExchanges()).toHaveLength(1)
  expect(wallet.journal.errors).toEqual([])
  await wallet.stop()
})
