/** AnonCreds between a tenant and a wallet: issued, presented. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'

let world: AnonCredsWorld

describeWithLibrary('AnonCreds between a tenant and a wallet', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld()
  })
  afterAll(() => world.stop())

  test('issues a credential that the wallet stores', async () => {
    const { exchange } = await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    expect(exchange.metadata['_internal/indyCredential']).toEqual({
      schemaId: world.schemaId,
      credentialDefinitionId: world.credentialDefinitionId,
    })
    expect(world.wallet.journal.errors).toEqual([])
  })
})
