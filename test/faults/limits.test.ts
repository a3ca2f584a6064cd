/** What is too large for the table is said to the caller, and nothing of it is written. */
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { connect, offerBody } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'

const stage = await useStage()
const wallet = await useWallet()
const connectionId = (await connect(stage, wallet)).connectionId
await stage.line.pause()

const countItems = async (): Promise<number> => {
  let count = 0
  for await (const { Count = 0 } of paginateScan({ client: stage.client }, { TableName: stage.table })) count += Count
  return count
}

test('the longest message that SendMessage takes is delivered', async () => {
  const content = '€'.repeat(65_000)
  const { status } = await stage.call('sendMessage', { path: { connectionId }, body: { content } })
  expect(status).toBe(200)
  while ((await stage.line.move()) > 0);
  expect((await wallet.messages()).at(-1)?.content).toBe(content)
})

test('an offer whose envelope no item could hold is a 413', async () => {
  const before = await countItems()
  const body = offerBody(connectionId, wallet.did)
  Object.assign(body.credentialFormats.jsonld.credential.credentialSubject, { degree: 'x'.repeat(230 * 1024) })
  const reply = await stage.call('createOffer', { body })
  expect(reply).toMatchObject({
    status: 413,
    body: { error: 'Content Too Large', message: expect.stringContaining('400 KB') },
  })
  expect(await countItems()).toBe(before)
})
