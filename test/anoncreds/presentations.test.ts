/** AnonCreds presented by a wallet, as it is asked for: verified, and rejected once the credential is revoked. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addIssuedExchange, revocableAt, runPublication } from '../support/anoncreds/issued-exchange.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, haveTails, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

let world: AnonCredsWorld

const now = (): number => Math.floor(Date.now() / 1000)

/** Asks for the degree and the age, and for their revocation until `to`. */
const ask = async (to: number | undefined, fields: Json = {}) => {
  const { stage, caller, wallet, credentialDefinitionId } = world
  const restrictions = [{ cred_def_id: credentialDefinitionId, 'attr::degree::value': 'Bachelor' }]
  const { body: created } = await stage.call('createRequest', {
    caller,
    body: {
      protocolVersion: 'v2',
      autoAcceptProof: 'always',
      proofFormats: {
        anoncreds: {
          name: 'degree',
          version: '1.0',
          requested_attributes: { degree: { name: 'degree', restrictions } },
          requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions: [{}] } },
          ...(to !== undefined && { non_revoked: { to } }),
        },
      },
      ...fields,
    },
  })
  const before = new Set((await wallet.proofs()).map(({ id }) => id))
  await wallet.receive(created.invitationUrl)
  const asked = await waitFor('the request', async () => (await wallet.proofs()).find(({ id }) => !before.has(id)))
  return { created, proofExchangeRecordId: asked.id }
}

/** Presents whatever fits, revoked or not. */
const present = async (proofExchangeRecordId: string) => {
  const { proofs } = world.wallet.agent.didcomm
  const { proofFormats } = await proofs.selectCredentialsForRequest({
    proofExchangeRecordId,
    proofFormats: { anoncreds: { filterByNonRevocationRequirements: false } },
  })
  await proofs.acceptRequest({ proofExchangeRecordId, proofFormats })
}

const ended = ({ proofRecordId }: Json): Promise<Json> =>
  waitFor('the proof to end', async () => {
    const { stage, caller } = world
    const { body } = await stage.call('tenantProofFormData', { caller, path: { ...caller, proofRecordId } })
    return ['done', 'abandoned'].includes(body.state) && body
  })

const revoke = (credentialRecordId: string) =>
  world.stage.call('revokeCredential', { caller: world.caller, path: { credentialRecordId } })

const published = (credentialRecordId: string) =>
  waitFor('the revocation to be published', async () => {
    await world.stage.line.sweep()
    const path = { credentialRecordId }
    const { body } = await world.stage.call('getCredentialById', { caller: world.caller, path })
    return body.metadata['_agent/revocation'].state === 'published'
  })

describeWithLibrary('AnonCreds presented by a wallet', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 100 })
  })
  afterAll(() => world.stop())

  test('a credential is verified, and rejected for a time at which it was revoked', async () => {
    const { exchange } = await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    await haveTails(world.caller.tenantId, exchange.metadata['_anoncreds/credential'].revocationRegistryId)
    const first = await ask(now())
    await present(first.proofExchangeRecordId)
    const verified = await ended(first.created)
    expect(verified).toMatchObject({ state: 'done', isVerified: true })
    expect(verified.presentedAttributes.anoncreds).toMatchObject({
      revealed: [{ referent: 'degree', value: 'Bachelor' }],
      predicates: [{ referent: 'age', p_type: '>=', p_value: 18 }],
    })

    await revoke(exchange.id)
    await published(exchange.id)
    // A list is in force from a whole second on.
    const until = now() + 2
    const second = await ask(until)
    await present(second.proofExchangeRecordId)
    expect(await ended(second.created)).toMatchObject({
      state: 'abandoned',
      isVerified: false,
      errorMessage: 'the proof is not valid',
    })

    const third = await ask(undefined)
    await present(third.proofExchangeRecordId)
    expect(await ended(third.created)).toMatchObject({ state: 'done', isVerified: true })
  })

  test('a credential that is revoked after many others is rejected for now as soon as that is published', async () => {
    const { tenantId } = world.caller
    const { exchange } = await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    const { revocationRegistryId } = exchange.metadata['_anoncreds/credential']
    await haveTails(tenantId, revocationRegistryId)
    const before = await ask(now())
    await present(before.proofExchangeRecordId)
    expect(await ended(before.created)).toMatchObject({ state: 'done', isVerified: true })

    const others = Array.from({ length: 23 }, (_, at) => revocableAt(revocationRegistryId, 60 + at))
    const ids = await Promise.all(others.map((metadata) => addIssuedExchange(tenantId, metadata)))
    for (const id of [...ids, exchange.id]) {
      await revoke(id)
      await runPublication(tenantId, id)
    }
    await published(exchange.id)
    const after = await ask(now())
    await present(after.proofExchangeRecordId)
    expect(await ended(after.created)).toMatchObject({ state: 'abandoned', isVerified: false })
  })

  test('a presentation that comes three times is verified once', async () => {
    await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    const { created, proofExchangeRecordId } = await ask(undefined)
    await present(proofExchangeRecordId)
    const verified = await ended(created)
    await world.wallet.repost()
    await world.wallet.repost()
    expect(await ended(created)).toEqual(verified)
    expect(verified).toMatchObject({ state: 'done', isVerified: true })
  })
})
