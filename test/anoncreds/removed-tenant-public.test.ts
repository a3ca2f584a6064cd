/** What is served of a removed tenant whose credentials of AnonCreds stay verifiable. */
import { expect } from 'vitest'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { defineDegree, degreeOffer, offerDegree } from '../support/anoncreds/revocable-degree.ts'
import { contentOf, kindsOf, remove, run } from '../support/removed-tenant.ts'
import { createTenant } from '../support/scenes.ts'
import type { OperationName } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { connectTenants, succeed } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

testWithLibrary('a removed tenant keeps what its did:webvh attests, and its tails files', async () => {
  const stage = await useStage()
  await useQuickKeys()
  const issuer = await createTenant(stage, 'Issuer')
  const { tenantId } = issuer
  const definitionId = await defineDegree(stage, issuer)
  const config = { label: 'Holder', autoAcceptOffers: true }
  const { id: holderId } = await succeed(stage, 'createTenant', {}, { body: { config } })
  const { connectionId } = await connectTenants(stage, issuer, { tenantId: holderId })
  const { id } = await offerDegree(stage, issuer, degreeOffer(connectionId, definitionId))
  const path = { credentialRecordId: id }
  const credential = () => succeed(stage, 'getCredentialById', issuer, { path })
  await waitFor('the credential', async () => (await credential()).state === 'done')
  await succeed(stage, 'revokeCredential', issuer, { path })
  const isPublished = async () => (await credential()).metadata['_agent/revocation'].state === 'published'
  await waitFor('the revocation to be published', isPublished)

  const items = await itemsOf(stage, `${tenantId}|webvh|resource|`)
  const names = items.map(({ pk }) => String(pk?.S?.split('|').at(-1)))
  const read = (operation: OperationName, of: Record<string, string>) => stage.call(operation, { caller: {}, path: of })
  const served = async () => {
    const resources = names.map((resourceId) => read('getWebvhResource', { tenantId, resourceId }))
    const replies = await Promise.all([read('getWebvhLog', { tenantId }), ...resources])
    const [hash = ''] = replies.flatMap(({ body }) => /"tailsHash":"(\w+)"/.exec(JSON.stringify(body))?.slice(1) ?? [])
    return [...replies, await read('getTailsFile', { hash })].map(contentOf)
  }
  const before = await served()
  // The log, a schema, a definition, a registry with two lists, its tails file.
  expect(before.length).toBeGreaterThanOrEqual(7)
  for (const { status } of before) expect(status).toBe(200)
  const tails = await itemsOf(stage, '@tails|')
  await remove(stage, tenantId, { keep: 'public' })
  await run(stage, tenantId)
  expect((await kindsOf(stage, tenantId)).toSorted()).toEqual(['webvh-log', 'webvh-resource'])
  expect(await served()).toEqual(before)
  // The process has the file in memory.
  expect(await itemsOf(stage, '@tails|')).toEqual(tails)
})
