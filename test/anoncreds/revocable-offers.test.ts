/** Offers of credentials that can be revoked: each takes an index, and asks for the next registry in time. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registryItem } from '../../lib/revocation/registry.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

/** Of each registry. */
const SIZE = 300

describeWithLibrary('an offer of a credential that can be revoked', () => {
  let world: AnonCredsWorld

  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: SIZE })
    // The first registry is there.
    await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
  })
  afterAll(() => world.stop())

  const formats = () => ({
    anoncreds: {
      credentialDefinitionId: world.credentialDefinitionId,
      attributes: [
        { name: 'degree', value: 'Bachelor' },
        { name: 'age', value: '24' },
      ],
    },
  })
  const indexOf = ({ metadata }: Json): number => Number(metadata['_anoncreds/credential'].credentialRevocationId)
  const offer = async (): Promise<Json> => {
    const { caller, connectionId, stage } = world
    const body = { connectionId, protocolVersion: 'v2', credentialFormats: formats() }
    const answer = await stage.call('createOffer', { caller, body })
    expect(answer).toMatchObject({ status: 200, body: { state: 'offer-sent' } })
    return answer.body
  }
  const offerOutOfBand = async (): Promise<Json> => {
    const { caller, stage } = world
    const body = { protocolVersion: 'v2', credentialFormats: formats() }
    const answer = await stage.call('createOfferOob', { caller, body })
    expect(answer.status).toBe(200)
    const path = { credentialRecordId: answer.body.credentialRecordId }
    return (await stage.call('getCredentialById', { caller, path })).body
  }

  /** How many indexes of a registry are used from here on. */
  const take = async (number: number, taken: number): Promise<void> => {
    const { updateIf } = await import('../../lib/store/write.ts')
    const { caller, credentialDefinitionId } = world
    const address = registryItem.addressOf({ tenant: caller.tenantId, credentialDefinitionId, number })
    await updateIf(address, { set: registryItem.attributes({ taken }) })
  }

  test('takes the next index, on a connection and in an invitation', async () => {
    const first = indexOf(await offer())
    expect(indexOf(await offerOutOfBand())).toBe(first + 1)
    expect(indexOf(await offer())).toBe(first + 2)
  })

  test.each([
    ['on a connection', 1, () => offer()],
    ['in an invitation', 2, () => offerOutOfBand()],
  ])(
    '%s is answered by the next registry when this one is full, which was asked for at 80 %%',
    async (_, number, ask) => {
      await take(number, SIZE - 10)
      const before = (await ask()).metadata['_anoncreds/credential'].revocationRegistryId
      await take(number, SIZE - 1)
      const offered = await waitFor('the next registry', () => ask().catch(() => undefined))
      expect(offered.metadata['_anoncreds/credential'].revocationRegistryId).not.toBe(before)
      expect(indexOf(offered)).toBe(1)
    },
  )
})
