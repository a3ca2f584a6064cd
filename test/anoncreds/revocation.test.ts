/** Revocation: what was revoked is in the published list, its holder is notified, and a presentation of it fails. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { waitFor } from '../wallet/wait.ts'

let world: AnonCredsWorld

describeWithLibrary('revocation', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 300 })
  })
  afterAll(() => world.stop())

  const revoke = (id: string) =>
    world.stage.call('revokeCredential', { caller: world.caller, path: { credentialRecordId: id } })

  const published = (id: string): Promise<Json> =>
    waitFor('the revocation to be published', async () => {
      const { body } = await world.stage.call('getCredentialById', {
        caller: world.caller,
        path: { credentialRecordId: id },
      })
      return body.metadata['_agent/revocation'].state === 'published' && body
    })

  test('a revoked credential is in the list, and its holder is notified', async () => {
    const { exchange } = await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    const { status, body } = await revoke(exchange.id)
    expect(status).toBe(200)
    const { state, revokedAt } = body.metadata['_agent/revocation']
    expect(state).toBe('pending')
    const { metadata } = await published(exchange.id)
    expect(metadata['_agent/revocation']).toEqual({ state: 'published', revokedAt })
    const { revocationRegistryId, credentialRevocationId } = metadata['_anoncreds/credential']
    const told = await waitFor('the wallet to be told', async () => {
      const [credential] = await world.wallet.agent.didcomm.credentials.getAll()
      return credential?.revocationNotification
    })
    expect(told.revocationDate).toBeInstanceOf(Date)
    expect(world.wallet.journal.errors).toEqual([])
    expect(await listOf(revocationRegistryId)).toMatchObject({ [credentialRevocationId]: 1 })
    // The second time it answers the same.
    expect((await revoke(exchange.id)).body.metadata['_agent/revocation']).toEqual({ state: 'published', revokedAt })
  })

  test('a revocation is published though its exchange is deleted before that', async () => {
    const { exchange } = await issueAnonCreds(world, { degree: 'Master', age: '25' })
    await world.stage.line.pause()
    const { revocationRegistryId, credentialRevocationId } = (await revoke(exchange.id)).body.metadata[
      '_anoncreds/credential'
    ]
    const path = { credentialRecordId: exchange.id }
    const remove = { caller: world.caller, path, query: { abandon: 'true' } }
    expect((await world.stage.call('deleteCredential', remove)).status).toBe(204)
    world.stage.line.run()
    await waitFor('the revocation to be published', async () => {
      return (await listOf(revocationRegistryId))[credentialRevocationId] === 1
    })
    await waitFor('the pending revocation to be removed', async () => {
      const items = await itemsOf(world.stage, `${world.caller.tenantId}|`)
      return !items.some(({ kind }) => kind?.S === 'pending-revocation' || kind?.S === 'job')
    })
  })

  /** The newest list of a registry, as the wallet reads it. */
  const listOf = async (registryId: string): Promise<Record<number, number>> => {
    const { anoncreds } = world.wallet.agent.modules
    const { revocationStatusList } = await anoncreds.getRevocationStatusList(
      registryId,
      Math.floor(Date.now() / 1000) + 60,
    )
    return { ...revocationStatusList?.revocationList }
  }
})
