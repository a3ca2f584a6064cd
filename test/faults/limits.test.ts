/** The longest message that SendMessage accepts arrives. Messages too large for an item are rejected in test/unit/agent/outbox-transport.test.ts. */
import { expect, test } from 'vitest'
import { connect } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'

const stage = await useStage()
const wallet = await useWallet()
const connectionId = (await connect(stage, wallet)).connectionId
await stage.line.pause()

test('the longest message that SendMessage accepts is delivered', async () => {
  const content = '€'.repeat(65_000)
  const { status } = await stage.call('sendMessage', { path: { connectionId }, body: { content } })
  expect(status).toBe(200)
  while ((await stage.line.move()) > 0);
  expect((await wallet.messages()).at(-1)?.content).toBe(content)
})
